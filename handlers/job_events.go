package handlers

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/web"
)

// Bounds of streams. Proxies close what says nothing for long, and a reader
// sees no more than a few pictures a second.
const (
	mostStreams     = 200
	heartbeat       = 15 * time.Second
	streamGap       = 150 * time.Millisecond
	streamTick      = time.Second      // the clock on the page goes on
	streamWriteTime = 20 * time.Second // for one event to leave
)

// streams counts those that are open.
var streams atomic.Int64

// streamJob sends the progress of a job as server-sent events. Every event is
// the whole picture, so a reader who comes back with the number of the last one
// seen has missed nothing: a newer picture is sent, or the end.
func (h *Handlers) streamJob(w http.ResponseWriter, r *http.Request) error {
	id := param(r, "job")
	if _, _, err := h.jobView(r.Context(), id); err != nil {
		return err
	}
	if streams.Add(1) > mostStreams {
		streams.Add(-1)
		w.Header().Set("Retry-After", strconv.Itoa(int(retryAfter.Seconds())))
		return &problem.Error{Kind: problem.Limit, Code: "streams-full", Message: "Too many pages are watching.", Hint: "Reload this one from time to time."}
	}
	defer streams.Add(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	s := &stream{w: w, r: r, control: http.NewResponseController(w)}
	s.seen, _ = strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	h.follow(s, id)
	return nil
}

// stream is one reader's connection.
type stream struct {
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
	seen    int64 // number of the last picture the reader has
	said    time.Time
}

// follow sends pictures until the job is over or the reader has left.
func (h *Handlers) follow(s *stream, id string) {
	tick := time.NewTicker(streamTick)
	defer tick.Stop()
	for first := true; ; first = false {
		var changed <-chan struct{}
		if j := h.jobs.running(id); j != nil {
			_, _, _, changed = j.look() // before the picture: what comes between is not missed
		}
		v, seq, err := h.jobView(s.r.Context(), id)
		if err != nil {
			return
		}
		if v.Over() {
			if seq > s.seen {
				s.say(fmt.Sprintf("id: %d\ndata: %s\n\n", seq, s.picture(v)))
			}
			s.say("event: done\ndata: " + v.State + "\n\n")
			return
		}
		switch {
		case seq > s.seen:
			s.seen = seq
			err = s.say(fmt.Sprintf("id: %d\ndata: %s\n\n", seq, s.picture(v)))
		case time.Since(s.said) >= heartbeat:
			err = s.say(": still here\n\n")
		case !first:
			err = s.say("data: " + s.picture(v) + "\n\n") // only the clock went on
		}
		if err != nil || !h.pause(s, changed, tick) {
			return
		}
	}
}

// pause waits for something new to show; false where there is nobody to show it
// to.
func (h *Handlers) pause(s *stream, changed <-chan struct{}, tick *time.Ticker) bool {
	gap := time.NewTimer(streamGap)
	defer gap.Stop()
	select {
	case <-gap.C:
	case <-s.r.Context().Done():
		return false
	case <-h.base.Done():
		return false
	}
	select {
	case <-changed:
	case <-tick.C:
	case <-s.r.Context().Done():
		return false
	case <-h.base.Done():
		return false
	}
	return true
}

// picture renders the progress on one line. It is plain HTML: htmx attributes
// would be stripped, as they carry another response's nonce.
func (s *stream) picture(v web.Job) string {
	if v.Over() {
		return "<p>It is over.</p>"
	}
	var b strings.Builder
	if err := web.JobProgressRegion(v).Render(s.r.Context(), &b); err != nil {
		return ""
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// say sends text now.
func (s *stream) say(text string) error {
	s.said = time.Now()
	if err := s.control.SetWriteDeadline(s.said.Add(streamWriteTime)); err != nil {
		return err
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
