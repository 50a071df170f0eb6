package designer

import (
	"strings"
	"testing"
)

func TestNotWorth(t *testing.T) {
	for _, c := range []struct {
		name string
		size Size
		says string // part of the reason; empty: worth it, or nothing is known
	}{
		{"nothing is known", Size{}, ""},
		{"groups alone tell nothing", Size{Groups: 10}, ""},
		{"an empty answer of a large source", Size{Rows: 1_000_000_000}, ""},
		{"one row", Size{Rows: 1, Groups: 1}, "one row"},
		{"just too small", Size{Rows: SmallSource - 1, Groups: 10}, "5.0 million rows"},
		{"just large enough", Size{Rows: SmallSource, Groups: 10}, ""},
		{"a group for nearly every row", Size{Rows: 100_000_000, Groups: 80_000_000}, "1.2 rows of the source"},
		{"just too fine", Size{Rows: 40_000_000, Groups: 10_000_001}, "coarser grain"},
		{"just coarse enough", Size{Rows: 40_000_000, Groups: 10_000_000}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := NotWorth(c.size)
			switch {
			case c.says == "" && got != nil:
				t.Errorf("got %q, want nothing against it", got.Text)
			case c.says != "" && got == nil:
				t.Errorf("got nothing, want %q", c.says)
			case got != nil && (got.Code != "do-not-build" || !strings.Contains(got.Text, c.says)):
				t.Errorf("got %s %q, want %q", got.Code, got.Text, c.says)
			}
		})
	}
}
