package cluster

import (
	"context"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

const (
	// killAfter is how long the server gets to notice by itself that we left.
	killAfter = 500 * time.Millisecond
	// killLimit bounds the KILL, which may find the cluster gone.
	killLimit = 3 * time.Second
)

// kill ends a query that we no longer wait for. The native protocol cancels by
// closing the connection; over HTTP a query runs on, unless the account let us
// set cancel_http_readonly_queries_on_client_close, and the driver does not
// kill it. An account's own queries need no KILL grant.
func (c *Cluster) kill(queryID string) {
	if queryID == "" {
		return
	}
	c.late.Add(1)
	go func() {
		defer c.late.Done()
		time.Sleep(killAfter)
		ctx, cancel := context.WithTimeout(context.Background(), killLimit)
		defer cancel()
		ask := Ask{For: "cancel", SQL: "KILL QUERY WHERE query_id = " + literal(queryID) + " ASYNC"}
		run(ctx, c.killer, ask, clickhouse.Settings{}, func(Scanner) error { return nil })
	}()
}
