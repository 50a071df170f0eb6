package proof

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// Statements are what is proved: the scripts of a bundle, or their like written
// by hand. Only Up, Query and Truth are needed.
type Statements struct {
	Pattern  string
	Up       []string
	Query    string
	Truth    string
	Audit    string
	Backfill string
	Correct  string
	Monitor  string
	Down     string
	clock    bool // some statement asks what time it is
}

// fromPlan takes the statements of a plan.
func fromPlan(p *ddl.Plan) *Statements {
	s := &Statements{Pattern: p.Pattern, Query: p.Query, Truth: p.Truth, Audit: p.Audit,
		Backfill: p.Backfill, Correct: p.Correct, Monitor: p.Monitor, Down: p.Down()}
	for _, step := range p.Up {
		s.Up = append(s.Up, step.SQL)
	}
	return s.withClock()
}

// withClock lets the statements read a round's clock instead of now().
func (s *Statements) withClock() *Statements {
	for _, script := range append([]*string{&s.Query, &s.Audit, &s.Backfill, &s.Correct}, pointers(s.Up)...) {
		s.clock = s.clock || nowCall.MatchString(*script)
		*script = clocked(*script)
	}
	return s
}

func pointers(texts []string) []*string {
	out := make([]*string, len(texts))
	for i := range texts {
		out[i] = &texts[i]
	}
	return out
}

// The databases of a proof's statements; each round puts its own in their place.
const (
	sourceSlot = "proof_source_slot"
	targetSlot = "proof_target_slot"
)

// stage moves a design into databases of its own and takes it off its cluster.
func stage(d *designer.Design) *designer.Design {
	out := *d
	out.Target.Database = targetSlot
	if d.Target.Database == d.Source.Database {
		out.Target.Database = sourceSlot
	}
	out.Source.Database = sourceSlot
	out.Deployment = designer.Deployment{}
	return &out
}

// in gives the statements with a round's databases in place of the slots.
func (s *Statements) in(source, target string) *Statements {
	swap := strings.NewReplacer(sourceSlot, source, targetSlot, target)
	out := &Statements{Pattern: s.Pattern, clock: s.clock, Query: swap.Replace(s.Query), Truth: swap.Replace(s.Truth),
		Audit: swap.Replace(s.Audit), Backfill: swap.Replace(s.Backfill), Correct: swap.Replace(s.Correct),
		Monitor: swap.Replace(s.Monitor), Down: swap.Replace(s.Down)}
	for _, up := range s.Up {
		out.Up = append(out.Up, swap.Replace(up))
	}
	return out
}

var createDatabase = regexp.MustCompile(`(?i)\bCREATE\s+DATABASE\b`)

// makesDatabase reports whether up/ makes the target's database itself.
func (s *Statements) makesDatabase() bool {
	return slices.ContainsFunc(s.Up, createDatabase.MatchString)
}

// Split cuts a script into its statements: at semicolons outside of quotes and
// comments. Pieces without a statement are left out.
func Split(script string) []string {
	var out []string
	var piece strings.Builder
	empty := true
	flush := func() {
		if !empty {
			out = append(out, strings.TrimSpace(piece.String()))
		}
		piece.Reset()
		empty = true
	}
	for i := 0; i < len(script); i++ {
		end := i
		switch c := script[i]; {
		case c == '\'' || c == '`' || c == '"':
			end, empty = closing(script, i), false
		case strings.HasPrefix(script[i:], "--"):
			end = i + len(script[i:])
			if n := strings.IndexByte(script[i:], '\n'); n >= 0 {
				end = i + n
			}
			end--
		case strings.HasPrefix(script[i:], "/*"):
			end = len(script) - 1
			if n := strings.Index(script[i:], "*/"); n >= 0 {
				end = i + n + 1
			}
		case c == ';':
			flush()
			continue
		case c != ' ' && c != '\n' && c != '\t' && c != '\r':
			empty = false
		}
		end = min(max(end, i), len(script)-1)
		piece.WriteString(script[i : end+1])
		i = end
	}
	flush()
	return out
}

// closing gives the index of the quote that closes the one at i.
func closing(s string, i int) int {
	quote := s[i]
	for i++; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == quote {
			return i
		}
	}
	return len(s) - 1
}

// one gives a script's only statement, without its semicolon.
func one(script string) string {
	if parts := Split(script); len(parts) > 0 {
		return parts[0]
	}
	return ""
}

// sourceTable gives the statement that makes the source as the document has it,
// on an engine that needs no cluster.
func sourceTable(d *designer.Design, database string) string {
	s := d.Source
	var columns []string
	for _, c := range s.Columns {
		columns = append(columns, ident(c.Name)+" "+c.Type)
	}
	engine := designer.ParseEngine(s.Engine)
	args := make([]string, len(engine.Args))
	for i, a := range engine.Args {
		args[i] = a
		if d.Source.Column(a) != nil {
			args[i] = ident(a)
		}
	}
	sql := "CREATE TABLE " + ident(database) + "." + ident(s.Table) + " (" + strings.Join(columns, ", ") + ") ENGINE = " + engine.Name
	if len(args) > 0 {
		sql += "(" + strings.Join(args, ", ") + ")"
	}
	if s.PartitionBy != "" {
		sql += " PARTITION BY " + keyText(d, s.PartitionBy)
	}
	entries := make([]string, len(s.OrderBy))
	for i, e := range s.OrderBy {
		entries[i] = keyText(d, e)
	}
	sql += " ORDER BY (" + strings.Join(entries, ", ") + ")"
	if len(entries) == 0 {
		sql = strings.TrimSuffix(sql, "()") + "tuple()"
	}
	return sql + " SETTINGS allow_nullable_key = 1, min_bytes_for_wide_part = 1000000000"
}

func keyText(d *designer.Design, entry string) string {
	if d.Source.Column(entry) != nil {
		return ident(entry)
	}
	return entry
}
