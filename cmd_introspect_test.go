package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/rollsmith/rollsmith/cluster"
	"github.com/rollsmith/rollsmith/demo"
	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/sandbox"
)

// The shop that the demo shows has a table for each feed.
func TestLookingAtTheDemoShop(t *testing.T) {
	e, err := sandbox.Start(context.Background(), sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := demo.Seed(context.Background(), e.Conn()); err != nil {
		t.Fatal(err)
	}
	t.Run("introspect tells the feeds apart", func(t *testing.T) { introspectShop(t, e.DSN()) })
	t.Run("measure speaks in words and in JSON", func(t *testing.T) { measureShop(t, e.DSN()) })
	t.Run("both say what is wrong", func(t *testing.T) { lookWrongly(t, e.DSN()) })
}

func introspectShop(t *testing.T, dsn string) {
	for table, want := range map[string]designer.Source{
		"events":     {Feed: designer.Append},
		"orders":     {Feed: designer.Upsert, Version: "_version", Deleted: "_is_deleted", Tombstones: "defaults"},
		"payments":   {Feed: designer.Ledger, Version: "version", Deleted: "is_deleted"},
		"sessions":   {Feed: designer.Collapsing, Sign: "sign"},
		"device_log": {Feed: designer.AtLeastOnce},
	} {
		status, out, words := rollsmith(t, "introspect", dsn, "shop."+table)
		if status != exitDone {
			t.Fatalf("%s: exit %d: %s", table, status, words)
		}
		var found struct {
			Source   designer.Source    `json:"source"`
			Evidence []cluster.Evidence `json:"evidence"`
		}
		if err := json.Unmarshal([]byte(out), &found); err != nil {
			t.Fatalf("%s: %v in %s", table, err, out)
		}
		s := found.Source
		got := designer.Source{Feed: s.Feed, Version: s.Version, Deleted: s.Deleted, Sign: s.Sign, Tombstones: s.Tombstones}
		if got.Feed != want.Feed || got.Version != want.Version || got.Deleted != want.Deleted || got.Sign != want.Sign || got.Tombstones != want.Tombstones {
			t.Errorf("%s is read as %+v, want %+v", table, got, want)
		}
		if s.Table != table || len(s.Columns) == 0 || !strings.Contains(words, string(want.Feed)) || len(found.Evidence) == 0 {
			t.Errorf("%s: %s%s", table, words, out)
		}
	}
}

func measureShop(t *testing.T, dsn string) {
	status, out, words := rollsmith(t, "measure", dsn, "shop.orders")
	if status != exitDone || !strings.Contains(out, "confidence") || !strings.Contains(out, "status") {
		t.Errorf("exit %d: %s%s", status, words, out)
	}
	status, out, words = rollsmith(t, "measure", "--json", dsn, "shop.payments")
	var m cluster.Measurement
	if err := json.Unmarshal([]byte(out), &m); status != exitDone || err != nil || m.History == nil || m.History.Cancels == 0 || len(m.Findings) == 0 {
		t.Errorf("exit %d, %v: %s%s", status, err, words, out)
	}
}

func lookWrongly(t *testing.T, dsn string) {
	for name, f := range map[string]struct {
		args   []string
		status int
		says   string
	}{
		"no table":    {[]string{"introspect", dsn, "shop.nothing"}, exitInput, "no table shop.nothing"},
		"no dot":      {[]string{"introspect", dsn, "orders"}, exitInput, "database.table"},
		"no DSN":      {[]string{"introspect", "shop", "shop.orders"}, exitInput, "no scheme"},
		"nobody home": {[]string{"measure", "clickhouse://127.0.0.1:1", "shop.orders"}, exitFailure, "Nothing listens"},
		"a password":  {[]string{"introspect", "clickhouse://u:canary@127.0.0.1:1", "shop.orders"}, exitFailure, "Nothing listens"},
	} {
		status, out, words := rollsmith(t, f.args...)
		if status != f.status || !strings.Contains(words, f.says) || strings.Contains(words+out, "canary") {
			t.Errorf("%s: exit %d: %s", name, status, words)
		}
	}
}
