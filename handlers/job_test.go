package handlers_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/handlers"
	"github.com/rollsmith/rollsmith/proof"
	"github.com/rollsmith/rollsmith/sandbox"
	"github.com/rollsmith/rollsmith/store"
)

// opened gives the site, whose jobs end with the test.
func opened(t *testing.T) *site {
	t.Helper()
	s := open(t)
	t.Cleanup(s.app.Drain)
	return s
}

// serve gives the site of another app on the same store.
func serve(t *testing.T, app *handlers.Handlers) *site {
	t.Helper()
	server := httptest.NewServer(app.Handler())
	t.Cleanup(server.Close)
	return &site{t: t, app: app, url: server.URL}
}

// events reads a job's stream until it ends.
func (s *site) events(job string, head ...string) []event {
	s.t.Helper()
	r := s.do("GET", job+"/events", nil, head...)
	if kind := r.header.Get("Content-Type"); r.status != http.StatusOK || kind != "text/event-stream" {
		s.t.Fatalf("%s/events: %d %s", job, r.status, kind)
	}
	return parseEvents(r.body)
}

type event struct {
	id         int64
	name, data string
}

func parseEvents(body string) []event {
	var all []event
	for _, block := range strings.Split(body, "\n\n") {
		var e event
		lines := bufio.NewScanner(strings.NewReader(block))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			switch field, value, _ := strings.Cut(lines.Text(), ": "); field {
			case "id":
				e.id, _ = strconv.ParseInt(value, 10, 64)
			case "event":
				e.name = value
			case "data":
				e.data += value
			}
		}
		if e.name != "" || e.data != "" {
			all = append(all, e)
		}
	}
	return all
}

func TestAProofIsShownLiveKeptAndTold(t *testing.T) {
	s := opened(t)
	design := s.walk(walks[0])
	job := s.post(design+"/r/1/prove", "seed", "7", "rounds", "12", "rows", "8")
	if !strings.HasPrefix(job, "/jobs/") {
		t.Fatalf("it leads to %s", job)
	}
	running := s.get(job)
	for _, want := range []string{`http-equiv="refresh"`, job + "/cancel", job + "/events"} {
		if !strings.Contains(running, want) {
			t.Errorf("the page of a running job lacks %q", want)
		}
	}
	seen := s.events(job)
	last := int64(0)
	for _, e := range seen {
		if strings.Contains(e.data, "hx-") {
			t.Errorf("the stream carries htmx attributes: %s", clip(e.data))
		}
		if e.id != 0 && e.id <= last {
			t.Errorf("event %d comes after %d", e.id, last)
		}
		last = max(last, e.id)
	}
	if end := seen[len(seen)-1]; end.name != "done" || end.data != store.Done {
		t.Fatalf("the stream ends with %+v", end)
	}
	if again := s.events(job, "Last-Event-ID", strconv.FormatInt(last, 10)); len(again) != 1 || again[0].name != "done" {
		t.Errorf("who has seen the end is sent %+v", again)
	}
	if again := s.events(job, "Last-Event-ID", "1"); len(again) != 2 || again[0].id != last {
		t.Errorf("who has seen little is sent %+v", again)
	}
	over := s.get(job)
	if strings.Contains(over, `http-equiv="refresh"`) {
		t.Error("a page that is over reloads")
	}
	for name, page := range map[string]string{"the job": over, "the proofs": s.get(design + "/r/1/proof")} {
		for _, want := range []string{"Proved: 12 rounds", "seed 7, on ClickHouse", "After an insert, while nothing merges", "gave a wrong answer", "the view writes", "✕", "rollsmith prove design.json --seed 7 --rounds 12 --rows 8"} {
			if !strings.Contains(text(page), want) {
				t.Errorf("the page of %s lacks %q:\n%s", name, want, clip(text(page)))
			}
		}
	}
	if page := text(s.get(design + "/r/1")); !strings.Contains(page, "Proved: 12 rounds") {
		t.Errorf("the revision does not say it first:\n%s", clip(page))
	}
}

// A revision that was once seen to answer wrongly stays disproved, whatever
// other histories show.
func TestARevisionThatIsDisprovedSaysHow(t *testing.T) {
	s := opened(t)
	ctx := context.Background()
	design := s.walk(walks[0])
	doc, err := designer.Parse([]byte(s.get(design + "/r/1/design.json")))
	if err != nil {
		t.Fatal(err)
	}
	running, err := box.Engine()
	if err != nil {
		t.Fatal(err)
	}
	result, err := proof.Force(ctx, running, doc, "aggregating", proof.Options{Seed: 3, Rounds: 20, Rows: 8}, nil)
	if err != nil || result.OK {
		t.Fatalf("%+v, %v", result, err)
	}
	found, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimPrefix(design, "/d/")
	for _, p := range []store.Proof{{State: store.Refuted, Result: found}, {State: store.Proven, Result: []byte(`{"ok":true}`)}, {State: store.NotProven, Result: []byte(`{"error":"It took too long."}`)}} {
		p.DesignID, p.N, p.Seed, p.Rounds, p.Engine = id, 1, 3, 20, "26.7"
		if err := s.app.Store.AddProof(ctx, &p); err != nil {
			t.Fatal(err)
		}
	}
	for path, wants := range map[string][]string{
		design:                {"Disproved: 20 rounds", "How it goes wrong"},
		design + "/r/1/proof": {"Disproved: 20 rounds", "The shortest history that was found", "the view writes", "the truth", "--seed 3", "? not proven"},
	} {
		page := text(s.get(path))
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s lacks %q:\n%s", path, want, clip(page))
			}
		}
	}
}

