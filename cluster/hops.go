package cluster

import (
	"context"
	"fmt"
	"strings"
)

// mostHops bounds a chain of tables behind tables; a longer one is a mistake.
const mostHops = 5

// follow walks from a table to the one that holds the rows and notes each hop.
func (c *Cluster) follow(ctx context.Context, p *Profile, row tableRow) tableRow {
	for range mostHops {
		database, table, why := behind(row)
		if why == "" {
			break
		}
		if row.Engine == "Distributed" {
			e := row.engine()
			p.Cluster = e.Text(0)
			if len(e.Args) > 3 {
				p.ShardingKey = e.Args[3]
			}
		}
		if table == "" {
			p.Missing = append(p.Missing, why)
			break
		}
		if database == "" {
			database = row.Database
		}
		next, err := c.tableRow(ctx, database, table)
		if err != nil {
			p.Missing = append(p.Missing, tell(fmt.Sprintf("%s, which is behind %s", dotted(database, table), dotted(row.Database, row.Name)), err))
			break
		}
		p.Hops = append(p.Hops, Hop{Database: database, Table: table, Engine: next.engine().String(), Why: why})
		row = next
	}
	return row
}

// behind says which table stores the rows of this one, and why; where the table
// stores them itself, why is empty.
func behind(row tableRow) (database, table, why string) {
	e := row.engine()
	switch row.Engine {
	case "Distributed":
		return e.Text(1), e.Text(2), fmt.Sprintf("Distributed sends reads to the local table on every shard of cluster %s.", e.Text(0))
	case "Buffer":
		return e.Text(0), e.Text(1), "Buffer holds rows in memory before they reach the table behind it; views on that table see them only then."
	case "MaterializedView":
		v := View{Database: row.Database, Name: row.Name, Create: row.Create, UUID: row.UUID}
		v.complete()
		return v.TargetDatabase, v.TargetTable, "A materialized view stores its rows in its target."
	case "Null":
		return "", "", "The Null engine keeps no rows: its views see each block once, and nothing can be measured or backfilled from it."
	case "View", "LiveView", "WindowView":
		return "", "", "A view stores no rows; introspect the table that it reads."
	}
	if strings.HasSuffix(row.Engine, "Queue") || row.Engine == "Kafka" || row.Engine == "RabbitMQ" || row.Engine == "NATS" || row.Engine == "FileLog" {
		return "", "", row.Engine + " is a stream: reading it would consume it, so it is never read here. Look at the table that its view fills."
	}
	return "", "", ""
}
