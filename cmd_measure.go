package main

import (
	"context"
	"fmt"

	"github.com/rollsmith/rollsmith/cluster"
)

var measureCommand = command{
	name:    "measure",
	args:    "DSN DB.TABLE",
	summary: "measure what changes, repeats and spreads in a table, by bounded reads",
	define: func(o *options) runner {
		asJSON := o.asJSON()
		return func(ctx context.Context, c *console, args []string) error {
			return measure(ctx, c, args[0], args[1], *asJSON)
		}
	},
}

func measure(ctx context.Context, c *console, dsn, name string, asJSON bool) error {
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
	fmt.Fprintf(c.err, "%s.%s is measured as %s\n", found.Source.Database, found.Source.Table, found.Source.Feed)
	m, err := from.Measure(ctx, found.Source)
	if err != nil {
		return err
	}
	m.Missing = append(found.Missing, m.Missing...)
	if asJSON {
		return printJSON(c.out, m)
	}
	for _, f := range m.Findings {
		fmt.Fprintf(c.out, "%s\n", f.Text)
		if f.Means != "" {
			fmt.Fprintf(c.out, "    %s\n", f.Means)
		}
		fmt.Fprintf(c.out, "    %s confidence, %s, in %s\n", f.Basis.Confidence, f.Basis.Sample, f.Basis.Took)
	}
	if m.Duplicates != nil {
		fmt.Fprintf(c.out, "\nrows per distinct entity, by %s:\n", m.Duplicates.By)
		for _, b := range m.Duplicates.Buckets {
			fmt.Fprintf(c.out, "    %-22s %12d rows  %.4f\n", b.Label, b.Rows, b.Factor)
		}
	}
	tellMissing(c.out, m.Missing)
	return nil
}
