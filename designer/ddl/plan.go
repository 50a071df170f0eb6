package ddl

import (
	"fmt"
	"strconv"
	"strings"
)

// Step is one statement of up/: what it is called, why it is there, what undoes
// it, and the least server version that takes it.
type Step struct {
	Name       string
	SQL        string // without a semicolon
	Why        string
	Undo       string // without a semicolon; empty where there is nothing to undo
	MinVersion string
}

// Target is a table that the plan creates and the metrics it holds.
type Target struct {
	Pattern string
	Table   string // database.table, unquoted
	Metrics []string
}

// Plan is everything a design is carried out with. The texts are whole scripts,
// every statement ending in a semicolon.
type Plan struct {
	Pattern string
	Targets []Target
	Up      []Step
	// Read is what the read view selects, before settings are pinned.
	Read Select
	// PerPartition says that FINAL may go partition by partition in Read.
	PerPartition bool
	Query        string
	Truth        string
	Audit        string
	Backfill     string
	Correct      string
	Monitor      string
}

// Down gives the script that removes what Up made, in the reverse order.
func (p *Plan) Down() string {
	var b strings.Builder
	for i := len(p.Up) - 1; i >= 0; i-- {
		if p.Up[i].Undo != "" {
			b.WriteString(p.Up[i].Undo + ";\n")
		}
	}
	return b.String()
}

// baseVersion is the oldest release whose FINAL, states and view settings were
// checked against what the plans rely on.
const baseVersion = "24.8"

// MinVersion gives the least server version that takes every step.
func (p *Plan) MinVersion() string {
	least := baseVersion
	for _, s := range p.Up {
		if Older(least, s.MinVersion) {
			least = s.MinVersion
		}
	}
	return least
}

// Older reports whether version a ("24.8", "26.7.2.1") is older than b.
func Older(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range y {
		n, m := 0, 0
		if i < len(x) {
			n, _ = strconv.Atoi(x[i])
		}
		m, _ = strconv.Atoi(y[i])
		if n != m {
			return n < m
		}
	}
	return false
}

// FileName gives the name of the i-th step's file in up/.
func (p *Plan) FileName(i int) string {
	return fmt.Sprintf("up/%02d_%s.sql", i+1, fileSafe(p.Up[i].Name))
}

func fileSafe(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
	return s[:min(len(s), 80)]
}
