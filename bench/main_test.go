package bench_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/sandbox"
)

var engine *sandbox.Engine

func TestMain(m *testing.M) {
	sandbox.Child()
	e, err := sandbox.Start(context.Background(), sandbox.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	engine = e
	code := m.Run()
	e.Close()
	os.Exit(code)
}

// resolved reads a fixture's design and has the engine judge its expressions.
func resolved(t testing.TB, file string) *designer.Rollup {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var fixture struct {
		Design json.RawMessage `json:"design"`
	}
	if err := json.Unmarshal(data, &fixture); err != nil {
		t.Fatal(err)
	}
	d, err := designer.Decode(fixture.Design)
	if err != nil {
		t.Fatal(err)
	}
	d.Normalise()
	if err := d.Check(); err != nil {
		t.Fatal(err)
	}
	facts, err := engine.Analyse(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	r, err := designer.Resolve(d, facts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
