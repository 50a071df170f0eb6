package proof

import (
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/pattern"
)

// Words are the cells of the evidence as the page shows them, by wordKey.
type Words map[string]string

func wordKey(feed designer.Feed, stable bool, metric, pattern string) string {
	return fmt.Sprint(feed, " ", stable, " ", metric, " ", pattern)
}

// Take puts cells in, over what was known of them.
func (w Words) Take(cells []Cell) {
	for _, c := range cells {
		w[wordKey(c.Feed, c.Stable, c.Metric, c.Pattern)] = c.word()
	}
}

func (c Cell) word() string {
	switch {
	case c.Refused && !c.Fits:
		return "–"
	case !c.Fits && c.Broken == "":
		return fmt.Sprintf("not broken in %d", c.Rounds)
	case c.Fits && c.Broken != "":
		return fmt.Sprintf("**wrong** in %d", c.Rounds)
	case c.Fits:
		return "**yes**"
	}
	return fmt.Sprintf("no %d", c.Rounds)
}

// EvidencePage writes the words as a page of the handbook.
func EvidencePage(words Words, engine string, rounds int) string {
	var b strings.Builder
	b.WriteString("# Evidence\n\nreference: Every yes and every no of the decision, and what speaks for it.\n\n")
	b.WriteString("The page is generated from rounds on a real ClickHouse (" + engine + "), by `make evidence`; nothing on it is written by hand.\n\n")
	fmt.Fprintf(&b, "- **yes**: the pattern is recommended for this metric; %d random workloads, each compared with the truth at every checkpoint, found no wrong answer.\n", rounds)
	b.WriteString("- no *n*: the pattern is refused; the *n*-th random workload made it answer wrongly.\n")
	b.WriteString("- –: the pattern is refused, and the engine does not take the statements at all.\n")
	for _, word := range words {
		if strings.HasPrefix(word, "not broken") || strings.HasPrefix(word, "**wrong") {
			b.WriteString("- **wrong** in *n*, not broken in *n*: the evidence contradicts the decision here, and one of the two has a fault.\n")
			break
		}
	}
	b.WriteString("\nThe design behind it is a daily rollup of orders in the zone Europe/Berlin, by country, with a filter on the status. Its freshness is ten minutes (so that a scheduled refresh may be right), and its entities settle within three days. *Stable* means that an order's time, country and passing the filter never change; *mutable* that all of them do. Every other column changes in both.\n")
	for _, feed := range designer.Feeds {
		for _, stable := range []bool{true, false} {
			switch constant := feed == designer.Append || feed == designer.AtLeastOnce; {
			case constant && stable:
				fmt.Fprintf(&b, "\n## %s\n\n", feed)
			case constant:
				continue
			default:
				fmt.Fprintf(&b, "\n## %s, %s\n\n", feed, map[bool]string{true: "stable", false: "mutable"}[stable])
			}
			words.table(&b, feed, stable)
		}
	}
	return b.String()
}

func (w Words) table(b *strings.Builder, feed designer.Feed, stable bool) {
	b.WriteString("| metric |")
	for _, id := range pattern.IDs() {
		b.WriteString(" " + id + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(pattern.Catalog)) + "\n")
	for _, m := range cellMetrics {
		b.WriteString("| " + m.name + " |")
		for _, id := range pattern.IDs() {
			b.WriteString(" " + w[wordKey(feed, stable, m.name, id)] + " |")
		}
		b.WriteString("\n")
	}
}

// ReadWords reads the cells of a page back.
func ReadWords(page string) Words {
	out := Words{}
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
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if cells[0] == "metric" {
			patterns = cells[1:]
			continue
		}
		for i, word := range cells[1:] {
			out[wordKey(designer.Feed(feed), stable, cells[0], patterns[i])] = word
		}
	}
	return out
}
