package cluster

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// BenchmarkCatalogue lists and searches a catalogue of 10,000 tables, 200,000
// columns and 2,000 views. Seeding it takes a minute or two, so it is not part
// of the tests. CLUSTER_BENCH_TABLES makes it smaller.
func BenchmarkCatalogue(b *testing.B) {
	tables := 10_000
	if text := os.Getenv("CLUSTER_BENCH_TABLES"); text != "" {
		fmt.Sscan(text, &tables)
	}
	db := scratch(b)
	columns := ""
	for i := range 18 {
		columns += fmt.Sprintf(", c%d String", i)
	}
	for i := range tables {
		do(b, db, fmt.Sprintf("CREATE TABLE DB.orders_%05d (id UInt64, v UInt64%s) ENGINE = ReplacingMergeTree(v) ORDER BY id", i, columns))
		if i > 0 && i%5 == 0 {
			do(b, db, fmt.Sprintf("CREATE MATERIALIZED VIEW DB.mv_%05d TO DB.orders_%05d AS SELECT id, v FROM DB.orders_%05d", i, i-1, i))
		}
	}
	c := as(b, "locked", Native)
	ctx := context.Background()
	steps := map[string]func() error{
		"databases":      func() error { _, err := c.Databases(ctx); return err },
		"first page":     func() error { _, err := c.Tables(ctx, Search{}); return err },
		"search":         func() error { _, err := c.Tables(ctx, Search{Text: "orders_01"}); return err },
		"by size":        func() error { _, err := c.Tables(ctx, Search{Sort: "bytes"}); return err },
		"views":          func() error { _, err := c.Views(ctx, Search{}); return err },
		"columns of one": func() error { _, err := c.Columns(ctx, db, "orders_00007"); return err },
	}
	for name, step := range steps {
		for _, cold := range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/cold=%t", name, cold), func(b *testing.B) {
				for b.Loop() {
					if cold {
						c.Forget()
					}
					if err := step(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
