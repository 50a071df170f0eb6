package handlers_test

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/rollsmith/rollsmith/web"
)

func render(n *html.Node) string {
	var b strings.Builder
	html.Render(&b, n)
	return b.String()
}

// byName finds the first input of a name.
func byName(t testing.TB, page, name string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && attr(n, "name") == name {
			return n
		}
	}
	t.Fatalf("no input is called %q", name)
	return nil
}

func TestEveryPageStands(t *testing.T) {
	s := open(t)
	design := s.walk(walks[3])
	awkward := web.TableURL("demo", "shop", walks[3].table)
	for path, want := range map[string]string{
		"/":              "Rollups that stay right",
		"/clusters/demo": "Materialized views",
		"/clusters/demo?q=ORD&engine=ReplacingMergeTree": "2 tables",
		"/clusters/demo?sort=bytes":                      "shop.events",
		"/clusters/demo?q=%25":                           "100% `real`",
		"/clusters/demo/audit":                           "shop.revenue_daily_mv",
		"/clusters/demo/tables/shop/orders":              "Design a rollup",
		"/clusters/demo/tables/shop/revenue_daily":       "itself a rollup",
		"/clusters/demo/tables/shop/revenue_daily_mv":    "shop.revenue_daily",
		awkward:          "<script>alert(1)</script>",
		"/designs/new":   "A design document",
		design:           "roll `up`",
		design + "/r/1":  "roll `up`",
		"/handbook/":     "Patterns",
		"/handbook/why":  "insert trigger",
		"/clusters/gone": "connect",
	} {
		page := s.get(path)
		if !strings.Contains(text(page), want) {
			t.Errorf("%s lacks %q:\n%s", path, want, clip(text(page)))
		}
	}
}

func TestSearchAsYouTypeGivesTheListAlone(t *testing.T) {
	s := open(t)
	r := s.do("GET", "/clusters/demo?q=orders", nil, "HX-Request", "true")
	if r.status != 200 || strings.Contains(r.body, "<html") || !strings.HasPrefix(r.body, `<div id="table-list">`) || !strings.Contains(r.body, "/tables/shop/orders") {
		t.Errorf("%d %s", r.status, clip(r.body))
	}
	if !strings.Contains(r.header.Get("Vary"), "HX-Request") {
		t.Errorf("Vary %q", r.header.Get("Vary"))
	}
	r = s.do("GET", "/clusters/nowhere", nil, "HX-Request", "true")
	if r.status != 404 || strings.Contains(r.body, "<html") || !strings.Contains(r.body, "no cluster called nowhere") {
		t.Errorf("%d %s", r.status, clip(r.body))
	}
}

func TestWhatIsNotThereIsSaidCalmly(t *testing.T) {
	s := open(t)
	for _, path := range []string{"/nothing", "/clusters/nowhere", "/clusters/demo/tables/shop/nothing", "/d/aaaaaaaaaaaaaaaa", "/d/aaaaaaaaaaaaaaaa/r/1", "/d/aaaaaaaaaaaaaaaa/r/x",
		"/d/aaaaaaaaaaaaaaaa/diff/1-2", "/designs/aaaaaaaaaaaaaaaa/feed", "/handbook/nothing", "/static/0/none.css"} {
		r := s.do("GET", path, nil)
		if r.status != 404 {
			t.Errorf("%s: %d", path, r.status)
		}
		if strings.HasPrefix(r.header.Get("Content-Type"), "text/html") {
			sound(t, path, r.body)
		}
	}
}

