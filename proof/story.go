package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/designer"
)

// Counterexample is the smallest history found for which a rollup answers
// wrongly, and what happened.
type Counterexample struct {
	Seed       uint64              `json:"seed"`
	Pattern    string              `json:"pattern"`
	Checkpoint string              `json:"checkpoint"`
	Events     []Event             `json:"events"`
	Read       []map[string]string `json:"read"`
	Truth      []map[string]string `json:"truth"`
	Mismatches []string            `json:"mismatches,omitempty"`
	// Complaint is what the engine said where it refused a statement.
	Complaint string `json:"complaint,omitempty"`
	// Steps are what was done, in order, beside and between the inserts.
	Steps  []string `json:"steps"`
	Reader string   `json:"reader_settings,omitempty"`
	Writer string   `json:"writer_settings,omitempty"`
	// SQL plays the source's part again anywhere.
	SQL []string `json:"sql"`
}

// Event is one row that arrived at the source.
type Event struct {
	Insert  int               `json:"insert"`
	Kind    string            `json:"kind"`
	Columns map[string]string `json:"columns"`
	Wrote   []Write           `json:"wrote,omitempty"`
	order   []string
}

// Write is a row that the views wrote to a target when the event's insert
// arrived. It stands at the last event of an insert.
type Write struct {
	Table string            `json:"table"`
	Row   map[string]string `json:"row"`
	order []string
}

// tell plays a workload once more and writes down what happens.
func (p *prover) tell(ctx context.Context, w *workload) (*Counterexample, error) {
	r := p.round(w, 0)
	var written [][]Write
	r.onWrite = func(_ int, a act) error {
		if a.kind != actInsert && a.kind != actRetry {
			_, err := r.writes(ctx)
			return err
		}
		rows, err := r.writes(ctx)
		written = append(written, rows)
		return err
	}
	fail, err := r.run(ctx)
	if err != nil {
		return nil, err
	}
	if fail == nil {
		return nil, fmt.Errorf("seed %d fails once and not again", w.seed)
	}
	c := &Counterexample{Seed: w.seed, Pattern: p.statements.Pattern, Checkpoint: fail.name, Events: []Event{},
		Read: append([]map[string]string{}, fail.read...), Truth: append([]map[string]string{}, fail.truth...),
		Complaint: fail.complaint, Reader: w.reader.String(), Writer: w.writer.String()}
	for _, m := range fail.mismatches {
		c.Mismatches = append(c.Mismatches, m.String())
	}
	design := p.original
	c.SQL = append(c.SQL, sourceTable(design, design.Source.Database)+";")
	n := 0
	for i, a := range w.script {
		if i > fail.step {
			break
		}
		step := a.name()
		if a.kind == actInsert && r.s.clock && a.batch < len(w.clocks) {
			step += " at " + time.Unix(w.clocks[a.batch], 0).UTC().Format("2006-01-02 15:04:05")
		}
		c.Steps = append(c.Steps, step)
		if a.kind != actInsert && a.kind != actRetry && a.kind != actRepair {
			continue
		}
		events := r.batches[a.batch]
		if len(events) > 0 {
			c.SQL = append(c.SQL, insertSQL(p.eval, ident(design.Source.Database)+"."+ident(design.Source.Table), events)+";")
		}
		for _, e := range events {
			c.Events = append(c.Events, p.event(e, a))
		}
		if n < len(written) && a.kind != actRepair {
			if len(events) > 0 {
				c.Events[len(c.Events)-1].Wrote = written[n]
			}
			n++
		}
	}
	return c, nil
}

// event shows a row by the columns that the design uses.
func (p *prover) event(e row, a act) Event {
	m := p.model
	out := Event{Insert: a.batch + 1, Kind: string(e.kind), Columns: map[string]string{}}
	if e.again || a.kind == actRetry {
		out.Kind += ", again"
	}
	if e.blank {
		out.Kind += " with defaults"
	}
	for _, c := range p.used {
		name := m.design.Source.Columns[c].Name
		out.Columns[name] = show(m.types[c], e.values[c])
		out.order = append(out.order, name)
	}
	return out
}

