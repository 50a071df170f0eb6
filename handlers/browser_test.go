package handlers_test

import (
	"context"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/rollsmith/rollsmith/web"
)

// browser is a real Chromium, with what its console said.
type browser struct {
	t    *testing.T
	ctx  context.Context
	mu   sync.Mutex
	said []string
}

// patience bounds a whole browser test on a busy machine.
const patience = 3 * time.Minute

// chromium starts a browser with an empty profile.
func chromium(t *testing.T) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Fatal("no Chromium on the PATH: install the package chromium")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	b.do("start", chromedp.Navigate("about:blank"))
	go func() {
		for m, err := range chromedp.Console(ctx) {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.said = append(b.said, m.String())
			b.mu.Unlock()
		}
	}()
	return b
}

// do runs steps, which have to work.
func (b *browser) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		where, _ := chromedp.Run(b.ctx, chromedp.Location())
		b.t.Fatalf("%s (at %s): %v", what, where, err)
	}
}

// ask evaluates a script.
func ask[T any](b *browser, script string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script))
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return v
}

// size gives the window's size and colours.
func (b *browser) size(width, height int64, colours string) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600}); err != nil {
		b.t.Fatal(err)
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: colours}}}); err != nil {
		b.t.Fatal(err)
	}
}

// quiet fails when the console said anything: a policy that was broken, a
// script that failed, a file that was not there.
func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.said {
		if !strings.Contains(m, "status of 422") && !strings.Contains(m, "status of 404") { // a page of ours that says no
			b.t.Errorf("the console says: %s", m)
		}
	}
	b.said = nil
}

func (b *browser) where() string { return ask[string](b, "location.pathname") }

// press clicks and waits for the page that follows.
func (b *browser) press(what, selector string) {
	b.t.Helper()
	b.do(what, chromedp.WaitVisible(selector))
	ask[bool](b, "window.leaving = true")
	b.do(what, chromedp.Click(selector))
	b.settled(what)
}

// settled waits until another page stands. A page that is about to go takes its
// scripts with it, so a question that fails is asked again.
func (b *browser) settled(what string) {
	b.t.Helper()
	for b.ctx.Err() == nil {
		stands, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`!window.leaving && document.readyState === "complete"`))
		if err == nil && stands {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.t.Fatalf("%s: no page follows", what)
}