func TestAProofThatIsCancelledLeavesNothing(t *testing.T) {
	s := opened(t)
	design := s.walk(walks[0])
	job := s.post(design+"/r/1/prove", "rounds", "500", "rows", "200")
	if to := s.post(job + "/cancel"); to != job {
		t.Errorf("it leads to %s", to)
	}
	if end := s.events(job); end[len(end)-1].data != store.Cancelled {
		t.Errorf("it ends as %+v", end[len(end)-1])
	}
	if page := text(s.get(job)); !strings.Contains(page, "Cancelled. Nothing was proved") {
		t.Errorf("the page says\n%s", clip(page))
	}
	s.post(job + "/cancel") // once more does no harm
	if page := text(s.get(design + "/r/1/proof")); !strings.Contains(page, "Not proven yet") {
		t.Errorf("the revision's proofs say\n%s", clip(page))
	}
}

func TestAServerThatStopsLeavesItsJobsInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	saved, err := store.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer saved.Close()
	left := &store.Job{Kind: store.WhyNot, Draft: store.NewID(), Document: []byte(`{"format":1,"name":"left"}`), Pattern: "summing", Seed: 1, Rounds: 1, Rows: 1}
	if err := saved.AddJob(ctx, left); err != nil {
		t.Fatal(err)
	}
	if err := saved.StartJob(ctx, left); err != nil {
		t.Fatal(err)
	}
	app := handlers.New(handlers.Options{Store: saved, Clusters: handlers.NewClusters(), Sandbox: box, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	s := serve(t, app)
	page := s.get("/jobs/" + left.ID)
	if !strings.Contains(text(page), "Interrupted: the server was stopped") || !strings.Contains(page, "/jobs/"+left.ID+"/again") {
		t.Errorf("the page says\n%s", clip(text(page)))
	}
}

func TestJobsOfAServerThatDrainsAreInterrupted(t *testing.T) {
	s := opened(t)
	design := s.walk(walks[0])
	job := s.post(design+"/r/1/prove", "rounds", "500", "rows", "200")
	s.app.Drain()
	for {
		if page := s.get(job); strings.Contains(text(page), "Interrupted: the server was stopped") {
			break
		} else if !strings.Contains(page, `http-equiv="refresh"`) {
			t.Fatalf("the page says\n%s", clip(text(page)))
		}
	}
}

func TestMoreJobsThanThereArePlacesAreRefused(t *testing.T) {
	s := opened(t)
	design := s.walk(walks[0])
	var taken []string
	for range 12 {
		taken = append(taken, s.post(design+"/r/1/prove", "rounds", "500", "rows", "200"))
	}
	if page := text(s.get(taken[11])); !strings.Contains(page, "Waiting for its turn: 11 jobs before it") {
		t.Errorf("who waits is told\n%s", clip(page))
	}
	r := s.do("POST", design+"/r/1/prove", form())
	if seconds, err := strconv.Atoi(r.header.Get("Retry-After")); r.status != http.StatusTooManyRequests || err != nil || seconds < 1 {
		t.Errorf("one too many: %d, Retry-After %q", r.status, r.header.Get("Retry-After"))
	}
	sound(t, "refused", r.body)
	s.post(taken[11] + "/cancel")
	s.post(design + "/r/1/prove") // there is a place again
	for _, job := range taken {
		s.post(job + "/cancel")
	}
}

// An engine that has no memory is no engine: what it cannot do is not proved.
func TestAnEngineThatFailsProvesNothing(t *testing.T) {
	s := opened(t)
	s.app.ProofEngine = &sandbox.Options{MaxMemoryBytes: 1 << 20}
	design := s.walk(walks[0])
	job := s.post(design+"/r/1/prove", "rounds", "3")
	if end := s.events(job); end[len(end)-1].data != store.Failed {
		t.Errorf("it ends as %+v", end[len(end)-1])
	}
	if page := text(s.get(job)); !strings.Contains(page, "Not proven.") {
		t.Errorf("the page says\n%s", clip(page))
	}
	for _, path := range []string{design + "/r/1/proof", design + "/r/1"} {
		if page := text(s.get(path)); !strings.Contains(page, "Not proven") || strings.Contains(page, "Proved:") {
			t.Errorf("%s says\n%s", path, clip(page))
		}
	}
}

func TestEveryRejectedPatternShowsWhy(t *testing.T) {
	s := opened(t)
	design := s.walk(walks[0])
	for pattern, want := range map[string]string{
		"aggregating": "It answers wrongly",
		"direct":      "it answers rightly, too",
	} {
		job := s.post(design+"/r/1/why-not/"+pattern, "rounds", "20", "rows", "8")
		s.events(job)
		page := text(s.get(job))
		for _, want := range []string{want, "What is said against it", "--pattern " + pattern + " --force"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s lacks %q:\n%s", pattern, want, clip(page))
			}
		}
	}
	if r := s.do("POST", design+"/r/1/why-not/nothing", form()); r.status != http.StatusNotFound {
		t.Errorf("a pattern that is not there: %d", r.status)
	}
	if r := s.do("POST", design+"/r/1/why-not/direct", form("rounds", "0")); r.status != http.StatusUnprocessableEntity {
		t.Errorf("no rounds: %d", r.status)
	}
}

