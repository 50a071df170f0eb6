package bench

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/proof"
)

// Insert is what bringing the rows in cost, per million of them.
type Insert struct {
	PerMillion time.Duration `json:"per_million"`
	PeakBytes  int64         `json:"peak_bytes"`
	// CPU is the processor time of the same, all threads: it does not depend on
	// what else runs here.
	CPU time.Duration `json:"cpu"`
	// Refresh is what one run of the scheduled views took, where there are any:
	// it comes again with every run, whether or not rows came in.
	Refresh time.Duration `json:"refresh,omitempty"`
}

// load makes the source anew, with a plan's targets and views where one is given,
// and inserts all rows: the first inserts are merged, the last ones are not.
func (b *bench) load(ctx context.Context, plan *ddl.Plan) (Insert, error) {
	source := b.lab.SourceTable()
	for _, sql := range []string{"DROP TABLE IF EXISTS " + source + " SYNC", createSource(b.lab.Source)} {
		if err := b.exec(ctx, sql); err != nil {
			return Insert{}, err
		}
	}
	if plan != nil {
		for _, s := range plan.Up {
			if err := b.exec(ctx, s.SQL); err != nil {
				return Insert{}, err
			}
		}
	}
	tables := b.tables(plan)
	if err := b.each(ctx, tables, "SYSTEM STOP MERGES %s"); err != nil {
		return Insert{}, err
	}
	var spent, cpu time.Duration
	var peak int64
	for i := range batches {
		cost, err := b.watch(ctx, b.insert(i))
		if err != nil {
			return Insert{}, err
		}
		spent, cpu, peak = spent+cost.took, cpu+cost.cpu, max(peak, cost.peak)
		if i == merged-1 {
			for _, do := range []string{"SYSTEM START MERGES %s", "OPTIMIZE TABLE %s FINAL", "SYSTEM STOP MERGES %s"} {
				if err := b.each(ctx, tables, do); err != nil {
					return Insert{}, err
				}
			}
		}
	}
	var refresh time.Duration
	if plan != nil {
		var err error
		if refresh, err = b.refresh(ctx, plan); err != nil {
			return Insert{}, err
		}
	}
	perMillion := func(d time.Duration) time.Duration { return d * 1_000_000 / time.Duration(max(b.result.Rows, 1)) }
	return Insert{PerMillion: perMillion(spent), CPU: perMillion(cpu), PeakBytes: peak, Refresh: refresh}, nil
}

// insert brings in the rows of the i-th insert, in the order of their coming.
func (b *bench) insert(i int) string {
	var columns []string
	for _, c := range b.lab.Source.Columns {
		columns = append(columns, ddl.Ident(c.Name))
	}
	list, inner := strings.Join(columns, ", "), func(n string) string { return ddl.Ident(b.lab.Inner(n)) }
	return fmt.Sprintf("INSERT INTO %s (%s) SELECT %[2]s FROM %s WHERE %s = %d ORDER BY %s, %s",
		b.lab.SourceTable(), list, b.arrivals(), inner("batch"), i, inner("step"), inner("entity"))
}

// refresh runs scheduled views once and then stops them: their next run would
// fall into the measurement. It gives the time that the run took.
func (b *bench) refresh(ctx context.Context, plan *ddl.Plan) (time.Duration, error) {
	var scheduled []string
	for _, s := range plan.Up {
		if view, ok := strings.CutPrefix(s.Undo, "DROP VIEW IF EXISTS "); ok && strings.Contains(s.SQL, "\nREFRESH ") {
			scheduled = append(scheduled, view)
		}
	}
	if len(scheduled) == 0 {
		return 0, nil
	}
	began := time.Now()
	for _, sql := range proof.Split(plan.Backfill) {
		if err := b.exec(ctx, sql); err != nil {
			return 0, err
		}
	}
	took := time.Since(began)
	return took, b.each(ctx, scheduled, "SYSTEM STOP VIEW %s")
}

// tables gives the source and the tables that a plan creates, quoted.
func (b *bench) tables(plan *ddl.Plan) []string {
	out := []string{b.lab.SourceTable()}
	if plan == nil {
		return out
	}
	for _, s := range plan.Up {
		if table, ok := strings.CutPrefix(s.Undo, "DROP TABLE IF EXISTS "); ok {
			out = append(out, strings.TrimSuffix(table, " SYNC"))
		}
	}
	return out
}

func (b *bench) each(ctx context.Context, tables []string, format string) error {
	for _, t := range tables {
		if err := b.exec(ctx, fmt.Sprintf(format, t)); err != nil {
			return err
		}
	}
	return nil
}

// createSource writes a table of the source's shape.
func createSource(s designer.Source) string {
	var columns []string
	for _, c := range s.Columns {
		columns = append(columns, "    "+ddl.Ident(c.Name)+" "+c.Type)
	}
	e := designer.ParseEngine(s.Engine)
	if !strings.HasSuffix(e.Name, "MergeTree") {
		e = designer.Engine{Name: "MergeTree"}
	}
	sql := fmt.Sprintf("CREATE TABLE %s\n(\n%s\n)\nENGINE = %s(%s)", ddl.Table(s.Database, s.Table), strings.Join(columns, ",\n"), e.Name, strings.Join(named(s, e.Args), ", "))
	if s.PartitionBy != "" {
		sql += "\nPARTITION BY " + named(s, []string{s.PartitionBy})[0]
	}
	return sql + "\nORDER BY (" + strings.Join(named(s, s.OrderBy), ", ") + ")\nSETTINGS allow_nullable_key = 1, parts_to_throw_insert = 100000, parts_to_delay_insert = 100000, max_parts_in_total = 1000000"
}

// named quotes what is exactly a column.
func named(s designer.Source, exprs []string) []string {
	out := make([]string, len(exprs))
	for i, e := range exprs {
		if out[i] = e; s.Column(e) != nil {
			out[i] = ddl.Ident(e)
		}
	}
	return out
}
