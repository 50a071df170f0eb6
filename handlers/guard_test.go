package handlers_test

import (
	"net/http"
	"strings"
	"testing"
)

// Every route carries the same headers, whatever it answers.
func TestHeadersOnEveryRoute(t *testing.T) {
	s := open(t)
	design := s.walk(walks[1])
	fill := strings.NewReplacer("{name}", "demo", "{db}", "shop", "{table}", "events", "{draft}", "aaaaaaaaaaaaaaaa", "{step}", "feed", "{id}", strings.TrimPrefix(design, "/d/"), "{n}", "1", "{range}", "1..1", "{page}", "why", "{comment}", "1", "{pattern}", "ledger")
	seen := map[string]bool{}
	for _, route := range s.app.Routes() {
		r := s.do(route[0], fill.Replace(route[1]), form())
		if r.status >= 500 {
			t.Errorf("%s %s: %d", route[0], route[1], r.status)
		}
		for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin", "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()"} {
			if got := r.header.Get(header); got != want {
				t.Errorf("%s %s: %s is %q", route[0], route[1], header, got)
			}
		}
		policy := r.header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "style-src 'self'", "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s %s: the policy lacks %s", route[0], route[1], part)
			}
		}
		if strings.Contains(policy, "unsafe") {
			t.Errorf("%s %s: %s", route[0], route[1], policy)
		}
		if seen[policy] {
			t.Errorf("%s %s: the nonce was used before", route[0], route[1])
		}
		seen[policy] = true
		if cache := r.header.Get("Cache-Control"); cache != "private, no-store" && route[1] != "/schema/design.json" {
			t.Errorf("%s %s: Cache-Control %q", route[0], route[1], cache)
		}
	}
	if len(seen) < 25 {
		t.Errorf("only %d routes", len(seen))
	}
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	s := open(t)
	for _, head := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://example.org"}} {
		r := s.do("POST", "/designs/new", form("cluster", "demo", "db", "shop", "table", "orders"), head...)
		if r.status != http.StatusForbidden {
			t.Errorf("%v: %d", head, r.status)
		}
	}
	if r := s.do("POST", "/designs/new", form("cluster", "demo", "db", "shop", "table", "orders"), "Sec-Fetch-Site", "same-origin"); r.status != http.StatusSeeOther {
		t.Errorf("our own form: %d", r.status)
	}
}

func TestAForeignNameForThisServerIsRefused(t *testing.T) {
	s := open(t)
	if r := s.do("GET", "/", nil, "Host", "rebound.example.org"); r.status != http.StatusForbidden || strings.Contains(r.body, "shop.orders") {
		t.Errorf("%d", r.status)
	}
}

func TestALargeBodyIsRefused(t *testing.T) {
	s := open(t)
	r := s.do("POST", "/designs/paste", form("document", strings.Repeat("x", 3<<20)))
	if r.status != http.StatusRequestEntityTooLarge {
		t.Errorf("%d", r.status)
	}
}

func TestTheColoursAreKeptAndLeadBack(t *testing.T) {
	s := open(t)
	r := s.do("POST", "/theme", form("theme", "dark", "back", "/handbook/"))
	if r.to != "/handbook/" {
		t.Errorf("it leads to %q", r.to)
	}
	cookie := strings.Split(r.header.Get("Set-Cookie"), ";")[0]
	if page := s.do("GET", "/handbook/", nil, "Cookie", cookie).body; !strings.Contains(page, `data-theme="dark"`) {
		t.Error("the page is not dark")
	}
	for _, far := range []string{"https://example.org", "//example.org", "/\\example.org", "javascript:alert(1)"} {
		if r := s.do("POST", "/theme", form("theme", "dark", "back", far)); r.to != "/" {
			t.Errorf("back to %q leads to %q", far, r.to)
		}
	}
}

func TestHealthSaysWhatIsUp(t *testing.T) {
	s := open(t)
	if r := s.do("GET", "/healthz", nil); r.status != 200 || r.body != "ok\n" {
		t.Errorf("healthz: %d %q", r.status, r.body)
	}
	if r := s.do("GET", "/readyz", nil); r.status != 200 || r.body != "ready\n" {
		t.Errorf("readyz: %d %q", r.status, r.body)
	}
	s.walk(walks[1])
	metrics := s.do("GET", "/metrics", nil).body
	for _, want := range []string{"rollsmith_designs 1\n", "rollsmith_sandbox_up 1\n", `rollsmith_http_requests_total{method="POST",route="/designs/{draft}/save",status="303"} 1`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("metrics lack %q in\n%s", want, metrics)
		}
	}
	s.app.Drain()
	if r := s.do("GET", "/readyz", nil); r.status != http.StatusServiceUnavailable {
		t.Errorf("readyz while leaving: %d", r.status)
	}
}

func TestTheLogTellsRoutesAndNoQueries(t *testing.T) {
	s := open(t)
	s.get("/clusters/demo?q=very-private")
	log := s.log.String()
	if strings.Contains(log, "very-private") || !strings.Contains(log, `"route":"/clusters/{name}"`) {
		t.Error(log)
	}
}