func TestTheWizardShowsWhyNotToo(t *testing.T) {
	s := opened(t)
	draft := strings.TrimSuffix(s.post(s.walk(walks[2])+"/edit"), "/choice")
	page := s.get(draft + "/choice")
	at := draft + "/why-not/summing"
	if !strings.Contains(page, `action="`+at+`"`) {
		t.Fatalf("the choice does not offer it:\n%s", clip(text(page)))
	}
	job := s.post(at, "rounds", "20", "rows", "8")
	s.events(job)
	if page := text(s.get(job)); !strings.Contains(page, "It answers wrongly") || !strings.Contains(page, "Back to the wizard") {
		t.Errorf("it says\n%s", clip(page))
	}
}

// A search that ends without a counterexample says no more than that.
func TestASearchThatFindsNothingSaysSo(t *testing.T) {
	s := opened(t)
	design := s.walk(walks[0])
	for seed := 2; seed < 20; seed++ { // one change is seldom enough to break it
		job := s.post(design+"/r/1/why-not/aggregating", "seed", strconv.Itoa(seed), "rounds", "1", "rows", "1")
		s.events(job)
		page := text(s.get(job))
		if strings.Contains(page, "It answers wrongly") {
			continue
		}
		if !strings.Contains(page, "None found in 1 round.") || !strings.Contains(page, "That does not make it right") {
			t.Errorf("it says\n%s", clip(page))
		}
		return
	}
	t.Error("every history of one change breaks it")
}

// In a real browser the page follows the proof on one stream, and is loaded anew
// only to show the verdict.
func TestARealBrowserFollowsAProof(t *testing.T) {
	s, b := opened(t), chromium(t)
	design := s.walk(walks[0])
	b.size(1440, 900, "light")
	b.do("the proofs", chromedp.Navigate(s.url+design+"/r/1/proof"))
	b.fill("#proof-rounds", "6")
	b.fill("#proof-rows", "6")
	b.press("prove it", `form[action$="/prove"] button`)
	if !strings.HasPrefix(b.where(), "/jobs/") {
		t.Fatalf("at %s", b.where())
	}
	b.do("the verdict", chromedp.WaitVisible("#checkpoints"))
	if !ask[bool](b, `document.body.innerText.includes("Proved: 6 rounds")`) {
		t.Error("the page does not say that it is proved")
	}
	for route, want := range map[string]int{"/jobs/{job}": 2, "/jobs/{job}/events": 1} {
		if got := strings.Count(s.log.String(), `"method":"GET","route":"`+route+`"`); got != want {
			t.Errorf("%s was asked for %d times, not %d", route, got, want)
		}
	}
	if ask[bool](b, `!!document.querySelector('form[action$="/cancel"]')`) {
		t.Error("what is over can still be cancelled")
	}
	b.press("the revision", `.verdict a[href*="/r/1"]`)
	b.press("show me", `form[action$="/why-not/aggregating"] button`)
	b.do("the story", chromedp.WaitVisible("#why-not-story"))
	for _, width := range []int64{390, 1440} {
		b.size(width, 900, "dark")
		if wide := ask[int64](b, "document.documentElement.scrollWidth"); wide > width {
			t.Errorf("the story is %d wide in a window of %d: %s", wide, width, ask[string](b, tooWide))
		}
		if small := ask[string](b, tooSmall); small != "" {
			t.Errorf("smaller than 24 pixels: %s", small)
		}
	}
	b.quiet()
}

// Without scripts the page of a job reloads until it is over.
func TestAProofIsFollowedWithoutScripts(t *testing.T) {
	s, b := opened(t), chromium(t)
	design := s.walk(walks[0])
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.do("prove it", chromedp.Navigate(s.url+design+"/r/1/proof"), chromedp.WaitVisible("#proof-rounds"), chromedp.SetValue("#proof-rounds", "6"), chromedp.SetValue("#proof-rows", "6"),
		chromedp.Click(`form[action$="/prove"] button`), chromedp.WaitVisible("#checkpoints"))
	b.quiet()
}
