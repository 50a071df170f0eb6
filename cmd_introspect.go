package main

import (
	"context"
	"fmt"
	"io"

	"github.com/rollsmith/rollsmith/cluster"
)

var introspectCommand = command{
	name:    "introspect",
	args:    "DSN DB.TABLE",
	summary: "read a table into a design's source, with the evidence for its feed",
	define: func(o *options) runner {
		o.asJSON() // it prints nothing else; scripts may ask all the same
		return func(ctx context.Context, c *console, args []string) error {
			return introspect(ctx, c, args[0], args[1])
		}
	},
}

// introspect prints {"source": …, "evidence": […]}: the first can be put into a
// design as it is. The evidence is told in words too.
func introspect(ctx context.Context, c *console, dsn, name string) error {
	database, table, err := cluster.ParseTableName(name)
	if err != nil {
		return err
	}
	from, err := openCluster(ctx, c.err, dsn)
	if err != nil {
		return err
	}
	defer from.Close()
	found, err := from.Introspect(ctx, database, table)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.err, "%s.%s is read as %s\n", found.Source.Database, found.Source.Table, found.Source.Feed)
	for _, e := range found.Evidence {
		fmt.Fprintf(c.err, "  %-6s  %s\n", e.Confidence, e.Text)
	}
	tellMissing(c.err, found.Missing)
	return printJSON(c.out, found)
}

// openCluster opens a DSN and says aloud what was assumed about it.
func openCluster(ctx context.Context, words io.Writer, dsn string) (*cluster.Cluster, error) {
	config, err := cluster.ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	for _, note := range config.Notes {
		fmt.Fprintln(words, note)
	}
	return cluster.Open(ctx, config)
}

func tellMissing(words io.Writer, missing []string) {
	for _, m := range missing {
		fmt.Fprintln(words, "  not known: "+m)
	}
}
