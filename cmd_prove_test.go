package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const shopDaily = "proof/testdata/daily.json"

func TestProveHolds(t *testing.T) {
	status, out, errs := rollsmith(t, "prove", shopDaily, "--rounds", "3", "--json")
	if status != exitDone {
		t.Fatalf("status %d\n%s%s", status, out, errs)
	}
	var got struct {
		OK             bool
		Pattern        string
		Rounds         int
		Checkpoints    []struct{ Round, Rows, Mismatches *int }
		Counterexample *struct{}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !got.OK || got.Pattern != "replacing" || got.Rounds != 3 || len(got.Checkpoints) < 3 || got.Checkpoints[0].Mismatches == nil || got.Counterexample != nil {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(errs, "a second") {
		t.Errorf("the speed is not told: %q", errs)
	}
}

func TestProveRefusesANamedPattern(t *testing.T) {
	status, out, errs := rollsmith(t, "prove", shopDaily, "--pattern", "summing")
	if status != exitInput || out != "" || !strings.Contains(errs, "updates-counted") {
		t.Errorf("status %d, out %q, err %q", status, out, errs)
	}
}

func TestProveForceShowsWhatBreaks(t *testing.T) {
	status, out, errs := rollsmith(t, "prove", shopDaily, "--pattern", "summing", "--force", "--json")
	if status != exitNo {
		t.Fatalf("status %d\n%s%s", status, out, errs)
	}
	var got struct {
		OK             bool
		Counterexample *struct {
			Seed   uint64
			Events []map[string]any
			Read   []map[string]any
			Truth  []map[string]any
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if c := got.Counterexample; got.OK || c == nil || c.Seed == 0 || len(c.Events) == 0 || len(c.Events) > 3 || c.Read == nil || c.Truth == nil {
		t.Errorf("%s", out)
	}
}

func TestProveStatementsWrittenByHand(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"01_totals.sql": "CREATE TABLE rollups.totals (day Date, country String, revenue Decimal(38, 2), orders UInt64, buyers UInt64) ENGINE = SummingMergeTree ORDER BY (day, country);\n" +
			"CREATE MATERIALIZED VIEW rollups.totals_mv TO rollups.totals AS SELECT toDate(created_at, 'UTC') AS day, country, sum(amount) AS revenue, count() AS orders, uniqExact(user_id) AS buyers FROM shop.orders WHERE status != 'test' GROUP BY day, country;",
		"query.sql": "SELECT day, country, sum(revenue) AS revenue, sum(orders) AS orders, sum(buyers) AS buyers FROM rollups.totals GROUP BY day, country ORDER BY day, country",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	status, out, errs := rollsmith(t, "prove", shopDaily, "--sql", dir, "--rounds", "10")
	if status != exitNo || !strings.Contains(out, "Counterexample for by hand") || !strings.Contains(out, "the view wrote to totals") {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
}

func TestProveMisuse(t *testing.T) {
	for _, args := range [][]string{
		{"prove"}, {"prove", shopDaily, "--rounds", "0"}, {"prove", shopDaily, "--seed", "0"},
		{"prove", shopDaily, "--force"}, {"prove", shopDaily, "--sql", "no-such-folder"},
		{"prove", shopDaily, "--sql", "proof", "--force"}, {"prove", shopDaily, "--pattern", "no-such"},
		{"prove", "no-such.json"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			status, out, errs := rollsmith(t, args...)
			if status != exitInput || out != "" || errs == "" {
				t.Errorf("status %d, out %q, err %q", status, out, errs)
			}
		})
	}
}
