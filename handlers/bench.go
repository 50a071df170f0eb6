package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/rollsmith/rollsmith/bench"
	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/sandbox"
	"github.com/rollsmith/rollsmith/store"
	"github.com/rollsmith/rollsmith/web"
)

// benchMemory bounds a bench's engine: one statement may use half of it.
const benchMemory = 4 << 30

// benches are those that run, by their revision: one at a time for each.
type benches struct {
	mu   sync.Mutex
	live map[string]*liveBench
}

// liveBench is a bench that runs or waits for its turn.
type liveBench struct {
	cancel context.CancelCauseFunc
	began  time.Time

	mu          sync.Mutex
	step, steps int
	words       string
}

func benchKey(design string, n int) string { return fmt.Sprintf("%s/%d", design, n) }

// running gives the bench of a revision that has not ended, or nil.
func (b *benches) running(design string, n int) *liveBench {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.live[benchKey(design, n)]
}

// add puts a bench in its place; false where there is one already, or where
// there are too many.
func (b *benches) add(key string, one *liveBench) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live == nil {
		b.live = map[string]*liveBench{}
	}
	if b.live[key] != nil || len(b.live) >= jobsAtOnce+jobsWaiting {
		return false
	}
	b.live[key] = one
	return true
}

func (b *benches) remove(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.live, key)
}

func (l *liveBench) hear(step, steps int, words string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.step, l.steps, l.words = step, steps, words
}

func (l *liveBench) view() *web.BenchProgress {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &web.BenchProgress{Step: l.step, Steps: l.steps, Words: l.words, Took: time.Since(l.began)}
}

// showBench is the page of what a revision costs: the form, what runs, and what
// was measured last.
func (h *Handlers) showBench(w http.ResponseWriter, r *http.Request) error {
	v, _, err := h.benchView(r)
	if err != nil {
		return err
	}
	h.show(w, r, http.StatusOK, web.BenchRegion(v), web.BenchPage(v))
	return nil
}

// benchView gathers the page.
func (h *Handlers) benchView(r *http.Request) (web.Bench, *designer.Design, error) {
	d, n, err := h.addressed(r)
	if err != nil {
		return web.Bench{}, nil, err
	}
	revision, err := h.Store.Revision(r.Context(), d.ID, n)
	if err != nil {
		return web.Bench{}, nil, err
	}
	doc, err := designer.Parse(revision.Document)
	if err != nil {
		return web.Bench{}, nil, err
	}
	v := web.Bench{ID: d.ID, Name: d.Name, N: n, Pattern: revision.Pattern, Feed: string(doc.Source.Feed), Size: sizeView(bench.DefaultSize(doc.Source.Feed)),
		MostRows: bench.MostRows, Threads: bench.Threads, Query: bench.DefaultLimits.Query, Total: bench.DefaultLimits.Total, Memory: uint64(bench.DefaultLimits.Memory)}
	if v.Cost, err = h.costView(r.Context(), d.ID, n); err != nil {
		return v, nil, err
	}
	v.Cost.Clustered = h.Clusters.Has(d.Cluster)
	if v.Cost.Kept && len(v.Cost.Grains) > 0 && v.Cost.Grains[0].Reduction > 0 { // as many rows to a group as the source has
		v.Size.Groups = min(max(int(float64(v.Size.Entities)/v.Cost.Grains[0].Reduction), 1), v.Size.Entities)
	}
	if live := h.benches.running(d.ID, n); live != nil {
		v.Running = live.view()
		return v, doc, nil
	}
	last, found, err := h.Store.LastBench(r.Context(), d.ID, n, store.Measured, false)
	if err != nil || !found {
		return v, doc, err
	}
	v.State, v.Message, v.Created = last.State, last.Message, last.Created
	if v.State == store.Running { // its server is gone
		v.State = store.Interrupted
	}
	if done, found, err := h.Store.LastBench(r.Context(), d.ID, n, store.Measured, true); err != nil {
		return v, doc, err
	} else if found {
		var result bench.Result
		if err := json.Unmarshal(done.Result, &result); err != nil {
			return v, doc, fmt.Errorf("result of bench %d: %w", done.ID, err)
		}
		shown := benchResult(result)
		shown.Created = done.Created
		v.Result, v.Size = &shown, sizeView(result.Size)
		v.Off = offBy(v.Cost, result, v.Pattern)
	}
	return v, doc, nil
}

func sizeView(s bench.Size) web.BenchSize {
	return web.BenchSize{Entities: s.Entities, Versions: s.Versions, Groups: s.Groups, Seed: s.Seed}
}

// beginBench starts a bench of a revision.
func (h *Handlers) beginBench(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(r)
	if err != nil {
		return err
	}
	v, doc, err := h.benchView(r)
	if err != nil {
		return err
	}
	size, errs := askedSize(f, doc.Source.Feed)
	if len(errs) > 0 {
		v.Errors, v.Size = errs, sizeView(size)
		h.show(w, r, http.StatusUnprocessableEntity, web.BenchRegion(v), web.BenchPage(v))
		return nil
	}
	if err := h.startBench(r.Context(), v, doc, size); err != nil {
		return err
	}
	return seeOther(w, r, v.URL())
}