// arrived waits until the browser stands at an address that ends so; a page
// that comes out of the browser's memory is not loaded again.
func (b *browser) arrived(end string) {
	b.t.Helper()
	for b.ctx.Err() == nil {
		path, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.readyState === "complete" ? location.pathname : ""`))
		if err == nil && strings.HasSuffix(path, end) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.t.Fatalf("never at %s", end)
}

func (b *browser) fill(selector, value string) {
	b.t.Helper()
	b.do("fill "+selector, chromedp.WaitVisible(selector), chromedp.SetValue(selector, value))
}

// The way of a newcomer, in a real browser: home, table, wizard, design, link.
func TestARealBrowserWalksFromHomeToABundle(t *testing.T) {
	s, b := open(t), chromium(t)
	b.size(1440, 900, "light")
	b.do("home", chromedp.Navigate(s.url+"/"))
	b.press("open the table", `a[href$="/tables/shop/orders"]`)
	b.press("design a rollup", `form[action="/designs/new"] button`)
	if !strings.HasSuffix(b.where(), "/feed") {
		t.Fatalf("at %s", b.where())
	}
	b.press("the feed as inferred", `button[data-main]`)
	b.do("metric", chromedp.SetValue("#metrics-0-kind", "sum"))
	b.fill("#metrics-0-expr", "amuont")
	b.press("a mistake", `button[data-main]`)
	if title := ask[string](b, "document.title"); !strings.HasPrefix(title, "Error: ") {
		t.Errorf("title %q", title)
	}
	if !ask[bool](b, `document.activeElement.classList.contains("errors")`) {
		t.Error("the summary of errors has not taken the focus")
	}
	b.fill("#metrics-0-expr", "amount")
	b.press("add a metric", `button[value="add"]`)
	b.do("second metric", chromedp.SetValue("#metrics-1-kind", "count_distinct"))
	b.fill("#metrics-1-expr", "user_id")
	if !ask[bool](b, `getComputedStyle(document.querySelector("#metrics-1 .k-exact")).display !== "none" && getComputedStyle(document.querySelector("#metrics-1 .k-level")).display === "none"`) {
		t.Error("the inputs do not follow the kind")
	}
	ask[bool](b, "window.leaving = true")
	b.do("continue by keyboard", chromedp.SendKeys("#metrics-1-expr", kb.Enter))
	b.settled("continue by keyboard")
	if !strings.HasSuffix(b.where(), "/grain") {
		t.Fatalf("at %s", b.where())
	}
	b.press("a dimension", `button[value="add"]`)
	b.fill("#grain-dimensions-0-expr", "country")
	b.press("grain", `button[data-main]`)
	b.fill("#filter", "status != 'test'")
	b.press("filter", `button[data-main]`)
	b.press("measure", `button[value="probe-stability"]`)
	if !ask[bool](b, `document.getElementById("stability-dimensions-0-mutable").checked`) {
		t.Error("that the country was seen to change is not suggested")
	}
	b.do("stable", chromedp.Click("#stability-time"))
	b.press("stability", `button[data-main]`)
	b.do("overlap", chromedp.Click("#backfill-mode-overlap"))
	b.press("delivery", `button[data-main]`)
	b.do("choice", chromedp.WaitVisible("#why"))
	back := b.where()
	ask[bool](b, "history.back() === undefined")
	b.arrived("/delivery")
	if got := ask[string](b, `document.getElementById("name").value`); got != "orders_by_day" {
		t.Errorf("going back lost the name: %q", got)
	}
	b.do("forward", chromedp.Navigate(s.url+back))
	b.fill("#author", "Ada")
	b.press("save", `button[formaction$="/save"]`)
	design := b.where()
	if !strings.HasPrefix(design, "/d/") {
		t.Fatalf("at %s", design)
	}
	b.quiet()

	friend := chromium(t)
	friend.do("the link in a fresh profile", chromedp.Navigate(s.url+design), chromedp.WaitVisible(`a[href$="/bundle.zip"]`))
	if !ask[bool](friend, `document.body.innerText.includes("replacing")`) {
		t.Error("the friend does not see the pattern")
	}
	friend.quiet()
	bundle := ask[string](friend, `document.querySelector('a[href$="/bundle.zip"]').getAttribute("href")`)
	if got := manifestPattern(t, s, bundle); got != "replacing" {
		t.Errorf("pattern %q", got)
	}
}

func TestSearchAsYouTypeInARealBrowser(t *testing.T) {
	s, b := open(t), chromium(t)
	b.do("cluster", chromedp.Navigate(s.url+"/clusters/demo"), chromedp.WaitVisible("#q"), chromedp.SendKeys("#q", "payments"))
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool](`document.querySelectorAll("#table-list tbody tr").length === 1`)); err != nil {
		t.Fatalf("the list does not follow: %v", err)
	}
	if got := ask[string](b, "location.search"); !strings.Contains(got, "q=payments") {
		t.Errorf("the address says %q", got)
	}
	b.quiet()
}

// Every page fits a phone and a desk, light and dark, without a word from the
// console.
func TestEveryPageFitsEveryWindow(t *testing.T) {
	s, b := open(t), chromium(t)
	design := s.walk(walks[3])
	draft := strings.TrimSuffix(s.post(design+"/edit"), "/choice")
	s.post(design+"/comments", "n", "1", "body", strings.Repeat("a-very-long-word-", 40))
	pages := []string{"/", "/clusters/demo", "/clusters/gone", "/clusters/demo/audit", web.TableURL("demo", "shop", walks[3].table), "/designs/new", design, design + "/r/1/plan", design + "/diff/1..1", "/handbook/", "/handbook/why", "/nothing"}
	for _, step := range []string{"feed", "metrics", "grain", "filter", "stability", "delivery", "choice"} {
		pages = append(pages, draft+"/"+step)
	}
	for _, window := range []struct {
		width   int64
		colours string
	}{{360, "dark"}, {390, "light"}, {1440, "light"}} {
		b.size(window.width, 900, window.colours)
		for _, page := range pages {
			b.do(page, chromedp.Navigate(s.url+page))
			if wide := ask[int64](b, "document.documentElement.scrollWidth"); wide > window.width {
				t.Errorf("%s is %d wide in a window of %d: %s", page, wide, window.width, ask[string](b, tooWide))
			}
			if small := ask[string](b, tooSmall); small != "" {
				t.Errorf("%s at %d: smaller than 24 pixels: %s", page, window.width, small)
			}
		}
	}
	b.quiet()
}

// tooWide names the elements that reach out of the window.
const tooWide = `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, pre, .tree")).slice(0, 3).map((e) => e.tagName + "." + e.className).join(" ")`

// tooSmall names buttons and inputs that a thumb would miss.
const tooSmall = `[...document.querySelectorAll("main button:not(.vh), main input:not([type=hidden]):not([type=radio]):not([type=checkbox]), main select, summary")].filter((e) => e.offsetParent && e.getBoundingClientRect().height < 24).slice(0, 3).map((e) => e.outerHTML.slice(0, 80)).join(" ")`

// Without scripts the wizard is the same: forms and links.
func TestTheWizardWorksWithoutScripts(t *testing.T) {
	s, b := open(t), chromium(t)
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.do("table", chromedp.Navigate(s.url+"/clusters/demo/tables/shop/events"), chromedp.Click(`form[action="/designs/new"] button`), chromedp.WaitVisible("#source-feed"),
		chromedp.Click(`button[data-main]`), chromedp.WaitVisible("#metrics-0-kind"),
		chromedp.Click(`button[value="add"]`), chromedp.WaitVisible("#metrics-1-kind"), chromedp.Click(`button[value="remove-1"]`), chromedp.WaitNotPresent("#metrics-1-kind"),
		chromedp.Click(`button[data-main]`), chromedp.WaitVisible("#grain-time-column"),
		chromedp.Click(`button[data-main]`), chromedp.WaitVisible("#filter"),
		chromedp.Click(`button[data-main]`), chromedp.WaitVisible("#stability-settles"),
		chromedp.Click(`button[data-main]`), chromedp.WaitVisible("#name"),
		chromedp.Click(`button[data-main]`), chromedp.WaitVisible("#why"),
		chromedp.Click(`button[formaction$="/save"]`), chromedp.WaitVisible(`a[href$="/bundle.zip"]`))
	where, err := chromedp.Run(b.ctx, chromedp.Location())
	if err != nil || !strings.HasPrefix(where, s.url+"/d/") {
		t.Errorf("at %s, %v", where, err)
	}
	b.quiet()
}
