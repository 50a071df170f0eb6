package handlers_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/rollsmith/rollsmith/designer"
)

// answers are what a user types into the wizard, in order.
type answers struct {
	name, table string
	feed        []string
	metrics     [][3]string // kind, expr, name
	grain       []string
	filter      string
	stability   []string
	delivery    []string
	pattern     string // that is decided
}

var walks = []answers{
	{
		name: "orders that arrive as upserts", table: "orders",
		feed:      []string{"source-feed", "upsert", "source-key", "id", "source-version", "_version", "source-deleted", "_is_deleted", "source-tombstones", "unknown"},
		metrics:   [][3]string{{"sum", "amount", "revenue"}, {"count", "", "orders"}, {"count_distinct", "user_id", "buyers"}},
		grain:     []string{"grain-time-column", "created_at", "grain-time-bucket", "1 day", "grain-time-timezone", "UTC", "dimensions", "1", "grain-dimensions-0-expr", "country"},
		filter:    "status != 'test'",
		stability: []string{"stability-time", "stable", "stability-filter", "mutable", "stability-dimensions-0", "mutable"},
		delivery:  []string{"name", "daily_revenue", "fresh", "insert", "backfill-mode", "overlap", "target-database", "shop", "target-prefix", "daily_revenue"},
		pattern:   "replacing",
	},
	{
		name: "events that are only appended", table: "events",
		feed:     []string{"source-feed", "append"},
		metrics:  [][3]string{{"count", "", "events"}, {"sum", "revenue", "revenue"}},
		grain:    []string{"grain-time-column", "ts", "grain-time-bucket", "1 hour", "grain-time-timezone", "Asia/Kolkata", "dimensions", "2", "grain-dimensions-0-expr", "event_type", "grain-dimensions-1-expr", "upper(country)", "grain-dimensions-1-name", "land"},
		delivery: []string{"name", "hourly events", "fresh", "insert", "backfill-mode", "pause", "target-database", "shop", "target-prefix", "hourly"},
		pattern:  "summing",
	},
	{
		name: "payments as a ledger", table: "payments",
		feed:      []string{"source-feed", "ledger", "source-key", "payment_id", "source-version", "version", "source-deleted", "is_deleted"},
		metrics:   [][3]string{{"count", "", "payments"}, {"sum", "amount", "amount"}, {"avg", "fee", "fee"}},
		grain:     []string{"grain-time-column", "paid_at", "grain-time-bucket", "1 week", "grain-time-timezone", "Europe/Berlin", "dimensions", "1", "grain-dimensions-0-expr", "method"},
		stability: []string{"stability-time", "mutable", "stability-dimensions-0", "mutable"},
		delivery:  []string{"name", "weekly", "fresh", "insert", "backfill-mode", "pause", "target-database", "shop", "target-prefix", "weekly"},
		pattern:   "ledger",
	},
	{
		name: "a table whose names need quoting", table: "naïve \"orders\" – it's 100% `real`",
		feed:      []string{"source-feed", "upsert", "source-key", "order id", "source-version", "_v", "source-tombstones", "unknown"},
		metrics:   [][3]string{{"sum", "`preis €`", "summe €"}, {"max", "`\\`back\\`tick`", "`most`"}, {"count", "", "it's"}},
		grain:     []string{"grain-time-column", "when \"exactly\"", "grain-time-bucket", "1 month", "grain-time-timezone", "Europe/Berlin", "dimensions", "1", "grain-dimensions-0-expr", "`select`"},
		filter:    "`<script>alert(1)</script>` IS NULL OR `state` = 'it''s paid'",
		stability: []string{"stability-time", "unknown", "stability-filter", "unknown", "stability-dimensions-0", "unknown"},
		delivery:  []string{"name", "naïve '); DROP TABLE x; --", "fresh", "insert", "backfill-mode", "overlap", "target-database", "shop", "target-prefix", "roll `up`"},
		pattern:   "replacing",
	},
}

// walk goes through the wizard by forms alone and gives the saved design.
func (s *site) walk(a answers) string {
	s.t.Helper()
	to := s.post("/designs/new", "cluster", "demo", "db", "shop", "table", a.table)
	draft := strings.TrimSuffix(to, "/feed")
	s.get(to)
	s.post(draft+"/feed", a.feed...)
	s.get(draft + "/metrics")
	metrics := []string{"metrics", strconv.Itoa(len(a.metrics))}
	for i, m := range a.metrics {
		for j, field := range []string{"kind", "expr", "name"} {
			metrics = append(metrics, fmt.Sprintf("metrics-%d-%s", i, field), m[j])
		}
	}
	s.post(draft+"/metrics", metrics...)
	s.get(draft + "/grain")
	s.post(draft+"/grain", append(a.grain, "do", "probe-grain")...)
	s.get(draft + "/grain")
	s.post(draft+"/grain", a.grain...)
	s.get(draft + "/filter")
	s.post(draft+"/filter", "filter", a.filter)
	s.get(draft + "/stability")
	s.post(draft+"/stability", append(a.stability, "do", "probe-stability")...)
	s.get(draft + "/stability")
	s.post(draft+"/stability", a.stability...)
	s.get(draft + "/delivery")
	s.post(draft+"/delivery", a.delivery...)
	s.get(draft + "/choice")
	return s.post(draft+"/save", "pattern", "auto", "author", "Ada <em>", "note", "first '); --")
}