func TestAMistakeIsToldAtItsInput(t *testing.T) {
	s := open(t)
	draft := strings.TrimSuffix(s.post("/designs/new", "cluster", "demo", "db", "shop", "table", "orders"), "/feed")
	for _, c := range []struct {
		name, step string
		form       []string
		input      string
		says       string
		kept       string
	}{
		{"an unknown column", "metrics", []string{"metrics", "2", "metrics-0-kind", "sum", "metrics-0-expr", "amuont", "metrics-0-name", "a", "metrics-1-kind", "sum", "metrics-1-expr", "status", "metrics-1-name", "b"}, "metrics-0-expr", "amuont", "amuont"},
		{"the second mistake is told too", "metrics", []string{"metrics", "2", "metrics-0-kind", "sum", "metrics-0-expr", "amuont", "metrics-0-name", "a", "metrics-1-kind", "sum", "metrics-1-expr", "status", "metrics-1-name", "b"}, "metrics-1-expr", "needs a number", "status"},
		{"a level that is no number", "metrics", []string{"metrics", "1", "metrics-0-kind", "quantile", "metrics-0-expr", "amount", "metrics-0-level", "high"}, "metrics-0-level", "between 0 and 1", "quantile"},
		{"a subquery as a filter", "filter", []string{"filter", "id IN (SELECT 1)"}, "filter", "", "id IN (SELECT 1)"},
		{"two statements", "filter", []string{"filter", "1); DROP TABLE shop.orders; --"}, "filter", "", "1); DROP TABLE shop.orders; --"},
		{"a bucket without a unit", "grain", []string{"grain-time-column", "created_at", "grain-time-bucket", "5", "grain-time-timezone", "UTC", "dimensions", "0"}, "grain-time-bucket", "", "5"},
		{"an unknown zone", "grain", []string{"grain-time-column", "created_at", "grain-time-bucket", "1 day", "grain-time-timezone", "Mars/Base", "dimensions", "0"}, "grain-time-timezone", "Not a time zone", "Mars/Base"},
		{"a feed without its sign", "feed", []string{"source-feed", "collapsing", "source-key", "id"}, "source-sign", "sign column", "id"},
		{"no name", "delivery", []string{"name", "", "fresh", "insert", "backfill-mode", "none", "target-database", "shop", "target-prefix", "x"}, "name", "Give the design a name", "x"},
		{"a staleness in no unit", "delivery", []string{"name", "n", "fresh", "stale", "freshness", "soon", "backfill-mode", "none", "target-database", "shop", "target-prefix", "x"}, "freshness", "", "soon"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := s.do("POST", draft+"/"+c.step, form(c.form...))
			if r.status != 422 {
				t.Fatalf("%d %s", r.status, clip(text(r.body)))
			}
			sound(t, c.name, r.body)
			if !strings.Contains(r.body, "<title>Error: ") || !strings.Contains(r.body, "There is a problem") {
				t.Error("the title or the summary is missing")
			}
			if !strings.Contains(r.body, `href="#`+c.input+`"`) {
				t.Errorf("the summary does not lead to #%s:\n%s", c.input, clip(text(r.body)))
			}
			if said := text(render(byID(t, r.body, c.input+"-error"))); !strings.Contains(said, c.says) {
				t.Errorf("at the input: %q, want %q", said, c.says)
			}
			byID(t, r.body, c.input)
			if !strings.Contains(r.body, html.EscapeString(c.kept)) {
				t.Errorf("%q was not kept", c.kept)
			}
		})
	}
}

// What is typed comes back as text, on every page that shows it.
func TestHostileInputStaysText(t *testing.T) {
	hostile := `<script>alert(1)</script>"'><img src=x onerror=alert(2)>'); DROP TABLE shop.orders; --`
	s := open(t)
	design := s.walk(walks[0])
	draft := strings.TrimSuffix(s.post(design+"/edit"), "/choice")
	for _, step := range []string{"feed", "metrics", "grain", "filter", "stability", "delivery", "choice"} {
		pairs := []string{"metrics", "1", "dimensions", "1", "fresh", "stale"}
		for _, field := range []string{"source-feed", "source-key", "source-version", "metrics-0-kind", "metrics-0-expr", "metrics-0-name", "metrics-0-where", "grain-time-column", "grain-time-bucket", "grain-time-timezone",
			"grain-time-name", "grain-dimensions-0-expr", "grain-dimensions-0-name", "filter", "stability-settles", "stability-time", "name", "freshness", "backfill-mode", "target-database", "target-prefix", "tiers", "pattern", "deployment-on_cluster"} {
			pairs = append(pairs, field, hostile)
		}
		r := s.do("POST", draft+"/"+step, form(pairs...))
		if r.status != 422 && r.status != 303 {
			t.Errorf("%s: %d", step, r.status)
		}
		clean(t, step, r.body)
	}
	s.post(design+"/comments", "n", "1", "author", hostile, "anchor", "query-sql", "body", hostile+"\n\n# x {data-hx-get=\"/theme\" onclick=\"alert(3)\"}\n\n[a](javascript:alert(4)) ![b](https://example.org/x.png)")
	page := s.get(design)
	clean(t, "a comment", page)
	for _, never := range []string{"javascript:", "data-hx-get=\"", "example.org"} {
		if strings.Contains(page, never) {
			t.Errorf("a comment brought %s", never)
		}
	}
	for _, path := range []string{"/clusters/" + url.PathEscape(hostile), "/d/" + url.PathEscape(hostile), "/handbook/" + url.PathEscape(hostile), "/clusters/demo?q=" + url.QueryEscape(hostile) + "&db=" + url.QueryEscape(hostile) + "&sort=" + url.QueryEscape(hostile)} {
		r := s.do("GET", path, nil)
		clean(t, path, r.body)
	}
	r := s.do("POST", "/designs/paste", form("document", `{"format": 1, "`+hostile+`": 1}`))
	if r.status != 422 {
		t.Errorf("paste: %d", r.status)
	}
	clean(t, "paste", r.body)
}

