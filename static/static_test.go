package static

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVendoredFilesAreTheOnesWeTook(t *testing.T) {
	sums, err := os.ReadFile("vendor/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"README.md": true, "SHA256SUMS": true}
	for lines := bufio.NewScanner(bytes.NewReader(sums)); lines.Scan(); {
		want, name, _ := strings.Cut(lines.Text(), "  ")
		data, err := os.ReadFile(filepath.Join("vendor", name))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%s: %s, SHA256SUMS says %s", name, got, want)
		}
		known[name] = true
	}
	entries, err := os.ReadDir("vendor")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !known[e.Name()] {
			t.Errorf("vendor/%s is not in SHA256SUMS", e.Name())
		}
	}
}

// The budgets keep the first page light on a slow line.
func TestSizesStayWithinTheirBudgets(t *testing.T) {
	size := func(names ...string) (sum int) {
		for _, name := range names {
			data, err := files.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sum += len(data)
		}
		return sum
	}
	for _, b := range []struct {
		name string
		got  int
		max  int
	}{
		{"our script", size("app.js"), 4 << 10},
		{"all scripts", size("app.js", "vendor/htmx.min.js", "vendor/hx-sse.min.js", "vendor/hx-csp.min.js"), 52 << 10},
		{"style", size("app.css"), 30 << 10},
		{"fonts", size("vendor/next.woff2", "vendor/mono-400.woff2", "vendor/mono-600.woff2"), 60 << 10},
	} {
		if b.got > b.max {
			t.Errorf("%s: %d bytes, budget %d", b.name, b.got, b.max)
		}
	}
}

func TestHandlerCachesOnlyTheCurrentVersion(t *testing.T) {
	for _, c := range []struct {
		path, kind, cache string
		status            int
	}{
		{URL("app.css"), "text/css; charset=utf-8", "public, max-age=31536000, immutable", 200},
		{URL("vendor/next.woff2"), "font/woff2", "public, max-age=31536000, immutable", 200},
		{"/static/000000000000/app.js", "text/javascript; charset=utf-8", "no-cache", 200},
		{"/static/" + version + "/../static.go", "text/plain; charset=utf-8", "", 404},
		{"/static/", "text/plain; charset=utf-8", "", 404},
	} {
		w := httptest.NewRecorder()
		Handler().ServeHTTP(w, httptest.NewRequest("GET", c.path, nil))
		if w.Code != c.status || w.Header().Get("Content-Type") != c.kind || w.Header().Get("Cache-Control") != c.cache {
			t.Errorf("%s: %d %q %q, want %d %q %q", c.path, w.Code, w.Header().Get("Content-Type"), w.Header().Get("Cache-Control"), c.status, c.kind, c.cache)
		}
	}
}

func TestStyleReachesOnlyForOurOwnFiles(t *testing.T) {
	css, err := files.ReadFile("app.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, far := range []string{"http:", "https:", "//fonts", "@import"} {
		if bytes.Contains(css, []byte(far)) {
			t.Errorf("app.css contains %q", far)
		}
	}
}
