package proof

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Checkpoint is one comparison of what the rollup answers with the truth.
type Checkpoint struct {
	Round      int    `json:"round"`
	Name       string `json:"name"`
	Rows       int    `json:"rows"`
	Mismatches int    `json:"mismatches"`
}

// failure is a checkpoint that did not hold.
type failure struct {
	step       int // of the script
	name       string
	mismatches []mismatch
	complaint  string // what the engine said, or what else is wrong
	read       []map[string]string
	truth      []map[string]string
	events     int // how many inserts had arrived
}

// errTruths is an evaluator and a truth.sql that contradict each other: nothing
// is proved then.
var errTruths = errors.New("the two truths differ")

// round is one workload carried out on databases of its own.
type round struct {
	conn           driver.Conn
	eval           *evaluator
	w              *workload
	s              *Statements
	number         int
	source, target string
	batches        [][]row
	seen           map[string]lens
	arrived        []row
	inserts        int
	live           bool
	tables, views  []string // of the target, quoted; views that inserts feed
	scheduled      []string // views that a schedule refreshes
	folded         *truth
	foldedAt       int
	foldedSettled  bool
	checkpoints    []Checkpoint
	clock          int64
	wrong          map[string]string           // where set, wrong answers are noted per metric, and the round goes on
	restart        func(*round) error          // where set, does what actReload does
	onWrite        func(step int, a act) error // for the story: after each insert
	partsSeen      map[string]bool
}

// infraCodes are the engine's error codes that say nothing about the design:
// time, memory, disk, threads and network that ran out.
var infraCodes = map[int32]bool{
	159: true, 160: true, 173: true, 202: true, 209: true, 210: true, 236: true, 241: true,
	243: true, 394: true, 439: true, 74: true, 75: true, 1000: true, 1002: true,
}

// patience bounds the clearing up after a round.
const patience = 30 * time.Second

// roundPatience bounds a round, which takes a fraction of a second: one that
// takes this long is stuck, and proves nothing.
const roundPatience = 2 * time.Minute

// refusal tells what the engine said of a statement; ok is false where the
// engine itself failed, which proves nothing.
func refusal(err error) (string, bool) {
	var said *clickhouse.Exception
	if errors.As(err, &said) && !infraCodes[said.Code] {
		return said.Message, true
	}
	return "", false
}

// run carries the workload out. It gives the first checkpoint that does not
// hold, or nil. An error means that nothing was learned.
func (r *round) run(ctx context.Context) (*failure, error) {
	ctx, cancel := context.WithTimeout(ctx, roundPatience)
	defer cancel()
	defer r.clear()
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	for i, a := range r.w.script {
		fail, err := r.step(ctx, i, a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.name(), err)
		}
		if fail != nil {
			fail.step, fail.name, fail.events = i, a.name(), r.inserts
			return fail, nil
		}
	}
	return r.finish(ctx)
}

// prepare makes the events, learns what the expressions say of them, and makes
// the source.
func (r *round) prepare(ctx context.Context) error {
	r.batches = r.w.rows()
	events := flatten(r.batches, len(r.batches))
	r.seen = map[string]lens{}
	var ask [][]literal
	for _, e := range events {
		id := rowID(e.values)
		if _, ok := r.seen[id]; !ok {
			r.seen[id] = lens{}
			ask = append(ask, e.values)
		}
	}
	answers, err := r.eval.look(ctx, ask)
	if err != nil {
		return err
	}
	for i, values := range ask {
		r.seen[rowID(values)] = answers[i]
	}
	if err := r.w.model.legal(events, r.seen); err != nil {
		return fmt.Errorf("%w: %w", errIllegal, err)
	}
	for _, db := range unique(r.source, r.target) {
		if db == r.target && db != r.source && r.s.makesDatabase() {
			continue
		}
		if err := r.conn.Exec(ctx, "CREATE DATABASE "+ident(db)); err != nil {
			return err
		}
	}
	if err := r.conn.Exec(quietly(ctx), sourceTable(r.w.model.design, r.source)); err != nil {
		return fmt.Errorf("make the source: %w", err)
	}
	if r.s.clock {
		if err := r.exec(ctx, "CREATE TABLE "+ident(r.source)+"."+clockTable+" (at DateTime('UTC')) ENGINE = Memory"); err != nil {
			return err
		}
		if err := r.setClock(ctx, r.startClock()); err != nil {
			return err
		}
	}
	return r.exec(ctx, "SYSTEM STOP MERGES "+r.sourceName())
}

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