// usedColumns gives the columns that matter to a design, the key first.
func usedColumns(m *model) []int {
	out := slices.Clone(m.key)
	take := func(c int) {
		if c >= 0 && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	take(m.time)
	for _, e := range m.design.Expressions() {
		switch e.Role {
		case designer.RoleDimension, designer.RoleFilter, designer.RoleMetric, designer.RoleOrder, designer.RolePartition:
			for _, c := range m.columnsOf(e.Path) {
				take(c)
			}
		}
	}
	for _, c := range []int{m.mark, m.version, m.deleted, m.sign} {
		take(c)
	}
	return out
}

// writes reads the rows that came to the targets since it was last asked: those
// of new parts, as merges are stopped.
func (r *round) writes(ctx context.Context) ([]Write, error) {
	var out []Write
	for _, t := range r.tables {
		columns, err := r.finalised(ctx, t)
		if err != nil {
			return nil, err
		}
		rows, err := r.conn.Query(quietly(ctx), "SELECT _part, "+columns+" FROM "+t+" ORDER BY _part")
		if err != nil {
			return nil, err
		}
		got, err := read(rows)
		if err != nil {
			return nil, err
		}
		if r.partsSeen == nil {
			r.partsSeen = map[string]bool{}
		}
		fresh := map[string]bool{}
		for _, line := range got.rows {
			part := t + line[0].text
			if r.partsSeen[part] {
				continue
			}
			fresh[part] = true
			w := Write{Table: strings.ReplaceAll(strings.TrimPrefix(t, ident(r.target)+"."), "`", ""), Row: map[string]string{}, order: got.names[1:]}
			for i, v := range line[1:] {
				w.Row[got.names[i+1]] = v.text
			}
			out = append(out, w)
		}
		for part := range fresh {
			r.partsSeen[part] = true
		}
	}
	return out, nil
}

// finalised lists a table's columns, states as the values they stand for.
func (r *round) finalised(ctx context.Context, t string) (string, error) {
	rows, err := r.conn.Query(quietly(ctx), "SELECT name, type FROM system.columns WHERE database = ? AND concat('`', database, '`.`', table, '`') = ? ORDER BY position", r.target, t)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			return "", err
		}
		if strings.HasPrefix(kind, "AggregateFunction(") {
			out = append(out, fmt.Sprintf("toString(finalizeAggregation(%s)) AS %s", ident(name), ident(name)))
			continue
		}
		out = append(out, ident(name))
	}
	return strings.Join(out, ", "), rows.Err()
}

// Story tells a counterexample to a person.
func (c *Counterexample) Story() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Counterexample for %s (seed %d, %s)\n\n", c.Pattern, c.Seed, count(len(c.Events), "event"))
	for i, e := range c.Events {
		fmt.Fprintf(&b, "%d. insert %d, %s: %s\n", i+1, e.Insert, e.Kind, inOrder(e.Columns, e.order))
		for _, w := range e.Wrote {
			fmt.Fprintf(&b, "   the view wrote to %s: %s\n", w.Table, inOrder(w.Row, w.order))
		}
	}
	if len(c.Steps) > 0 {
		fmt.Fprintf(&b, "\ndone in order: %s\n", strings.Join(c.Steps, "; "))
	}
	for who, set := range map[string]string{"reader": c.Reader, "writer": c.Writer} {
		if set != "" {
			fmt.Fprintf(&b, "settings of the %s: %s\n", who, set)
		}
	}
	fmt.Fprintf(&b, "\nat %q\n", c.Checkpoint)
	if c.Complaint != "" {
		fmt.Fprintf(&b, "  %s\n", c.Complaint)
	}
	lines := func(what string, rows []map[string]string) {
		if len(rows) == 0 {
			fmt.Fprintf(&b, "  %s no rows\n", what)
		}
		for _, r := range rows {
			fmt.Fprintf(&b, "  %s %s\n", what, inOrder(r, nil))
		}
	}
	if c.Complaint == "" || len(c.Read)+len(c.Truth) > 0 {
		lines("read: ", c.Read)
		lines("truth:", c.Truth)
	}
	for _, m := range c.Mismatches {
		fmt.Fprintf(&b, "  %s\n", m)
	}
	return b.String()
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// inOrder writes a row as name = value.
func inOrder(row map[string]string, order []string) string {
	if order == nil {
		for name := range row {
			order = append(order, name)
		}
		slices.Sort(order)
	}
	parts := make([]string, 0, len(order))
	for _, name := range order {
		parts = append(parts, name+" = "+row[name])
	}
	return strings.Join(parts, ", ")
}
