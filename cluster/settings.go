package cluster

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// settingsOnce holds what this account may change, learnt with the first
// statement that reaches the server.
type settingsOnce struct {
	turn    chan struct{} // held by whoever asks; waiting for it ends with the caller's context
	known   atomic.Bool
	mode    int // the account's own readonly: 0, 1 or 2
	allowed map[string]setting
}

// setting is one setting's state for this account.
type setting struct {
	Name     string  `ch:"name"`
	Value    string  `ch:"value"`
	Readonly uint8   `ch:"readonly"`
	Min      *string `ch:"min"`
	Max      *string `ch:"max"`
}

// wanted lists every setting that the door may send.
var wanted = []string{"readonly", "allow_ddl", "max_execution_time", "timeout_overflow_mode", "max_rows_to_read",
	"max_bytes_to_read", "read_overflow_mode", "max_result_rows", "max_result_bytes", "result_overflow_mode", "max_memory_usage", "max_threads",
	"priority", "use_query_cache", "log_comment", "cancel_http_readonly_queries_on_client_close",
	"join_use_nulls", "aggregate_functions_null_for_empty", "final"}

// mostResultBytes bounds what one answer may weigh: ten thousand rows of DDL fit.
const mostResultBytes = 64 << 20

// Enforcement says who keeps our limits: the server, or only we ourselves.
type Enforcement struct {
	Readonly int      // the account's own readonly setting
	Sent     []string // settings the account lets us send
	Refused  []string // settings it does not; our own timers stand in
}

// learn asks once which settings may be changed. The question itself sends
// none, so that a readonly=1 account can answer it.
func (c *Cluster) learn(ctx context.Context) error {
	s := &c.allowed
	if s.known.Load() {
		return nil
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if s.known.Load() {
		return nil
	}
	ask := Ask{For: "settings", SQL: query("settings"), Params: map[string]any{"names": wanted}, Limit: Page}
	found := map[string]setting{}
	_, err := run(ctx, c.conn, ask, clickhouse.Settings{}, func(row Scanner) error {
		var one setting
		if err := row.ScanStruct(&one); err != nil {
			return err
		}
		found[one.Name] = one
		return nil
	})
	if err != nil {
		return fmt.Errorf("learn which settings may be changed: %w", err)
	}
	s.mode, _ = strconv.Atoi(found["readonly"].Value)
	s.allowed = found
	s.known.Store(true)
	return nil
}

// Enforcement tells who keeps the limits; it asks the server if nobody has yet.
func (c *Cluster) Enforcement(ctx context.Context) (Enforcement, error) {
	if err := c.learn(ctx); err != nil {
		return Enforcement{}, c.failure(Ask{For: "settings"}, err)
	}
	e := Enforcement{Readonly: c.allowed.mode}
	for _, name := range wanted {
		s, exists := c.allowed.allowed[name]
		switch {
		case !exists || name == "readonly":
		case s.Readonly != 0:
			e.Refused = append(e.Refused, name)
		default:
			e.Sent = append(e.Sent, name)
		}
	}
	return e, nil
}

// settingsFor gives the settings of one statement: what the door wants, less
// what the account may not change, held within its constraints.
func (c *Cluster) settingsFor(ctx context.Context, ask Ask) (clickhouse.Settings, error) {
	if err := c.learn(ctx); err != nil {
		return nil, err
	}
	l := ask.Limit
	want := map[string]any{
		"readonly": 2, "allow_ddl": 0,
		"max_execution_time": max(1, int((l.Time+time.Second-1)/time.Second)), "timeout_overflow_mode": "throw",
		"max_rows_to_read": l.ReadRows, "max_bytes_to_read": l.ReadBytes, "read_overflow_mode": "throw",
		"max_result_rows": l.ResultRows, "max_result_bytes": mostResultBytes, "result_overflow_mode": "throw",
		"max_memory_usage": l.Memory, "max_threads": 2, "priority": 10, "use_query_cache": 0,
		"log_comment": comment(ask), "cancel_http_readonly_queries_on_client_close": 1,
		"join_use_nulls": 0, "aggregate_functions_null_for_empty": 0, "final": 0,
	}
	send := clickhouse.Settings{}
	for name, value := range want {
		s, exists := c.allowed.allowed[name]
		if !exists || s.Readonly != 0 || (name == "readonly" && c.allowed.mode != 0) {
			continue
		}
		if n, isNumber := number(value); isNumber {
			send[name] = strconv.FormatUint(within(n, s.Min, s.Max), 10)
		} else {
			send[name] = value
		}
	}
	return send, nil
}

func number(v any) (uint64, bool) {
	switch n := v.(type) {
	case int:
		return uint64(n), true
	case uint64:
		return n, true
	}
	return 0, false
}

// within holds n between a profile's constraints, where it has any.
func within(n uint64, low, high *string) uint64 {
	if low != nil {
		if least, err := strconv.ParseUint(*low, 10, 64); err == nil && n < least {
			n = least
		}
	}
	if high != nil {
		if most, err := strconv.ParseUint(*high, 10, 64); err == nil && (n > most || n == 0) {
			n = most
		}
	}
	return n
}
