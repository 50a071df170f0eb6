package cluster

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Ask is one statement for the door: what to run, for whom, within what.
type Ask struct {
	For    string         // the page or purpose, told to the server in log_comment
	SQL    string         // one SELECT or EXPLAIN
	Params map[string]any // values of {name:Type} parameters
	Limit  Limit          // bounds; the zero value is Page
}

// Limit bounds one statement. ClickHouse checks its side after whole blocks
// and per server, so a statement may overshoot a little.
type Limit struct {
	Time       time.Duration // after which the answer is given up
	ReadRows   uint64
	ReadBytes  uint64
	ResultRows uint64
	Memory     uint64
}

// Page bounds a look at system tables, so that a page stands within two seconds.
var Page = Limit{Time: 2 * time.Second, ReadRows: 50e6, ReadBytes: 4e9, ResultRows: 10_000, Memory: 2e9}

// Probe bounds a measurement on a user's table.
var Probe = Limit{Time: 10 * time.Second, ReadRows: 200e6, ReadBytes: 20e9, ResultRows: 10_000, Memory: 2e9}

// Cost is what an answer took; the server's counts are zero over HTTP, whose
// driver does not pass them on.
type Cost struct {
	QueryID   string
	Took      time.Duration
	ReadRows  uint64
	ReadBytes uint64
}

// Asker answers statements: a Cluster, or any driver connection by Through.
type Asker interface {
	// Each runs the statement and hands every row to scan, in order.
	Each(ctx context.Context, ask Ask, scan func(Scanner) error) (Cost, error)
}

// Scanner is one row of an answer.
type Scanner interface {
	Scan(dest ...any) error
	ScanStruct(dest any) error
}

// Each is the one door: every statement of ours on a connected cluster goes
// through here, read-only, bounded, named, and cancelled when ctx ends.
func (c *Cluster) Each(ctx context.Context, ask Ask, scan func(Scanner) error) (Cost, error) {
	if ask.Limit == (Limit{}) {
		ask.Limit = Page
	}
	ctx, cancel := context.WithTimeoutCause(ctx, ask.Limit.Time, errOutOfTime)
	defer cancel()
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return Cost{}, c.failure(ask, context.Cause(ctx))
	}
	settings, err := c.settingsFor(ctx, ask)
	if err != nil {
		return Cost{}, c.failure(ask, err)
	}
	cost, err := run(ctx, c.conn, ask, settings, scan)
	if err != nil && (ctx.Err() != nil || errors.Is(err, errTooManyRows)) {
		c.kill(cost.QueryID)
	}
	return cost, c.failure(ask, err)
}

// Through answers statements on a connection that is ours already, such as the
// sandbox's; for stands in for an empty Ask.For.
func Through(conn driver.Conn, purpose string) Asker { return through{conn, purpose} }

type through struct {
	conn    driver.Conn
	purpose string
}

func (t through) Each(ctx context.Context, ask Ask, scan func(Scanner) error) (Cost, error) {
	if ask.Limit == (Limit{}) {
		ask.Limit = Probe
	}
	if ask.For == "" {
		ask.For = t.purpose
	}
	ctx, cancel := context.WithTimeoutCause(ctx, ask.Limit.Time, errOutOfTime)
	defer cancel()
	cost, err := run(ctx, t.conn, ask, clickhouse.Settings{"log_comment": comment(ask)}, scan)
	return cost, serverProblem(ask, err)
}

var errOutOfTime = errors.New("out of time")

// grace is how long a query that nobody waits for any more may take to end by
// itself, once the server was asked to stop it. Only then is the line cut: that
// costs a connection.
const grace = time.Second

// run sends one statement and reads its answer. The driver may be deep in a
// handshake that no context reaches, so it works apart and is left behind when
// ctx ends.
func run(ctx context.Context, conn driver.Conn, ask Ask, settings clickhouse.Settings, scan func(Scanner) error) (Cost, error) {
	var readRows, readBytes atomic.Uint64
	id, began := newQueryID(ask.For), time.Now()
	inner, cut := context.WithCancel(context.WithoutCancel(ctx))
	inner = clickhouse.Context(inner, clickhouse.WithQueryID(id), clickhouse.WithSettings(settings),
		clickhouse.WithProgress(func(p *clickhouse.Progress) {
			readRows.Add(p.Rows)
			readBytes.Add(p.Bytes)
		}))
	var args []any
	for name, value := range ask.Params {
		args = append(args, clickhouse.Named(name, value))
	}
	r := &reader{scan: scan, most: ask.Limit.ResultRows, ended: make(chan error, 1)}
	go func() {
		defer cut()
		r.read(conn.Query(inner, ask.SQL, args...))
	}()
	var err error
	select {
	case err = <-r.ended:
	case <-ctx.Done():
		r.leave()
		err = context.Cause(ctx)
	}
	if err != nil {
		time.AfterFunc(grace, cut)
	}
	return Cost{id, time.Since(began), readRows.Load(), readBytes.Load()}, err
}

var errTooManyRows = errors.New("the answer has more rows than were asked for")

// reader hands rows to scan until somebody leaves, and swallows the rest.
type reader struct {
	mu    sync.Mutex
	left  bool
	scan  func(Scanner) error
	most  uint64
	ended chan error
}

func (r *reader) read(rows driver.Rows, err error) {
	if err != nil {
		r.ended <- err
		return
	}
	told := false
	for n := uint64(1); rows.Next(); n++ {
		if told {
			continue
		}
		if err := r.deliver(n, rows); err != nil {
			told = true
			r.ended <- err
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); !told {
		r.ended <- err
	}
}

// deliver scans one row, unless nobody wants it any more.
func (r *reader) deliver(n uint64, row Scanner) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.left:
		return context.Canceled
	case r.most > 0 && n > r.most:
		return errTooManyRows
	}
	return r.scan(row)
}

// leave makes sure that scan is not called again.
func (r *reader) leave() {
	r.mu.Lock()
	r.left = true
	r.mu.Unlock()
}
