package proof

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// startClock gives the moment at which a round begins.
func (r *round) startClock() int64 {
	if len(r.w.clocks) > 0 {
		return r.w.clocks[0]
	}
	return r.w.model.now.Unix()
}

// setClock moves the round's clock.
func (r *round) setClock(ctx context.Context, at int64) error {
	r.clock = max(r.clock, at)
	if !r.s.clock {
		return nil
	}
	return r.exec(ctx, clockSQL(r.source, r.clock))
}

func (r *round) do(ctx context.Context, a act) error {
	switch a.kind {
	case actUp:
		return r.up(ctx)
	case actInsert:
		if r.w.clocks != nil {
			if err := r.setClock(ctx, r.w.clocks[a.batch]); err != nil {
				return err
			}
		}
		r.arrived, r.inserts = append(r.arrived, r.batches[a.batch]...), r.inserts+1
		return r.insert(ctx, a.batch, nil)
	case actRetry:
		for _, e := range r.batches[a.batch] {
			if r.w.clocks != nil && !r.w.inTimeAt(e.values, r.clock) {
				return nil // too late for a repeat
			}
		}
		return r.insert(ctx, a.batch, settings{"insert_deduplication_token": fmt.Sprint("t", a.batch)})
	case actBackfill:
		if err := r.merges(ctx, "START"); err != nil {
			return err
		}
		if err := r.scripts(ctx, r.s.Backfill, r.w.writer); err != nil {
			return err
		}
		return r.merges(ctx, "STOP")
	case actMerge:
		return r.merge(ctx, "")
	case actFinal:
		return r.merge(ctx, " FINAL")
	case actReload:
		if r.restart != nil {
			return r.restart(r)
		}
		return r.reload(ctx)
	case actRefresh:
		return r.refresh(ctx)
	case actExpire:
		return r.expire(ctx)
	case actSettle:
		return r.setClock(ctx, r.w.end)
	}
	return nil
}

// up runs up/ and stops merges of what it made.
func (r *round) up(ctx context.Context) error {
	for _, step := range r.s.Up {
		if err := r.scripts(ctx, step, nil); err != nil {
			return err
		}
	}
	made, err := r.layout.of(ctx, r)
	if err != nil {
		return err
	}
	in := func(names []string) []string {
		out := make([]string, len(names))
		for i, name := range names {
			out[i] = ident(r.target) + "." + ident(name)
		}
		return out
	}
	r.tables, r.views, r.scheduled = in(made.tables), in(made.views), in(made.scheduled)
	for _, t := range r.tables {
		if err := r.exec(ctx, "SYSTEM STOP MERGES "+t); err != nil {
			return err
		}
	}
	return nil
}

// objects are the names of what up/ makes: tables that merge, views that inserts
// feed, views that a schedule refreshes.
type objects struct{ tables, views, scheduled []string }

// layout remembers them: they are the same in every round.
type layout struct {
	mu    sync.Mutex
	known *objects
}

func (l *layout) of(ctx context.Context, r *round) (*objects, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known != nil {
		return l.known, nil
	}
	made, err := r.made(ctx)
	if err == nil {
		l.known = made
	}
	return made, err
}

