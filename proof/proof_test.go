package proof

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/pattern"
	"github.com/rollsmith/rollsmith/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Child()
	os.Exit(m.Run())
}

var shared = sync.OnceValues(func() (*sandbox.Engine, error) {
	return sandbox.Start(context.Background(), sandbox.Options{})
})

// engine gives the engine that this package's tests share; it dies with them.
func engine(t testing.TB) *sandbox.Engine {
	t.Helper()
	e, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func load(t testing.TB, name string) *designer.Design {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := designer.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestX(t *testing.T) {
	e := engine(t)
	ctx := context.Background()
	d := load(t, "shop.json")
	facts, err := e.Analyse(ctx, d)
	if err != nil {
		t.Fatal(err)
	}
	r, err := designer.Resolve(stage(d), facts)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range pattern.Catalog {
		v := x.Judge(r)
		t.Logf("=== %s fits=%v", x.ID, v.Fits())
		res, err := ProveStatements(ctx, e, d, facts, fromPlan(x.Plan(r)), Options{Rounds: 60}, nil)
		if err != nil {
			t.Log("ERROR", err)
			continue
		}
		t.Logf("ok=%v %d rounds %d checkpoints %.1f/s", res.OK, res.Rounds, len(res.Checkpoints), res.RoundsPerSecond)
		if res.Counterexample != nil {
			t.Log(res.Counterexample.Story())
		}
	}
}
