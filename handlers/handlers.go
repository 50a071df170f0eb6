// Package handlers is the web app: it reads a form, asks the domain, renders a
// page. Nothing here writes to a connected cluster.
package handlers

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/rollsmith/rollsmith/sandbox"
	"github.com/rollsmith/rollsmith/store"
)

// Options are what the app is made of.
type Options struct {
	Store    *store.Store
	Clusters *Clusters
	Sandbox  *Sandbox
	Log      *slog.Logger
	Version  string   // the tool's own, for bundles
	Hosts    []string // names this server is reached by; empty: any
	// ProofEngine is what engine a proof gets; nil: one with a bound on its memory.
	ProofEngine *sandbox.Options
}

// Handlers are the app's pages.
type Handlers struct {
	Options
	started  time.Time
	draining atomic.Bool
	counters counters
	jobs     *jobs
	benches  benches
	base     context.Context // ends when the server does
	stop     context.CancelFunc
}

// New makes the app.
func New(o Options) *Handlers {
	base, stop := context.WithCancel(context.Background())
	h := &Handlers{Options: o, started: time.Now(), base: base, stop: stop, jobs: newJobs()}
	h.recoverJobs()
	h.recoverBenches()
	return h
}

// Drain makes /readyz say no, so that a load balancer looks elsewhere, and ends
// the work that pages have started.
func (h *Handlers) Drain() {
	h.draining.Store(true)
	h.stop()
}

// Limits of a server; streams extend their own.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 15 * time.Second
	writeTimeout  = 90 * time.Second // a probe may take a minute
	idleTimeout   = 120 * time.Second
	maxHeader     = 32 << 10
	maxBody       = 2 << 20 // a document of 1 MiB, percent-encoded
)

// Server gives an HTTP server with our limits; the caller makes it listen.
func (h *Handlers) Server() *http.Server {
	return &http.Server{
		Handler:           h.Handler(),
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader,
		ErrorLog:       slog.NewLogLogger(h.Log.Handler(), slog.LevelWarn),
	}
}