func TestTheWholePathByFormsAlone(t *testing.T) {
	for _, a := range walks {
		t.Run(a.name, func(t *testing.T) {
			s := open(t)
			design := s.walk(a)
			page := s.get(design)
			for _, want := range []string{"Nothing here is executed on your cluster", "Ada <em>", a.pattern} {
				if !strings.Contains(text(page), want) {
					t.Errorf("the design's page lacks %q", want)
				}
			}
			s.get(design + "/r/1")
			plans := s.get(design + "/r/1/plan")
			if strings.Contains(plans, `class="notice fail"`) {
				t.Errorf("plans: %s", clip(text(plans)))
			}
			document, err := designer.Parse([]byte(s.get(design + "/r/1/design.json")))
			if err != nil {
				t.Fatal(err)
			}
			if document.Source.Table != a.table {
				t.Errorf("table %q", document.Source.Table)
			}
			if got := manifestPattern(t, s, design+"/r/1/bundle.zip"); got != a.pattern {
				t.Errorf("pattern %q, want %q", got, a.pattern)
			}
		})
	}
}

// manifestPattern unpacks a bundle, which must be whole, and give the same bytes
// again.
func manifestPattern(t *testing.T, s *site, path string) string {
	t.Helper()
	first, again := s.do("GET", path, nil), s.do("GET", path, nil)
	if first.status != 200 || first.body != again.body {
		t.Fatalf("%s: %d, and twice the same: %v", path, first.status, first.body == again.body)
	}
	if !strings.HasPrefix(first.header.Get("Content-Disposition"), "attachment; filename=") {
		t.Errorf("Content-Disposition %q", first.header.Get("Content-Disposition"))
	}
	z, err := zip.NewReader(bytes.NewReader([]byte(first.body)), int64(len(first.body)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"README.md", "design.json", "query.sql", "truth.sql", "audit.sql", "down.sql"} {
		if len(files[name]) == 0 {
			t.Errorf("the bundle lacks %s", name)
		}
	}
	var manifest struct{ Pattern string }
	if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil {
		t.Fatal(err)
	}
	return manifest.Pattern
}

// The app came as an account that may only read; this shows that it left the
// shop as it was, and that the account's password went nowhere.
func TestNothingIsWrittenAndNoPasswordLeaks(t *testing.T) {
	s := open(t)
	before := shopState(t)
	design := s.walk(walks[0])
	var pages strings.Builder
	for _, path := range []string{"/", "/clusters/demo", "/clusters/gone", "/clusters/demo/audit", "/clusters/demo/tables/shop/orders", design, design + "/r/1/plan", design + "/r/1/design.json", "/metrics"} {
		pages.WriteString(s.do("GET", path, nil).body)
	}
	if after := shopState(t); after != before {
		t.Errorf("the shop was changed:\n%s\n%s", before, after)
	}
	leaks := map[string]string{"a page": pages.String(), "the log": s.log.String()}
	for _, name := range []string{"rollsmith.db", "rollsmith.db-wal"} {
		data, err := os.ReadFile(filepath.Join(s.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		leaks[name] = string(data)
	}
	for where, all := range leaks {
		if strings.Contains(all, canary) || strings.Contains(all, strings.ReplaceAll(canary, " ", "%20")) {
			t.Errorf("the password is in %s", where)
		}
	}
}

// shopState is what is in the shop, in words that change when it does.
func shopState(t *testing.T) string {
	t.Helper()
	var state string
	if err := engine.Conn().QueryRow(context.Background(), "SELECT toString(arraySort(groupArray((name, engine, total_rows, create_table_query)))) FROM system.tables WHERE database = 'shop'").Scan(&state); err != nil {
		t.Fatal(err)
	}
	return state
}

func TestChangingASavedDesignMakesARevision(t *testing.T) {
	s := open(t)
	design := s.walk(walks[0])
	first := s.do("GET", design+"/r/1", nil).body
	to := s.post(design+"/edit", "n", "1")
	draft := strings.TrimSuffix(to, "/choice")
	s.get(to)
	s.post(draft+"/filter", "filter", "status NOT IN ('test', 'new')")
	s.post(draft+"/grain", "grain-time-column", "created_at", "grain-time-bucket", "1 month", "grain-time-timezone", "UTC", "dimensions", "0")
	if again := s.post(draft+"/save", "pattern", "auto", "note", "by month"); again != design {
		t.Fatalf("saved as %s, not %s", again, design)
	}
	page := s.get(design)
	if !strings.Contains(text(page), "Revision 2") {
		t.Error("the newest revision is not shown")
	}
	diff := text(s.get(design + "/diff/1..2"))
	for _, want := range []string{"1 day of created_at", "1 month of created_at", "grain.dimension country", "status NOT IN"} {
		if !strings.Contains(diff, want) {
			t.Errorf("the comparison lacks %q", want)
		}
	}
	if strings.Index(diff, "What it means") > strings.Index(diff, "The statements") {
		t.Error("the statements come before the meaning")
	}
	// Revision 1 is what it was, but for the note that there is a newer one.
	second := s.do("GET", design+"/r/1", nil).body
	for _, id := range []string{"query-sql", "truth-sql", "design-json"} {
		if render(byID(t, first, id)) != render(byID(t, second, id)) {
			t.Errorf("revision 1 has another %s now", id)
		}
	}
}

func TestTwoWhoChangeTheSameDesignAreTold(t *testing.T) {
	s := open(t)
	design := s.walk(walks[0])
	mine := strings.TrimSuffix(s.post(design+"/edit"), "/choice")
	theirs := strings.TrimSuffix(s.post(design+"/edit"), "/choice")
	s.post(theirs+"/filter", "filter", "amount > 0")
	s.post(theirs+"/save", "author", "Grace", "note", "only what was paid")
	s.post(mine+"/filter", "filter", "")
	r := s.do("POST", mine+"/save", form("author", "Ada"))
	sound(t, "conflict", r.body)
	if r.status != 409 || !strings.Contains(text(r.body), "Grace") || !strings.Contains(text(r.body), "amount > 0") {
		t.Fatalf("%d\n%s", r.status, clip(text(r.body)))
	}
	s.get(mine + "/choice")
	s.post(mine+"/save", "author", "Ada")
	if !strings.Contains(text(s.get(design)), "Revision 3") {
		t.Error("the second save did not come on top")
	}
}

func TestTwoWindowsOnOneDraftAreTold(t *testing.T) {
	s := open(t)
	draft := strings.TrimSuffix(s.post("/designs/new", "cluster", "demo", "db", "shop", "table", "orders"), "/feed")
	s.post(draft+"/filter", "v", "1", "filter", "amount > 1")
	r := s.do("POST", draft+"/filter", form("v", "1", "filter", "amount > 2"))
	sound(t, "draft conflict", r.body)
	if r.status != 409 || !strings.Contains(text(r.body), "amount > 1") || !strings.Contains(text(r.body), "amount > 2") {
		t.Fatalf("%d\n%s", r.status, clip(text(r.body)))
	}
	if !strings.Contains(text(r.body), "The other window saved") || !strings.Contains(text(r.body), "What differs") {
		t.Errorf("what differs is not shown:\n%s", clip(text(r.body)))
	}
	if version := attr(byName(t, r.body, "v"), "value"); version != "2" {
		t.Errorf("the page would save over version %s", version)
	}
}

// A rollup that leaves out what the source holds already is somebody's answer,
// never what comes of pressing Continue.
func TestHistoryIsNotLeftOutByDefault(t *testing.T) {
	s := open(t)
	draft := strings.TrimSuffix(s.post("/designs/new", "cluster", "demo", "db", "shop", "table", "orders"), "/feed")
	s.post(draft+"/metrics", "metrics", "1", "metrics-0-kind", "count", "metrics-0-name", "orders", "do", "continue")
	s.post(draft+"/grain", "grain-time-column", "created_at", "grain-time-bucket", "1 day", "grain-time-timezone", "UTC", "grain-time-name", "day", "do", "continue")
	page := s.get(draft + "/delivery")
	if !strings.Contains(text(page), "rows already") {
		t.Error("the question does not say that the source has rows")
	}
	for _, in := range []string{"backfill-mode", "backfill-mode-overlap"} {
		if checked := hasAttr(byID(t, page, in), "checked"); checked != (in == "backfill-mode-overlap") {
			t.Errorf("%s checked: %v", in, checked)
		}
	}
	for mode, warned := range map[string]bool{"none": true, "overlap": false} {
		s.post(draft+"/delivery", "name", "daily", "fresh", "insert", "backfill-mode", mode, "target-database", "shop", "target-prefix", "daily", "do", "continue")
		if got := strings.Contains(text(s.get(draft+"/choice")), "History is left out"); got != warned {
			t.Errorf("backfill %s: warned %v", mode, got)
		}
	}
}

func hasAttr(n *html.Node, key string) bool {
	return n != nil && slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}
