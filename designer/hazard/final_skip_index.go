package hazard

import (
	"strconv"
	"strings"
)

var finalSkipIndex = &Rule{
	Code:     "final-skip-index",
	Title:    "A skip index hides the newer version from FINAL",
	Doc:      "A skip index on a column that changes can skip the granule with the newest version and leave an older one to FINAL. Servers since 25.8 read the skipped granules too (use_skip_indexes_if_final_exact_mode).",
	Severity: Error,
	View:     checkSkipIndex,
}

func checkSkipIndex(v *View) []Finding {
	t := v.target
	if !t.deduplicates() {
		return nil
	}
	for _, x := range t.Indexes {
		for _, c := range x.expr.columns() {
			if contains(t.keyColumns(), c) {
				continue
			}
			f := Finding{
				Text:     sentence("%s has a skip index on %s, outside its sorting key; with FINAL it can skip the newest version of a row.", v.targetLabel(), c),
				Evidence: sentence("%s INDEX %s %s", t.declared(), x.Name, x.expr.String()),
				Repair:   "SET use_skip_indexes_if_final_exact_mode = 1, or use_skip_indexes_if_final = 0, for reads with FINAL.",
			}
			if v.cat.skipsExactly() {
				f.Severity = Info
			}
			return []Finding{f}
		}
	}
	return nil
}

// skipsExactly tells whether reads with FINAL use skip indexes safely or not at all.
func (c *Catalog) skipsExactly() bool {
	exact, known := c.Settings["use_skip_indexes_if_final_exact_mode"]
	if known {
		return exact == "1" || c.Settings["use_skip_indexes_if_final"] == "0"
	}
	return !c.olderThan(25, 8)
}

// olderThan compares the server's version; an unknown one counts as new.
func (c *Catalog) olderThan(major, minor int) bool {
	parts := strings.SplitN(c.Version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	a, errA := strconv.Atoi(parts[0])
	b, errB := strconv.Atoi(parts[1])
	return errA == nil && errB == nil && (a < major || a == major && b < minor)
}