// errIllegal is a workload that the design does not allow.
var errIllegal = errors.New("the workload is not one the design allows")

func unique(a, b string) []string {
	if a == b {
		return []string{a}
	}
	return []string{a, b}
}

func (r *round) sourceName() string {
	return ident(r.source) + "." + ident(r.w.model.design.Source.Table)
}

func (r *round) exec(ctx context.Context, sql string) error {
	return r.conn.Exec(quietly(ctx), sql)
}

// step does one act and, once the rollup lives, compares.
func (r *round) step(ctx context.Context, i int, a act) (*failure, error) {
	if err := r.do(ctx, a); err != nil {
		if said, ok := refusal(err); ok {
			return &failure{complaint: said}, nil
		}
		return nil, err
	}
	if a.kind == actUp && !r.expects(actBackfill) || a.kind == actBackfill {
		r.live = true
	}
	if r.onWrite != nil {
		if err := r.onWrite(i, a); err != nil {
			return nil, err
		}
	}
	if !r.live || a.kind == actRepair {
		if a.kind == actRepair {
			return r.repair(ctx, a)
		}
		return nil, nil
	}
	if r.w.quiet && r.inserts < r.w.batches {
		return nil, nil
	}
	if a.kind == actAudit {
		return r.audit(ctx)
	}
	return r.check(ctx, a)
}

