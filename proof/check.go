package proof

import (
	"context"
	"fmt"
	"strings"
	"time"
)

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
	if len(r.wrong) > 0 {
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