// askedSize reads the four numbers of a bench.
func askedSize(f form, feed designer.Feed) (bench.Size, web.Errors) {
	size := bench.DefaultSize(feed)
	var errs web.Errors
	for _, x := range []struct {
		name string
		to   *int
	}{{"entities", &size.Entities}, {"versions", &size.Versions}, {"groups", &size.Groups}} {
		if text := f.text(x.name); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil {
				errs = append(errs, web.FieldError{ID: x.name, Text: "Give a whole number for " + x.name + "."})
			}
			*x.to = n
		}
	}
	if text := f.text("seed"); text != "" {
		n, err := strconv.ParseUint(text, 10, 63)
		if err != nil {
			errs = append(errs, web.FieldError{ID: "seed", Text: "Give a whole number for seed."})
		}
		size.Seed = n
	}
	if p, ok := problem.As(size.Check(feed)); ok && len(errs) == 0 {
		errs = append(errs, web.FieldError{ID: p.Field, Text: web.Sentence(p.Message) + " " + web.Sentence(p.Hint)})
	}
	return size, errs
}

// startBench keeps the row, then begins. A revision has one bench at a time: a
// second click finds the first at work.
func (h *Handlers) startBench(ctx context.Context, v web.Bench, doc *designer.Design, size bench.Size) error {
	work, cancel := context.WithCancelCause(h.base)
	live := &liveBench{cancel: cancel, began: time.Now(), words: "wait for a place"}
	key := benchKey(v.ID, v.N)
	if !h.benches.add(key, live) {
		cancel(nil)
		if h.benches.running(v.ID, v.N) != nil {
			return nil
		}
		return &problem.Error{Kind: problem.Limit, Code: "jobs-full", Message: "Too many benches are waiting: there is no place for another.", Hint: fmt.Sprintf("Try again in %d seconds.", int(retryAfter.Seconds()))}
	}
	request, err := json.Marshal(size)
	if err == nil {
		row := &store.Bench{DesignID: v.ID, N: v.N, Kind: store.Measured, State: store.Running, Request: request}
		if err = h.Store.AddBench(ctx, row); err == nil {
			go h.runBench(work, live, key, row, doc, size)
			return nil
		}
	}
	cancel(nil)
	h.benches.remove(key)
	return err
}

// runBench waits for a turn among the jobs, measures, and keeps how it ended.
func (h *Handlers) runBench(ctx context.Context, live *liveBench, key string, row *store.Bench, doc *designer.Design, size bench.Size) {
	defer live.cancel(nil)
	defer h.benches.remove(key)
	var result *bench.Result
	var err error
	select {
	case <-ctx.Done():
		err = ctx.Err()
	case h.jobs.turn <- struct{}{}:
		result, err = h.bench(ctx, live, doc, size)
		<-h.jobs.turn
	}
	switch err = why(ctx, h.base, err); {
	case err == nil:
		row.State = store.Done
		if row.Result, err = json.Marshal(result); err != nil {
			row.State, row.Message = store.Failed, err.Error()
		}
	case errors.Is(err, errCancelled):
		row.State = store.Cancelled
	case errors.Is(err, errInterrupted):
		row.State = store.Interrupted
	default:
		row.State = store.Failed
		row.Message, _ = inWords(err)
		h.Log.Error("bench failed", "design", row.DesignID, "revision", row.N, "err", err.Error())
	}
	if err := h.Store.EndBench(context.WithoutCancel(ctx), row); err != nil {
		h.Log.Error("keep how a bench ended", "design", row.DesignID, "err", err.Error())
	}
}

// bench runs on an engine of its own: what it fills and how it may fail is no
// other page's matter.
func (h *Handlers) bench(ctx context.Context, live *liveBench, doc *designer.Design, size bench.Size) (*bench.Result, error) {
	live.hear(0, 1, "start a ClickHouse of its own")
	engine, err := sandbox.Start(ctx, sandbox.Options{MaxMemoryBytes: benchMemory})
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	rollup, err := resolveOn(ctx, engine, doc)
	if err != nil {
		return nil, cmpLeft(engine, err)
	}
	result, err := bench.Run(ctx, engine, rollup, size, bench.DefaultLimits, live.hear)
	if err := cmpLeft(engine, err); err != nil {
		return nil, err
	}
	return result, nil
}

// resolveOn has an engine judge a document's expressions.
func resolveOn(ctx context.Context, engine *sandbox.Engine, doc *designer.Design) (*designer.Rollup, error) {
	facts, err := engine.Analyse(ctx, doc)
	if err != nil {
		return nil, err
	}
	return designer.Resolve(doc, facts)
}

// cancelBench ends a bench that runs.
func (h *Handlers) cancelBench(w http.ResponseWriter, r *http.Request) error {
	d, n, err := h.addressed(r)
	if err != nil {
		return err
	}
	if live := h.benches.running(d.ID, n); live != nil {
		live.cancel(errCancelled)
		for range 50 { // what it says next is that it was cancelled
			if h.benches.running(d.ID, n) != live {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	return seeOther(w, r, fmt.Sprintf("/d/%s/r/%d/bench", d.ID, n))
}

// recoverBenches marks what an earlier server left unfinished.
func (h *Handlers) recoverBenches() {
	if err := h.Store.InterruptBenches(h.base); err != nil {
		h.Log.Error("mark interrupted benches", "err", err.Error())
	}
}
