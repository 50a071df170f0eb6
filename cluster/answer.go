package cluster

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Rows collects an answer whose columns carry the names in T's `ch` tags.
func Rows[T any](ctx context.Context, on Asker, ask Ask) ([]T, Cost, error) {
	var all []T
	cost, err := on.Each(ctx, ask, func(row Scanner) error {
		var one T
		if err := row.ScanStruct(&one); err != nil {
			return fmt.Errorf("read a row for %s: %w", ask.For, err)
		}
		all = append(all, one)
		return nil
	})
	return all, cost, err
}

// Values collects an answer of one column.
func Values[T any](ctx context.Context, on Asker, ask Ask) ([]T, Cost, error) {
	var all []T
	cost, err := on.Each(ctx, ask, func(row Scanner) error {
		var one T
		if err := row.Scan(&one); err != nil {
			return fmt.Errorf("read a value for %s: %w", ask.For, err)
		}
		all = append(all, one)
		return nil
	})
	return all, cost, err
}

// newQueryID names a query so that the cluster's owner can find it and we can
// kill it: rollsmith-<purpose>-<random>.
func newQueryID(purpose string) string {
	var b [8]byte
	rand.Read(b[:]) // never fails, by its documentation
	word := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(purpose))
	return "rollsmith-" + strings.Trim(word[:min(len(word), 24)], "-") + "-" + hex.EncodeToString(b[:])
}

// comment is the log_comment: who asks, and for which page.
func comment(ask Ask) string {
	text, _ := json.Marshal(map[string]string{"tool": "rollsmith", "for": ask.For})
	return string(text)
}