// expects reports whether the script still holds such an act.
func (r *round) expects(kind actKind) bool {
	for _, a := range r.w.script {
		if a.kind == kind {
			return true
		}
	}
	return false
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
	if err := r.scripts(ctx, strings.Join(r.s.Up, ";\n"), nil); err != nil {
		return err
	}
	rows, err := r.conn.Query(quietly(ctx), `SELECT name, engine, position(create_table_query, ' REFRESH ') > 0 FROM system.tables
		WHERE database = ? AND NOT (database = ? AND name IN (?, '`+clockTable+`')) AND engine != 'View' AND name NOT LIKE '.tmp%' ORDER BY name`,
		r.target, r.source, r.w.model.design.Source.Table)
	if err != nil {
		return err
	}
	defer rows.Close()
	r.tables, r.views, r.scheduled = nil, nil, nil
	for rows.Next() {
		var name, engine string
		var scheduled uint8
		if err := rows.Scan(&name, &engine, &scheduled); err != nil {
			return err
		}
		full := ident(r.target) + "." + ident(name)
		switch {
		case engine == "MaterializedView" && scheduled == 1:
			r.scheduled = append(r.scheduled, full)
		case engine == "MaterializedView":
			r.views = append(r.views, full)
		case strings.HasSuffix(engine, "MergeTree"):
			r.tables = append(r.tables, full)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, t := range r.tables {
		if err := r.exec(ctx, "SYSTEM STOP MERGES "+t); err != nil {
			return err
		}
	}
	return nil
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

// refreshTries bounds how often a stale answer is asked for again: SYSTEM WAIT
// VIEW may return before the refresh that was asked for has begun, and what it
// waited for may be an earlier one.
const refreshTries = 8

// mayBeStale reports whether the design allows the answer to be older than the
// last insert.
func (r *round) mayBeStale() bool {
	return r.w.model.design.Freshness != "insert" && len(r.scheduled) > 0
}

// freshen refreshes where an answer may be stale.
func (r *round) freshen(ctx context.Context) error {
	if !r.mayBeStale() {
		return nil
	}
	return r.refresh(ctx)
}

// retryRefresh waits a little longer each time, and refreshes.
func (r *round) retryRefresh(ctx context.Context, try int) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(try) * 20 * time.Millisecond):
	}
	return r.refresh(ctx)
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
			"from": "1970-01-01 00:00:00", "to": "2106-01-01 00:00:00",
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

// auditSees reports an audit that is blind: it must find rows exactly when the
// answer is wrong.
func (r *round) auditSees(ctx context.Context) (*failure, error) {
	if one(r.s.Audit) == "" {
		return nil, nil
	}
	want, settled, err := r.truth()
	if err != nil || !settled {
		return nil, err
	}
	got, err := r.query(ctx, r.s.Query)
	if err != nil {
		return complain("query.sql", err)
	}
	found, err := r.query(ctx, r.s.Audit)
	if err != nil {
		return complain("audit.sql", err)
	}
	wrong := len(want.differences(r.w.model.design, got)) > 0
	if wrong && len(found.rows) == 0 {
		return &failure{complaint: "audit.sql finds nothing although the answer is wrong", read: got.plain(), truth: want.plain(r.w.model.design)}, nil
	}
	return nil, nil
}

func complain(what string, err error) (*failure, error) {
	if said, ok := refusal(err); ok {
		return &failure{complaint: what + ": " + said}, nil
	}
	return nil, err
}

// query asks as the round's reader does.
func (r *round) query(ctx context.Context, script string) (*table, error) {
	rows, err := r.conn.Query(r.w.reader.on(ctx, nil), one(script))
	if err != nil {
		return nil, err
	}
	return read(rows)
}

// truth folds what has arrived, once per state of the history.
func (r *round) truth() (*truth, bool, error) {
	if r.folded != nil && r.foldedAt == len(r.arrived) {
		return r.folded, r.foldedSettled, nil
	}
	alive, settled := r.w.model.standing(r.arrived)
	t, err := r.eval.fold(alive, r.seen)
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", errTruths, err)
	}
	r.folded, r.foldedAt, r.foldedSettled = t, len(r.arrived), settled
	return t, settled, nil
}

// check is a checkpoint: the read against the truth.
func (r *round) check(ctx context.Context, a act) (*failure, error) {
	d := r.w.model.design
	want, settled, err := r.truth()
	if err != nil || !settled {
		return nil, err
	}
	if err := r.freshen(ctx); err != nil {
		return complain("refresh", err)
	}
	var got *table
	var wrong []mismatch
	for try := range refreshTries {
		if got, err = r.query(ctx, r.s.Query); err != nil {
			return complain("query.sql", err)
		}
		if fail := r.shape(got); fail != nil {
			return fail, nil
		}
		wrong = want.differences(d, got)
		if len(wrong) == 0 || !r.mayBeStale() {
			break
		}
		if err := r.retryRefresh(ctx, try); err != nil {
			return complain("refresh", err)
		}
	}
	r.checkpoints = append(r.checkpoints, Checkpoint{r.number, a.name(), len(got.rows), len(wrong)})
	if len(wrong) == 0 {
		return nil, nil
	}
	if err := r.believe(ctx, want); err != nil {
		return nil, err
	}
	if r.wrong != nil {
		r.note(wrong, a.name())
		return nil, nil
	}
	return &failure{mismatches: wrong, read: got.plain(), truth: want.plain(d)}, nil
}

// note keeps the first checkpoint at which each metric was wrong. A grain that
// is missing or should not be there is wrong in all of them.
func (r *round) note(wrong []mismatch, checkpoint string) {
	for _, m := range r.w.model.design.Metrics {
		for _, x := range wrong {
			if _, known := r.wrong[m.Name]; !known && (x.metric == m.Name || x.metric == "") {
				r.wrong[m.Name] = checkpoint
			}
		}
	}
}

