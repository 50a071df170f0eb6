package handlers_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/rollsmith/rollsmith/cluster"
	"github.com/rollsmith/rollsmith/demo"
	"github.com/rollsmith/rollsmith/handlers"
	"github.com/rollsmith/rollsmith/sandbox"
	"github.com/rollsmith/rollsmith/store"
)

// engine holds the shop; box is the app's own sandbox. One of each serves all
// tests of the package.
var (
	engine *sandbox.Engine
	box    *handlers.Sandbox
)

// canary is the reader's password. It must not come out anywhere.
const canary = "canary pass 7731"

// The app comes to the shop as an account that may only read, and whose profile
// locks every setting: so every test here shows that nothing is written.
const reader = `<reader><password>` + canary + `</password><networks><ip>127.0.0.1</ip></networks><profile>locked</profile><quota>default</quota></reader>`

// addProfile puts the reader's profile into the config file before the child
// becomes the engine.
func addProfile() {
	for _, arg := range os.Args {
		path, isConfig := strings.CutPrefix(arg, "--config-file=")
		if !isConfig {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			panic(err)
		}
		changed := strings.Replace(string(text), "<profiles><default/></profiles>", "<profiles><default/><locked><readonly>1</readonly></locked></profiles>", 1)
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			panic(err)
		}
	}
}

func TestMain(m *testing.M) {
	addProfile()
	sandbox.Child()
	os.Exit(func() int {
		ctx := context.Background()
		var err error
		if engine, err = sandbox.Start(ctx, sandbox.Options{Logs: true, Users: reader}); err != nil {
			panic(err)
		}
		defer engine.Close()
		if err := demo.Seed(ctx, engine.Conn()); err != nil {
			panic(err)
		}
		box = handlers.NewSandbox(ctx)
		defer box.Close()
		return m.Run()
	}())
}

// site is the app under test, and what it wrote to its log.
type site struct {
	t   testing.TB
	app *handlers.Handlers
	url string
	log *syncBuffer
	dir string
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// open starts the app on a fresh store, with the shop and a cluster that is down.
func open(t testing.TB) *site {
	t.Helper()
	dir := t.TempDir()
	saved, err := store.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	shop := openCluster(t, "demo", fmt.Sprintf("127.0.0.1:%d", engine.TCPPort()))
	gone := openCluster(t, "gone", "127.0.0.1:1")
	s := &site{t: t, log: &syncBuffer{}, dir: dir}
	s.app = handlers.New(handlers.Options{Store: saved, Clusters: handlers.NewClusters(shop, gone), Sandbox: box, Version: "test",
		Hosts: []string{"127.0.0.1"}, Log: slog.New(slog.NewJSONHandler(s.log, nil))})
	server := httptest.NewServer(s.app.Handler())
	s.url = server.URL
	t.Cleanup(func() {
		server.Close()
		shop.Close()
		gone.Close()
		saved.Close()
	})
	return s
}

func openCluster(t testing.TB, name, address string) *cluster.Cluster {
	t.Helper()
	c, err := cluster.Open(context.Background(), cluster.Config{Name: name, Protocol: cluster.Native, User: "reader", Password: cluster.Secret(canary), Addresses: []string{address}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// reply is an answer of the app.
type reply struct {
	status int
	body   string
	header http.Header
	to     string // where it redirects
}

func (s *site) do(method, path string, form url.Values, head ...string) reply {
	s.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	at := path
	if !strings.HasPrefix(path, "http") {
		at = s.url + path
	}
	r, err := http.NewRequest(method, at, body)
	if err != nil {
		s.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(head); i += 2 {
		if head[i] == "Host" {
			r.Host = head[i+1]
		}
		r.Header.Set(head[i], head[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{answer.StatusCode, string(text), answer.Header, answer.Header.Get("Location")}
}

// get reads a page, which must be there and be sound.
func (s *site) get(path string) string {
	s.t.Helper()
	r := s.do("GET", path, nil)
	if r.status != http.StatusOK {
		s.t.Fatalf("GET %s: %d\n%s", path, r.status, clip(r.body))
	}
	if strings.HasPrefix(r.header.Get("Content-Type"), "text/html") {
		sound(s.t, path, r.body)
	}
	return r.body
}

// post sends a form that must be taken, and gives where it leads.
func (s *site) post(path string, pairs ...string) string {
	s.t.Helper()
	r := s.do("POST", path, form(pairs...))
	if r.status != http.StatusSeeOther {
		s.t.Fatalf("POST %s: %d\n%s", path, r.status, clip(text(r.body)))
	}
	return r.to
}

func form(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Add(pairs[i], pairs[i+1])
	}
	return v
}

func clip(s string) string { return s[:min(len(s), 3000)] }
