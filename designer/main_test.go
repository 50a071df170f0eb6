package designer_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/rollsmith/rollsmith/sandbox"
)

var engine *sandbox.Engine

func TestMain(m *testing.M) {
	sandbox.Child()
	e, err := sandbox.Start(context.Background(), sandbox.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	engine = e
	code := m.Run()
	e.Close()
	os.Exit(code)
}

// column gives the only column of a query's answer.
func column[T any](t *testing.T, sql string) []T {
	t.Helper()
	rows, err := engine.Conn().Query(t.Context(), sql)
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