// shape checks the names of an answer's columns.
func (r *round) shape(got *table) *failure {
	d := r.w.model.design
	var want []string
	if d.Grain.Time != nil {
		want = append(want, d.Grain.Time.Name)
	}
	for _, x := range d.Grain.Dimensions {
		want = append(want, x.Name)
	}
	for _, m := range d.Metrics {
		want = append(want, m.Name)
	}
	if strings.Join(want, "\x00") != strings.Join(got.names, "\x00") {
		return &failure{complaint: fmt.Sprintf("query.sql answers with the columns %s instead of %s", strings.Join(got.names, ", "), strings.Join(want, ", "))}
	}
	return nil
}

// believe holds the evaluator's truth against truth.sql: only together are they
// believed.
func (r *round) believe(ctx context.Context, want *truth) error {
	got, err := r.query(ctx, r.s.Truth)
	if err != nil {
		return fmt.Errorf("truth.sql: %w", err)
	}
	if wrong := want.differences(r.w.model.design, got); len(wrong) > 0 {
		return fmt.Errorf("%w in round %d (seed %d): %s", errTruths, r.number, r.w.seed, wrong[0])
	}
	return nil
}

// audit expects audit.sql to find nothing where the answer is right.
func (r *round) audit(ctx context.Context) (*failure, error) {
	if one(r.s.Audit) == "" {
		return nil, nil
	}
	_, settled, err := r.truth()
	if err != nil || !settled {
		return nil, err
	}
	if err := r.freshen(ctx); err != nil {
		return complain("refresh", err)
	}
	found, err := r.query(ctx, r.s.Audit)
	if err != nil {
		return complain("audit.sql", err)
	}
	r.checkpoints = append(r.checkpoints, Checkpoint{r.number, "audit", len(found.rows), len(found.rows)})
	if r.wrong != nil && len(r.wrong) > 0 {
		return nil, nil // it may well find something
	}
	if len(found.rows) > 0 {
		// The answer was right a moment ago: audit.sql cries wolf.
		return &failure{complaint: "audit.sql finds rows although the answer is right", read: found.plain()}, nil
	}
	return nil, nil
}

// finish compares the two truths once more and takes the rollup down.
func (r *round) finish(ctx context.Context) (*failure, error) {
	want, settled, err := r.truth()
	if err != nil {
		return nil, err
	}
	if settled {
		if err := r.believe(ctx, want); err != nil {
			return nil, err
		}
	}
	if strings.TrimSpace(r.s.Down) == "" {
		return nil, nil
	}
	if err := r.merges(ctx, "START"); err != nil {
		return nil, err
	}
	if err := r.scripts(ctx, r.s.Down, nil); err != nil {
		fail, err := complain("down.sql", err)
		return r.last(fail), err
	}
	rows, err := r.conn.Query(quietly(ctx), "SELECT database, name FROM system.tables WHERE database IN (?, ?) AND name != '"+clockTable+"' ORDER BY database, name", r.source, r.target)
	if err != nil {
		return nil, err
	}
	left, err := read(rows)
	if err != nil {
		return nil, err
	}
	r.checkpoints = append(r.checkpoints, Checkpoint{r.number, "down", 0, len(left.rows) - 1})
	if len(left.rows) != 1 {
		return r.last(&failure{complaint: fmt.Sprintf("down.sql does not leave the source alone: %v", left.plain())}), nil
	}
	return nil, nil
}

func (r *round) last(f *failure) *failure {
	if f != nil {
		f.step, f.name, f.events = len(r.w.script), "down", r.inserts
	}
	return f
}

// clear drops the round's databases, also when the caller's context has ended.
func (r *round) clear() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, db := range unique(r.target, r.source) {
		_ = r.exec(ctx, "DROP DATABASE IF EXISTS "+ident(db)+" SYNC")
	}
}
