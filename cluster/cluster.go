package cluster

import (
	"context"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/rollsmith/rollsmith/problem"
)

// Cluster is one ClickHouse that we may look at and never write to. It holds a
// small pool of connections and is safe for concurrent use.
type Cluster struct {
	config  Config
	conn    driver.Conn
	killer  driver.Conn   // apart, so that a full pool cannot stop a KILL
	slots   chan struct{} // one per pooled connection; the driver's own wait is its dial timeout
	allowed settingsOnce
	cache   cache
	late    sync.WaitGroup // cancellations still under way
}

// poolSize is how many statements of ours a cluster may see at once.
const poolSize = 4

// Open prepares a cluster without touching the network: one that is down opens
// all the same, and every call then says what is wrong. Only a config that
// cannot be used (a CA file that is missing) is an error here.
func Open(_ context.Context, c Config) (*Cluster, error) {
	if len(c.Addresses) == 0 {
		return nil, problem.Field("connection-address", "addresses", "", "The cluster has no address.", "Name at least one host:port.")
	}
	if c.Protocol == "" {
		c.Protocol = Native
	}
	options, err := c.options()
	if err != nil {
		return nil, err
	}
	options.DialStrategy = dialInOrder
	conn, err := clickhouse.Open(options)
	if err != nil {
		return nil, connectionProblem(c, err)
	}
	spare := *options
	spare.MaxOpenConns, spare.MaxIdleConns = 1, 1
	killer, err := clickhouse.Open(&spare)
	if err != nil {
		return nil, connectionProblem(c, err)
	}
	return &Cluster{config: c, conn: conn, killer: killer, slots: make(chan struct{}, poolSize), allowed: settingsOnce{turn: make(chan struct{}, 1)}}, nil
}

// OpenDSN is Open for a connection string.
func OpenDSN(ctx context.Context, dsn string) (*Cluster, error) {
	c, err := ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	return Open(ctx, c)
}

// Config gives what the cluster was opened with; its secrets print as ***.
func (c *Cluster) Config() Config { return c.config }

// Name is what the user calls the cluster.
func (c *Cluster) Name() string { return c.config.Name }

// Close waits a moment for cancellations that are under way, then lets the
// connections go.
func (c *Cluster) Close() error {
	done := make(chan struct{})
	go func() { c.late.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(killLimit):
	}
	err := c.conn.Close()
	if killErr := c.killer.Close(); err == nil {
		err = killErr
	}
	return err
}

// dialInOrder tries the addresses one after the other. It hides the deadline
// that the driver's pool adds: over HTTP the driver would turn it into a
// max_execution_time, which a readonly=1 account refuses.
func dialInOrder(ctx context.Context, _ int, options *clickhouse.Options, dial clickhouse.Dial) (r clickhouse.DialResult, err error) {
	for _, address := range options.Addr {
		if r, err = dial(untimed{ctx}, address, options); err == nil {
			return r, nil
		}
	}
	return r, err
}

// untimed is a context whose deadline cannot be seen; it still ends by it.
type untimed struct{ context.Context }

// Deadline reports none.
func (untimed) Deadline() (time.Time, bool) { return time.Time{}, false }
