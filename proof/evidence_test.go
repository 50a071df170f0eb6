package proof

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rollsmith/rollsmith/designer"
)

var (
	everything = flag.Bool("evidence", false, "prove every cell and write web/handbook/evidence.md")
	rounds     = flag.Int("evidence.rounds", 8, "rounds that a yes has to survive")
	searching  = flag.Int("evidence.search", 300, "rounds within which a no has to be broken")
	feedFlag   = flag.String("evidence.feed", "", "only this feed")
	patternAsk = flag.String("evidence.pattern", "", "only this pattern")
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
		if (!*everything && i%7 != 0) || (*feedFlag != "" && b.Feed != designer.Feed(*feedFlag)) || (*patternAsk != "" && b.Pattern != *patternAsk) {
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
	if *everything {
		writeEvidence(t, cells, e.Version(), survive)
	}
	if len(cells) == 0 {
		t.Fatal("no cell was proved")
	}
	fmt.Fprintf(os.Stderr, "%d cells\n", len(cells))
}

const evidencePath = "../web/handbook/evidence.md"

// writeEvidence puts what was proved into the page, over what it said before.
func writeEvidence(t *testing.T, cells []Cell, version string, survive int) {
	t.Helper()
	page, err := os.ReadFile(evidencePath)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	words := ReadWords(string(page))
	words.Take(cells)
	if err := os.WriteFile(evidencePath, []byte(EvidencePage(words, version, survive)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The page in the handbook says what the decision says today.
func TestEvidencePageIsCurrent(t *testing.T) {
	page, err := os.ReadFile(evidencePath)
	if err != nil {
		t.Fatal(err)
	}
	told := ReadWords(string(page))
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
			at := wordKey(b.Feed, b.Stable, metric.name, b.Pattern)
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

// Writing the page from what it says gives the same page: nobody edits it.
func TestEvidencePageIsGenerated(t *testing.T) {
	page, err := os.ReadFile(evidencePath)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	version := regexp.MustCompile(`real ClickHouse \(([\d.]+)\)`).FindStringSubmatch(text)
	count := regexp.MustCompile(`(\d+) random workloads`).FindStringSubmatch(text)
	if version == nil || count == nil {
		t.Fatal("the page does not say what it was made with")
	}
	n, err := strconv.Atoi(count[1])
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(EvidencePage(ReadWords(text), version[1], n), text); d != "" {
		t.Errorf("(-generated +file):\n%s", d)
	}
}
