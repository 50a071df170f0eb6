package handlers

import (
	"fmt"
	"net/http"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/rollsmith/rollsmith/problem"
)

// healthz says that the process is up.
func (h *Handlers) healthz(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err := fmt.Fprintln(w, "ok")
	return err
}

// readyz says that the store takes a write.
func (h *Handlers) readyz(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	err := h.Store.Ready(r.Context())
	if h.draining.Load() {
		err = &problem.Error{Kind: problem.Down, Message: "the server is leaving"}
	}
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		h.Log.Warn("not ready", "err", err.Error())
		_, err = fmt.Fprintln(w, "not ready")
		return err
	}
	_, err = fmt.Fprintln(w, "ready")
	return err
}

// counters count requests by route; the zero value is ready.
type counters struct {
	mu   sync.Mutex
	rows map[counterKey]*counterRow
}

type counterKey struct {
	method, route string
	status        int
}

type counterRow struct {
	n       uint64
	seconds float64
}

func (c *counters) add(method, route string, status int, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rows == nil {
		c.rows = map[counterKey]*counterRow{}
	}
	k := counterKey{method, route, status}
	if c.rows[k] == nil {
		c.rows[k] = &counterRow{}
	}
	c.rows[k].n++
	c.rows[k].seconds += took.Seconds()
}

func (c *counters) write(b *strings.Builder) {
	c.mu.Lock()
	defer c.mu.Unlock()
	keys := make([]counterKey, 0, len(c.rows))
	for k := range c.rows {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return fmt.Sprint(keys[i]) < fmt.Sprint(keys[j]) })
	b.WriteString("# HELP rollsmith_http_requests_total Requests answered, by route.\n# TYPE rollsmith_http_requests_total counter\n")
	for _, k := range keys {
		fmt.Fprintf(b, "rollsmith_http_requests_total{method=%q,route=%q,status=\"%d\"} %d\n", k.method, k.route, k.status, c.rows[k].n)
	}
	b.WriteString("# HELP rollsmith_http_request_seconds_total Time spent answering, by route.\n# TYPE rollsmith_http_request_seconds_total counter\n")
	for _, k := range keys {
		fmt.Fprintf(b, "rollsmith_http_request_seconds_total{method=%q,route=%q,status=\"%d\"} %g\n", k.method, k.route, k.status, c.rows[k].seconds)
	}
}

// metrics prints what a Prometheus scrapes.
func (h *Handlers) metrics(w http.ResponseWriter, r *http.Request) error {
	designs, revisions, drafts, err := h.Store.Counts(r.Context())
	if err != nil {
		return err
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	up := 0
	if h.Sandbox != nil && h.Sandbox.Version() != "" {
		up = 1
	}
	var b strings.Builder
	for _, g := range []struct {
		name, help string
		value      any
	}{
		{"rollsmith_designs", "Saved designs.", designs}, {"rollsmith_revisions", "Saved revisions.", revisions}, {"rollsmith_drafts", "Drafts in the wizard.", drafts},
		{"rollsmith_clusters", "Clusters this server was started with.", len(h.Clusters.names)}, {"rollsmith_sandbox_up", "1 while a sandbox engine runs.", up},
		{"rollsmith_start_time_seconds", "When the server started.", h.started.Unix()},
		{"go_goroutines", "Goroutines.", runtime.NumGoroutine()}, {"go_memstats_heap_alloc_bytes", "Heap in use.", memory.HeapAlloc},
	} {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s gauge\n%s %v\n", g.name, g.help, g.name, g.name, g.value)
	}
	h.counters.write(&b)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, err = w.Write([]byte(b.String()))
	return err
}
