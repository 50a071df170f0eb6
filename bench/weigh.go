package bench

import (
	"context"
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/designer/ddl"
)

// Target is what a pattern keeps beside the source.
type Target struct {
	Rows  uint64 `json:"rows"`
	Parts uint64 `json:"parts"`
	Bytes uint64 `json:"bytes"` // on disk
	Raw   uint64 `json:"raw"`   // before compression
	// States is what the aggregate states of one row weigh, serialised; zero
	// where none is kept.
	States float64 `json:"states,omitempty"`
}

const partsSQL = "SELECT ifNull(sum(rows), 0) AS rows, count() AS parts, ifNull(sum(bytes_on_disk), 0) AS bytes, ifNull(sum(data_uncompressed_bytes), 0) AS raw FROM system.%s WHERE active AND database = %s AND table IN (%s)"

// weighSource learns what the merges have left of the source.
func (b *bench) weighSource(ctx context.Context) error {
	sql := fmt.Sprintf(partsSQL, "parts", ddl.Literal(b.db), ddl.Literal(b.lab.Source.Table))
	if err := b.conn.QueryRow(ctx, sql).Scan(&b.result.Stored, &b.result.Parts, &b.result.Bytes, &b.result.Raw); err != nil {
		return err
	}
	var err error
	b.result.Answers, err = b.count(ctx, b.lab.Truth().SQL())
	return err
}

// weigh learns what a pattern's targets hold.
func (b *bench) weigh(ctx context.Context, plan *ddl.Plan) (*Target, error) {
	t, table := &Target{}, "parts"
	var names []string
	for _, one := range b.tables(plan)[1:] {
		names = append(names, strings.ReplaceAll(strings.TrimPrefix(one, ddl.Ident(b.db)+"."), "`", "'"))
	}
	if len(names) == 0 { // it lives in the source's own parts
		table, names = "projection_parts", []string{ddl.Literal(b.lab.Source.Table)}
	}
	sql := fmt.Sprintf(partsSQL, table, ddl.Literal(b.db), strings.Join(names, ", "))
	if err := b.conn.QueryRow(ctx, sql).Scan(&t.Rows, &t.Parts, &t.Bytes, &t.Raw); err != nil {
		return nil, err
	}
	for _, one := range plan.Targets {
		name := strings.TrimPrefix(one.Table, b.db+".")
		bytes, err := b.stateBytes(ctx, name)
		if err != nil {
			return nil, err
		}
		t.States += bytes
	}
	return t, nil
}

// stateBytes gives what the states in one row of a table weigh on average.
func (b *bench) stateBytes(ctx context.Context, table string) (float64, error) {
	rows, err := b.conn.Query(ctx, "SELECT name FROM system.columns WHERE database = ? AND table = ? AND type LIKE 'AggregateFunction(%'", b.db, table)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var sizes []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return 0, err
		}
		sizes = append(sizes, fmt.Sprintf("length(hex(%s)) / 2", ddl.Ident(name)))
	}
	if err := rows.Err(); err != nil || len(sizes) == 0 {
		return 0, err
	}
	var bytes float64
	err = b.conn.QueryRow(ctx, fmt.Sprintf("SELECT ifNotFinite(avg(%s), 0) FROM %s", strings.Join(sizes, " + "), ddl.Table(b.db, table))).Scan(&bytes)
	return bytes, err
}
