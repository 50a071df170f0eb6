package proof

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/rollsmith/rollsmith/designer"
)

var (
	everything = flag.Bool("evidence", false, "prove every cell and write web/handbook/evidence.md")
	rounds     = flag.Int("evidence.rounds", 30, "rounds that a yes has to survive")
	searching  = flag.Int("evidence.search", 60, "rounds within which a no has to be broken")
	feedFlag   = flag.String("evidence.feed", "", "only this feed")
)

// TestEvidence holds the decision against the engine: every yes survives, every
// no has a counterexample. Without -evidence it takes fewer rounds, and of the
// blocks every third, beginning with another one for each feed.
func TestEvidence(t *testing.T) {
	e, ctx := engine(t), context.Background()
	survive, search := *rounds, *searching
	if !*everything {
		survive, search = 3, 12
	}
	var cells []Cell
	for i, b := range Blocks() {
		if (!*everything && i%3 != 0) || (*feedFlag != "" && b.Feed != designer.Feed(*feedFlag)) {
			continue
		}
		got, err := Evidence(ctx, e, b, Options{Seed: 7, Rows: 16, Rounds: survive}, search)
		if err != nil {
			t.Errorf("%+v: %v", b, err)
			continue
		}
		for _, c := range got {
			if !c.Holds() {
				t.Errorf("the evidence contradicts the decision: %s", c)
			}
		}
		cells = append(cells, got...)
		if *everything {
			fmt.Fprintf(os.Stderr, "%s, stable %v, %s: %d cells\n", b.Feed, b.Stable, b.Pattern, len(cells))
		}
	}
	if *everything && *feedFlag == "" {
		if err := os.WriteFile("../web/handbook/evidence.md", []byte(EvidencePage(cells, e.Version(), survive)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(cells) == 0 {
		t.Fatal("no cell was proved")
	}
	fmt.Fprintf(os.Stderr, "%d cells\n", len(cells))
}
