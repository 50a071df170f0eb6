package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/rollsmith/rollsmith/designer/hazard"
	"github.com/rollsmith/rollsmith/sandbox"
)

// startShop is a cluster with one view that is wrong and one that is right.
func startShop(t *testing.T) *sandbox.Engine {
	t.Helper()
	e, err := sandbox.Start(context.Background(), sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	for _, s := range []string{
		"CREATE DATABASE shop", "CREATE DATABASE web",
		"CREATE TABLE shop.orders (id UInt64, day Date, amount Decimal(18, 2), version UInt64) ENGINE = ReplacingMergeTree(version) ORDER BY id",
		"CREATE MATERIALIZED VIEW shop.revenue (day Date, revenue Decimal(38, 2)) ENGINE = SummingMergeTree ORDER BY day AS SELECT day, sum(amount) AS revenue FROM shop.orders GROUP BY day",
		"CREATE TABLE web.hits (day Date, path String) ENGINE = MergeTree ORDER BY day",
		"CREATE TABLE web.daily (day Date, hits UInt64) ENGINE = SummingMergeTree ORDER BY day",
		"CREATE MATERIALIZED VIEW web.daily_mv TO web.daily AS SELECT day, count() AS hits FROM web.hits GROUP BY day",
	} {
		if err := e.Conn().Exec(context.Background(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return e
}

func TestLintJudgesViewsAndQueries(t *testing.T) {
	dsn := startShop(t).DSN()
	query := filepath.Join(t.TempDir(), "read.sql")
	if err := os.WriteFile(query, []byte("SELECT day, hits FROM web.daily; SELECT day, sum(hits) FROM web.daily GROUP BY day"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, errs := rollsmith(t, "lint", dsn, "--json", "--query", query, "--feed", "web.hits=append")
	var report hazard.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	if status != exitNo {
		t.Errorf("status = %d, want %d", status, exitNo)
	}
	verdicts := map[string]hazard.Verdict{}
	for _, v := range report.Views {
		verdicts[v.View] = v.Verdict
	}
	if verdicts["shop.revenue"] != hazard.Wrong || verdicts["web.daily_mv"] != hazard.Right || len(verdicts) != 2 {
		t.Errorf("verdicts: %v", verdicts)
	}
	if len(report.Queries) != 2 || len(report.Queries[0].Findings) == 0 || len(report.Queries[1].Findings) != 0 {
		t.Errorf("queries: %+v", report.Queries)
	}
}

func TestLintOfOneDatabase(t *testing.T) {
	dsn := startShop(t).DSN()
	if status, out, errs := rollsmith(t, "lint", dsn, "web"); status != exitDone {
		t.Errorf("web: status %d: %s%s", status, out, errs)
	}
	for _, args := range [][]string{
		{"lint", dsn, "nowhere"}, {"lint", dsn, "--feed", "web.hits"}, {"lint", dsn, "--feed", "web.hits=often"}, {"lint", dsn, "--query", "/no/such.sql"}, {"lint"},
	} {
		if status, _, errs := rollsmith(t, args...); status != exitInput || errs == "" {
			t.Errorf("%v: status %d: %s", args[1:], status, errs)
		}
	}
	if status, _, _ := rollsmith(t, "lint", "clickhouse://127.0.0.1:1/"); status != exitFailure {
		t.Errorf("nobody listens: status %d", status)
	}
}