func clean(t *testing.T, name, page string) {
	t.Helper()
	for _, never := range []string{"<script>alert", "<img src=x", "onerror=alert(2)>"} {
		if strings.Contains(page, never) {
			t.Errorf("%s: %s came back as markup", name, never)
		}
	}
	if strings.Contains(page, "<html") {
		sound(t, name, page)
	}
}

func TestReviewKeepsCommentsAndApprovals(t *testing.T) {
	s := open(t)
	design := s.walk(walks[0])
	r := s.do("POST", design+"/comments", form("n", "1", "body", ""))
	if r.status != 422 || !strings.Contains(text(r.body), "Write what you think") {
		t.Errorf("an empty comment: %d", r.status)
	}
	to := s.post(design+"/comments", "n", "1", "author", "Grace", "anchor", "query-sql", "body", "Why **FINAL**?")
	if !strings.Contains(to, "#comment-") {
		t.Errorf("it leads to %s", to)
	}
	page := s.get(design)
	if !strings.Contains(page, "Why <strong>FINAL</strong>?") {
		t.Error("the comment is not shown")
	}
	s.post(design+"/comments/1", "n", "1", "resolved", "1")
	hash := attr(byName(t, page, "hash"), "value")
	if r := s.do("POST", design+"/approvals", form("n", "1", "hash", hash)); r.status != 422 {
		t.Errorf("an approval without a name: %d", r.status)
	}
	s.post(design+"/approvals", "n", "1", "hash", hash, "author", "Ada")
	page = s.get(design)
	for _, want := range []string{"resolved", "Ada approved revision 1"} {
		if !strings.Contains(text(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	draft := strings.TrimSuffix(s.post(design+"/edit"), "/choice")
	s.post(draft+"/filter", "filter", "")
	s.post(draft + "/save")
	if !strings.Contains(text(s.get(design)), "an earlier revision") {
		t.Error("the approval did not become stale")
	}
}

// A cluster that is gone costs its own card, and a draft nothing.
func TestAClusterThatIsGoneCostsLittle(t *testing.T) {
	s := open(t)
	page := s.get("/")
	if !strings.Contains(page, "/tables/shop/orders") || !strings.Contains(page, `class="notice fail"`) {
		t.Error("the other cluster is not shown")
	}
	if r := s.do("GET", "/clusters/gone/tables/shop/orders", nil); r.status != 502 || strings.Contains(r.body, "panic") {
		t.Errorf("table page: %d", r.status)
	}
	design := s.walk(walks[0])
	document := s.do("GET", design+"/r/1/design.json", nil).body
	draft := strings.TrimSuffix(s.post("/designs/paste", "document", document, "cluster", "gone"), "/choice")
	s.post(draft+"/stability", append(walks[0].stability, "do", "probe-stability")...)
	stability := s.get(draft + "/stability")
	if !strings.Contains(stability, `class="notice fail"`) {
		t.Error("the failed probe is not told")
	}
	if attr(byID(t, stability, "stability-time"), "checked") == "" && !strings.Contains(render(byID(t, stability, "stability-time")), "checked") {
		t.Error("the answer was lost")
	}
	s.get(s.post(draft + "/save"))
}
