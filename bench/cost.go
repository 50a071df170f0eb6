package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// Cost is what a read cost: the median, the least and the greatest of its runs,
// and what one of them read and held in memory.
type Cost struct {
	Median    time.Duration `json:"median"`
	Least     time.Duration `json:"least"`
	Greatest  time.Duration `json:"greatest"`
	ReadRows  uint64        `json:"read_rows"`
	ReadBytes uint64        `json:"read_bytes"`
	PeakBytes int64         `json:"peak_bytes"`
	CPU       time.Duration `json:"cpu"` // of the last run, all threads
}

// watched is one run of one statement.
type watched struct {
	took        time.Duration
	rows, bytes uint64
	peak        int64
	cpu         time.Duration
	result      uint64
}

// settings bound every statement and make its cost comparable.
func (b *bench) settings() clickhouse.Settings {
	return clickhouse.Settings{
		"max_threads": Threads, "max_insert_threads": 1, "max_memory_usage": b.limits.Memory, "max_execution_time": max(int(b.limits.Query.Seconds()), 1),
		"max_bytes_before_external_group_by": 0, "max_bytes_before_external_sort": 0, "max_bytes_ratio_before_external_group_by": 0, "max_bytes_ratio_before_external_sort": 0,
		"max_partitions_per_insert_block": 0, "use_query_cache": 0, "optimize_throw_if_noop": 0, "mutations_sync": 2,
		"use_query_condition_cache": 0, "log_comment": "rollsmith bench",
	}
}

// bounded gives a context under which statements keep to the limits.
func (b *bench) bounded(ctx context.Context) context.Context {
	return clickhouse.Context(ctx, clickhouse.WithSettings(b.settings()))
}

// watch runs a statement and gives what the server says of it. Rows of a result
// are counted and not kept.
func (b *bench) watch(ctx context.Context, sql string) (watched, error) {
	var w watched
	ctx, cancel := context.WithTimeout(ctx, b.limits.Query+5*time.Second)
	defer cancel()
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(b.settings()),
		clickhouse.WithProgress(func(p *clickhouse.Progress) { w.rows, w.bytes = w.rows+p.Rows, w.bytes+p.Bytes }),
		clickhouse.WithProfileEvents(func(events []clickhouse.ProfileEvent) {
			for _, e := range events {
				switch e.Name {
				case "MemoryTrackerPeakUsage":
					w.peak = max(w.peak, e.Value)
				case "UserTimeMicroseconds", "SystemTimeMicroseconds":
					w.cpu += time.Duration(e.Value) * time.Microsecond
				}
			}
		}))
	began := time.Now()
	if strings.HasPrefix(sql, "INSERT") {
		err := b.conn.Exec(ctx, sql)
		w.took = time.Since(began)
		return w, err
	}
	rows, err := b.conn.Query(ctx, strings.TrimRight(sql, ";\n"))
	if err != nil {
		return w, err
	}
	for rows.Next() {
		w.result++
	}
	w.took = time.Since(began)
	return w, errors.Join(rows.Err(), rows.Close())
}

// cost runs a read several times.
func (b *bench) cost(ctx context.Context, sql string) (Cost, error) {
	var c Cost
	var times []time.Duration
	for range max(b.limits.Runs, 1) {
		w, err := b.watch(ctx, sql)
		if err != nil {
			return c, err
		}
		times = append(times, w.took)
		c.ReadRows, c.ReadBytes, c.PeakBytes, c.CPU = w.rows, w.bytes, max(c.PeakBytes, w.peak), w.cpu
	}
	slices.Sort(times)
	c.Least, c.Median, c.Greatest = times[0], times[len(times)/2], times[len(times)-1]
	return c, nil
}

// count gives how many rows a query answers.
func (b *bench) count(ctx context.Context, sql string) (uint64, error) {
	w, err := b.watch(ctx, sql)
	return w.result, err
}

func (b *bench) exec(ctx context.Context, sql string) error {
	ctx, cancel := context.WithTimeout(ctx, b.limits.Query+5*time.Second)
	defer cancel()
	if err := b.conn.Exec(b.bounded(ctx), sql); err != nil {
		return fmt.Errorf("%s: %w", strings.TrimSpace(firstLine(sql)), err)
	}
	return nil
}

// clear removes what a candidate made, also when the bench was cancelled: its
// database goes anyway, so a failure is of no matter.
func (b *bench) clear(ctx context.Context, sql string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	_ = b.conn.Exec(ctx, sql)
}

func (b *bench) number(ctx context.Context, sql string) (uint64, error) {
	var n uint64
	err := b.conn.QueryRow(b.bounded(ctx), sql).Scan(&n)
	return n, err
}

func firstLine(s string) string {
	line, rest, more := strings.Cut(s, "\n")
	for more && strings.HasPrefix(line, "--") {
		line, rest, more = strings.Cut(rest, "\n")
	}
	return line[:min(len(line), 200)]
}

// said gives what the engine refused a statement for, in one line; empty where
// the engine itself is what failed.
func said(err error) string {
	var exception *clickhouse.Exception
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "It took longer than one statement may."
	case !errors.As(err, &exception):
		return ""
	case exception.Code == 241:
		return "It needed more memory than one statement may have."
	case exception.Code == 159 || exception.Code == 160:
		return "It took longer than one statement may."
	}
	return fmt.Sprintf("ClickHouse refused it: %s", firstLine(exception.Message))
}

// hide puts the user's own names in place of the scratch database's.
func (b *bench) hide(r *designer.Rollup) {
	target, source := ddl.Ident(b.db)+".", ddl.Table(b.db, b.lab.Source.Table)
	for i := range b.result.Candidates {
		c := &b.result.Candidates[i]
		c.SQL = strings.ReplaceAll(c.SQL, source, r.SourceTable())
		c.SQL = strings.ReplaceAll(c.SQL, target+"`"+b.lab.Target.Prefix, ddl.Ident(r.Target.Database)+".`"+r.Target.Prefix)
		c.Failed = strings.ReplaceAll(c.Failed, b.db+".", "")
	}
}
