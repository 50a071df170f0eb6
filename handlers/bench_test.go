package handlers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// ordersByDay is a design that a person could have typed.
const ordersByDay = `{"format": 1, "name": "orders <em>by</em> \"day\"",
	"source": {"database": "shop", "table": "orders", "engine": "ReplacingMergeTree(_version, _is_deleted)", "order_by": ["id"], "partition_by": "toYYYYMM(created_at)",
		"columns": [{"name": "id", "type": "UInt64"}, {"name": "user_id", "type": "UInt64"}, {"name": "created_at", "type": "DateTime('UTC')"}, {"name": "country", "type": "LowCardinality(String)"},
			{"name": "status", "type": "LowCardinality(String)"}, {"name": "amount", "type": "Decimal(18, 2)"}, {"name": "_version", "type": "UInt64"}, {"name": "_is_deleted", "type": "UInt8"}],
		"feed": "upsert", "key": ["id"], "version": "_version", "deleted": "_is_deleted", "tombstones": "unknown"},
	"filter": "status != 'test'",
	"grain": {"time": {"name": "day", "column": "created_at", "bucket": "1 day", "timezone": "UTC"}, "dimensions": [{"name": "country", "expr": "country"}]},
	"metrics": [{"name": "revenue", "kind": "sum", "expr": "amount"}, {"name": "buyers", "kind": "count_distinct", "expr": "user_id", "exact": true}],
	"stability": {"time": "stable", "filter": "mutable", "dimensions": {"country": "mutable"}}, "freshness": "insert", "target": {"database": "shop", "prefix": "orders_by_day"}}`

// pasted saves a document as a design of a cluster and gives its address.
func (s *site) pasted(document, cluster string) string {
	s.t.Helper()
	choice := s.post("/designs/paste", "document", document, "cluster", cluster)
	if noted := strings.Contains(s.get(choice), "Perhaps do not build this"); noted != (cluster != "") {
		s.t.Errorf("%s: says not to build it: %v", choice, noted)
	}
	draft := strings.TrimSuffix(choice, "/choice")
	return s.post(draft+"/save", "pattern", "auto")
}

// ended reads a bench's page until nothing runs on it.
func (s *site) ended(at string) string {
	s.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		page := s.get(at)
		if !strings.Contains(page, at+"/cancel") {
			return page
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%s does not end:\n%s", at, text(page))
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func TestABenchShowsWhatEachCandidateCosts(t *testing.T) {
	s := opened(t)
	design := s.pasted(ordersByDay, "demo")
	at := design + "/r/1/bench"
	if page := s.get(design); !strings.Contains(page, at+`"`) {
		t.Error("the design does not lead to its bench")
	}
	if page := text(s.get(at)); !strings.Contains(page, "Not estimated yet") || !strings.Contains(page, "Measure") {
		t.Errorf("the page before anything was measured:\n%s", page)
	}
	refused := s.do("POST", at, form("entities", "9000000", "versions", "3", "groups", "10", "seed", "1"))
	if refused.status != http.StatusUnprocessableEntity || !strings.Contains(text(refused.body), "between 1000 and 5000000") || !strings.Contains(refused.body, `value="9000000"`) {
		t.Errorf("too many entities: %d\n%s", refused.status, clip(text(refused.body)))
	}
	if to := s.post(at+"/grains", "estimate", "1"); !strings.HasPrefix(to, at) {
		t.Errorf("an estimate leads to %s", to)
	}
	if to := s.post(at, "entities", "2000", "versions", "2", "groups", "20", "seed", "7"); to != at {
		t.Errorf("a bench leads to %s", to)
	}
	page := s.ended(at)
	says := text(page)
	for _, want := range []string{"Measured here, on", "seed 7, 2 threads, ClickHouse", "FINAL, partition by partition", "argMax", "LIMIT 1 BY", "IN (subquery", "replacing",
		"What others measured", "Altinity", "How far the estimate was off", "one row for each id", "do-not-build"} {
		if !strings.Contains(says, want) {
			t.Errorf("the result lacks %q", want)
		}
	}
	if strings.Contains(page, "scratch_") {
		t.Error("the result names a scratch database")
	}
	if design := text(s.get(design)); !strings.Contains(design, "Perhaps do not build this") || !strings.Contains(design, "this design") {
		t.Error("the design's page lacks the estimate and its verdict")
	}

	b := chromium(t)
	b.size(390, 844, "light")
	b.do("open", chromedp.Navigate(s.url+at), chromedp.WaitVisible("#table"))
	if wide := ask[int](b, "document.documentElement.scrollWidth"); wide > 390 {
		t.Errorf("at 390 pixels the page is %d wide", wide)
	}
	b.quiet()
}

func TestABenchCanBeCancelled(t *testing.T) {
	s := opened(t)
	at := s.pasted(ordersByDay, "") + "/r/1/bench"
	s.post(at, "entities", "1000000", "versions", "3", "groups", "100", "seed", "1")
	if page := s.get(at); !strings.Contains(page, at+"/cancel") {
		t.Fatalf("nothing runs:\n%s", text(page))
	}
	s.post(at, "entities", "1000", "versions", "1", "groups", "1", "seed", "1") // a second click finds the first at work
	s.post(at+"/cancel", "cancel", "1")
	if page := text(s.ended(at)); !strings.Contains(page, "was cancelled") || strings.Contains(page, "Measured here") {
		t.Errorf("after it was cancelled:\n%s", page)
	}
}

// TestGrainsAreWeighedWithoutACluster falls back on the sandbox.
func TestGrainsAreWeighedWithoutACluster(t *testing.T) {
	s := opened(t)
	at := s.pasted(ordersByDay, "") + "/r/1/bench"
	s.post(at+"/grains", "estimate", "1")
	if page := text(s.get(at)); !strings.Contains(page, "In the sandbox") || !strings.Contains(page, "1 month, country") || strings.Contains(page, "do not build") {
		t.Errorf("the sheets of generated rows:\n%s", page)
	}
}