// made asks the engine what there is in the target's database.
func (r *round) made(ctx context.Context) (*objects, error) {
	rows, err := r.conn.Query(quietly(ctx), `SELECT name, engine, position(create_table_query, ' REFRESH ') > 0 FROM system.tables
		WHERE database = ? AND NOT (database = ? AND name IN (?, '`+clockTable+`')) AND engine != 'View' AND NOT startsWith(name, '.tmp') AND NOT startsWith(name, '_tmp_replace') ORDER BY name`,
		r.target, r.source, r.w.model.design.Source.Table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out objects
	for rows.Next() {
		var name, engine string
		var scheduled uint8
		if err := rows.Scan(&name, &engine, &scheduled); err != nil {
			return nil, err
		}
		switch {
		case engine == "MaterializedView" && scheduled == 1:
			out.scheduled = append(out.scheduled, name)
		case engine == "MaterializedView":
			out.views = append(out.views, name)
		case strings.HasSuffix(engine, "MergeTree") && !strings.HasPrefix(name, ".inner"):
			out.tables = append(out.tables, name)
		}
	}
	return &out, rows.Err()
}

// scripts runs the statements of a script one by one.
func (r *round) scripts(ctx context.Context, script string, with settings) error {
	for _, sql := range Split(script) {
		if err := r.conn.Exec(with.on(ctx, nil), sql); err != nil {
			return err
		}
	}
	return nil
}

// insert sends one insert of the workload; one without rows too.
func (r *round) insert(ctx context.Context, batch int, more settings) error {
	rows := r.batches[batch]
	if len(rows) == 0 {
		return r.conn.Exec(r.w.writer.on(ctx, more), "INSERT INTO "+r.sourceName()+" SELECT * FROM "+r.sourceName()+" WHERE 0")
	}
	return r.conn.Exec(r.w.writer.on(ctx, more), insertSQL(r.eval, r.sourceName(), rows))
}

// insertSQL gives the statement that inserts the rows.
func insertSQL(e *evaluator, table string, rows []row) string {
	var b strings.Builder
	b.WriteString("INSERT INTO " + table + " (")
	for i, c := range e.use {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(ident(e.model.design.Source.Columns[c].Name))
	}
	b.WriteString(") VALUES ")
	for i, row := range rows {
		if i > 0 {
			b.WriteString(", ")
		}
		e.tuple(&b, row.values)
	}
	return b.String()
}

// merge lets merges run and asks for one, of the source or the targets or both.
func (r *round) merge(ctx context.Context, final string) error {
	all := append([]string{r.sourceName()}, r.tables...)
	if final == "" {
		switch r.w.seed % 3 {
		case 0:
			all = all[:1]
		case 1:
			all = all[1:]
		}
	}
	for _, t := range all {
		for _, sql := range []string{"SYSTEM START MERGES " + t, "OPTIMIZE TABLE " + t + final, "SYSTEM STOP MERGES " + t} {
			if err := r.exec(ctx, sql); err != nil {
				return err
			}
		}
	}
	return nil
}

// reload takes the tables off and reads them from disk again, as a start of the
// server does.
func (r *round) reload(ctx context.Context) error {
	for _, verb := range []string{"DETACH", "ATTACH"} {
		for _, t := range append(append([]string{}, r.tables...), r.sourceName()) {
			if err := r.exec(ctx, verb+" TABLE "+t); err != nil {
				return err
			}
		}
	}
	return nil
}

// refresh runs the views that run on a schedule, and waits for them. One that
// another depends on comes first by its name.
func (r *round) refresh(ctx context.Context) error {
	for _, v := range r.scheduled {
		for _, verb := range []string{"REFRESH", "WAIT"} {
			if err := r.exec(ctx, "SYSTEM "+verb+" VIEW "+v); err != nil {
				return err
			}
		}
	}
	return nil
}

// expire lets the TTL of the targets take what is old.
func (r *round) expire(ctx context.Context) error {
	return r.merge(ctx, " FINAL")
}

// repair inserts rows that the views do not see, as a backfill of the source
// does, and corrects. Where the pattern has no correction, they are inserted
// plainly.
func (r *round) repair(ctx context.Context, a act) (*failure, error) {
	if len(Split(r.s.Correct)) == 0 || len(r.views)+len(r.scheduled) == 0 {
		return r.step(ctx, 0, act{kind: actInsert, batch: a.batch})
	}
	if r.s.clock { // seal everything, so that the rows come too late
		if err := r.setClock(ctx, r.w.end); err != nil {
			return nil, err
		}
		if err := r.refresh(ctx); err != nil {
			return complain("refresh", err)
		}
	}
	for _, v := range r.views {
		if err := r.exec(ctx, "DETACH TABLE "+v); err != nil {
			return nil, err
		}
	}
	r.arrived, r.inserts = append(r.arrived, r.batches[a.batch]...), r.inserts+1
	if err := r.insert(ctx, a.batch, nil); err != nil {
		return nil, err
	}
	for _, v := range r.views {
		if err := r.exec(ctx, "ATTACH TABLE "+v); err != nil {
			return nil, err
		}
	}
	if fail, err := r.auditSees(ctx); fail != nil || err != nil {
		return fail, err
	}
	if err := r.merges(ctx, "START"); err != nil {
		return nil, err
	}
	for _, sql := range Split(r.s.Correct) {
		in := clickhouse.Context(r.w.writer.on(ctx, nil), clickhouse.WithParameters(clickhouse.Parameters{
			"from": "1971-01-01 00:00:00", "to": "2105-12-01 00:00:00",
		}))
		if err := r.conn.Exec(in, sql); err != nil {
			if said, ok := refusal(err); ok {
				return &failure{complaint: "correct.sql: " + said}, nil
			}
			return nil, err
		}
	}
	if err := r.merges(ctx, "STOP"); err != nil {
		return nil, err
	}
	return r.check(ctx, a)
}

// merges stops the merges of source and targets, or lets them go on: mutations
// wait for that.
func (r *round) merges(ctx context.Context, verb string) error {
	for _, t := range append([]string{r.sourceName()}, r.tables...) {
		if err := r.exec(ctx, "SYSTEM "+verb+" MERGES "+t); err != nil {
			return err
		}
	}
	return nil
}
