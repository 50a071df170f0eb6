package proof

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rollsmith/rollsmith/designer"
)

var (
	everything = flag.Bool("evidence", false, "prove every cell and write web/handbook/evidence.md")
	rounds     = flag.Int("evidence.rounds", 30, "rounds that a yes has to survive")
	searching  = flag.Int("evidence.search", 80, "rounds within which a no has to be broken")
	feedFlag   = flag.String("evidence.feed", "", "only this feed")
)

// TestEvidence holds the decision against the engine: every yes survives, every
// no has a counterexample. Without -evidence it takes fewer rounds, and of the
// blocks every seventh, so that each pattern and each feed has its turn.
func TestEvidence(t *testing.T) {
	e, ctx := engine(t), context.Background()
	survive, search := *rounds, *searching
	if !*everything {
		survive = 2
	}
	var cells []Cell
	for i, b := range Blocks() {
		if (!*everything && i%7 != 0) || (*feedFlag != "" && b.Feed != designer.Feed(*feedFlag)) {
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

// The page in the handbook says what the decision says today.
func TestEvidencePageIsCurrent(t *testing.T) {
	page, err := os.ReadFile("../web/handbook/evidence.md")
	if err != nil {
		t.Fatal(err)
	}
	told := pageWords(string(page))
	e, ctx := engine(t), context.Background()
	seen := 0
	for _, b := range Blocks() {
		facts, err := e.Analyse(ctx, cellDesign(b.Feed, b.Stable, cellMetrics))
		if err != nil {
			t.Fatal(err)
		}
		fit, unfit, _, err := b.judge(facts)
		if err != nil {
			t.Fatal(err)
		}
		for i, metric := range append(fit, unfit...) {
			at := fmt.Sprint(b.Feed, b.Stable, metric.name, b.Pattern)
			word, ok := told[at]
			if !ok || (word == "**yes**") != (i < len(fit)) {
				t.Errorf("%s: the page says %q, and it fits: %v", at, word, i < len(fit))
			}
			seen++
		}
	}
	if seen != len(told) {
		t.Errorf("the page has %d cells, and there are %d", len(told), seen)
	}
}

// pageWords reads the cells of the page back.
func pageWords(page string) map[string]string {
	out := map[string]string{}
	var feed string
	var stable bool
	var patterns []string
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			var word string
			feed, word, _ = strings.Cut(name, ", ")
			stable = word != "mutable"
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---"):
		case cells[0] == "metric":
			patterns = cells[1:]
		default:
			for i, word := range cells[1:] {
				out[fmt.Sprint(feed, stable, cells[0], patterns[i])] = word
			}
		}
	}
	return out
}
