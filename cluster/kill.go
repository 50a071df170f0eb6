package cluster

import (
	"context"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// killLimit bounds the KILL, which may find the cluster gone.
const killLimit = 3 * time.Second

// kill ends a query that we no longer wait for, so that its connection can be
// used again. Cutting the line would end it over the native protocol only: over
// HTTP a query runs on, unless the account let us set
// cancel_http_readonly_queries_on_client_close. An account's own queries need no
// KILL grant.
func (c *Cluster) kill(queryID string) {
	if queryID == "" {
		return
	}
	c.late.Add(1)
	go func() {
		defer c.late.Done()
		ctx, cancel := context.WithTimeout(context.Background(), killLimit)
		defer cancel()
		ask := Ask{For: "cancel", SQL: "KILL QUERY WHERE query_id = " + literal(queryID) + " ASYNC"}
		run(ctx, c.killer, ask, clickhouse.Settings{}, func(Scanner) error { return nil })
	}()
}
