// Package demo fills a ClickHouse with a small shop: one table for each way in
// which changes arrive, an awkwardly named one, and two views, one of them wrong.
package demo

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

//go:embed shop.sql
var shop string

// Seed makes the shop on an empty server; it takes a few seconds.
func Seed(ctx context.Context, conn driver.Conn) error {
	for _, statement := range statements(shop) {
		if err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("seed the shop: %.80s…: %w", statement, err)
		}
	}
	return nil
}

// statements splits the script at the semicolons that end a line, and drops
// lines that are only a comment.
func statements(script string) []string {
	var all []string
	for _, s := range strings.Split(script, ";\n") {
		var lines []string
		for _, line := range strings.Split(s, "\n") {
			if !strings.HasPrefix(strings.TrimSpace(line), "--") {
				lines = append(lines, line)
			}
		}
		if text := strings.TrimSpace(strings.Join(lines, "\n")); text != "" {
			all = append(all, text)
		}
	}
	return all
}
