// Package web renders pages: templ components over plain structs that are
// shaped like the screen. Run `go run github.com/a-h/templ/cmd/templ@v0.3.1100
// generate -path web` after a change of a .templ file.
package web

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/rollsmith/rollsmith/problem"
)

// Page is the frame of a page.
type Page struct {
	Title  string
	Area   string // the entry of the navigation it belongs to
	Crumbs []Link
	Failed bool   // the title then begins with "Error: "
	Stamp  string // printed at the head of the paper
}

// Link is a text that leads somewhere.
type Link struct{ Text, URL string }

// FullTitle is what the browser's tab shows.
func (p Page) FullTitle() string {
	title := p.Title + " · Rollsmith"
	if p.Failed {
		title = "Error: " + title
	}
	return title
}

type themeKey struct{}

// WithTheme tells the layout which colours were asked for: light, dark or "".
func WithTheme(ctx context.Context, theme string) context.Context {
	return context.WithValue(ctx, themeKey{}, theme)
}

func theme(ctx context.Context) string {
	t, _ := ctx.Value(themeKey{}).(string)
	return t
}

type pathKey struct{}

// WithPath tells the layout the address of the page, to come back to.
func WithPath(ctx context.Context, path string) context.Context {
	return context.WithValue(ctx, pathKey{}, path)
}

func pathOf(ctx context.Context) string {
	p, _ := ctx.Value(pathKey{}).(string)
	return p
}

// htmxConfig keeps htmx within the content security policy: its own style sheet
// would be an inline one.
const htmxConfig = `{"extensions":"hx-csp,sse","includeIndicatorCSS":false,"history":"reload"}`

// hx gives htmx attributes, with the nonce without which hx-csp strips them.
func hx(ctx context.Context, pairs ...string) templ.Attributes {
	a := templ.Attributes{"hx-nonce": templ.GetNonce(ctx)}
	for i := 0; i+1 < len(pairs); i += 2 {
		a["hx-"+pairs[i]] = pairs[i+1]
	}
	return a
}

// FieldError is one mistake of a form: which input, and what to do.
type FieldError struct {
	ID   string // of the input; empty for the form as a whole
	URL  string // set where the input stands on another page
	Text string
}

// Errors are the mistakes of a form, in the order of its inputs.
type Errors []FieldError

// At gives the message for one input, or "".
func (e Errors) At(id string) string {
	for _, one := range e {
		if one.ID == id && one.URL == "" {
			return one.Text
		}
	}
	return ""
}

func (e FieldError) link() templ.SafeURL {
	if e.URL != "" {
		return templ.SafeURL(e.URL)
	}
	if e.ID == "" {
		return "#main"
	}
	return templ.SafeURL("#" + e.ID)
}

// Trouble is a problem as a page shows it.
type Trouble struct {
	Status  int
	Title   string
	Message string
	Hint    string
	Code    string
	Request string
}

// TroubleOf tells a problem without its cause.
func TroubleOf(err error) *Trouble {
	if err == nil {
		return nil
	}
	if p, ok := problem.As(err); ok {
		return &Trouble{Message: Sentence(p.Message), Hint: Sentence(p.Hint), Code: p.Code}
	}
	return &Trouble{Message: "Something went wrong on our side.", Hint: "The log says what."}
}

// Sentence gives a message a capital and a full stop.
func Sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return s
	}
	if first := s[0]; first >= 'a' && first <= 'z' && !strings.ContainsAny(firstWord(s), "._(`") {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	if strings.ContainsRune(".!?:;)", rune(s[len(s)-1])) {
		return s
	}
	return s + "."
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

// Count writes a whole number with thin groups: 1 234 567.
func Count[N ~int | ~int64 | ~uint64 | ~uint32](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteRune('\u202f')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// Bytes writes a size with a binary unit.
func Bytes(n uint64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	f, i := float64(n), 0
	for f >= 1024 && i < len(units)-1 {
		f /= 1024
		i++
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	if f >= 100 {
		return fmt.Sprintf("%.0f %s", f, units[i])
	}
	return fmt.Sprintf("%.1f %s", f, units[i])
}

// Took writes a duration as a reader needs it.
func Took(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// Plural writes "1 table" or "3 tables".
func Plural[N ~int | ~uint64 | ~uint32](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	if strings.HasSuffix(one, "y") {
		return Count(n) + " " + strings.TrimSuffix(one, "y") + "ies"
	}
	return Count(n) + " " + one + "s"
}

func stamp(t time.Time) string   { return t.UTC().Format("2006-01-02 15:04 UTC") }
func machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// short is the part of a hash that people compare.
func short(hash string) string { return hash[:min(12, len(hash))] }

func themeAttribute(theme string) templ.Attributes {
	if theme == "" {
		return templ.Attributes{}
	}
	return templ.Attributes{"data-theme": theme}
}

// clip keeps the beginning of a text.
func clip(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most]) + "…"
}
