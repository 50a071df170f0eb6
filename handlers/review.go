package handlers

import (
	"bytes"
	"net/http"
	"regexp"
	"strconv"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"github.com/rollsmith/rollsmith/store"
	"github.com/rollsmith/rollsmith/web"
)

// markdown has no attributes: `# x {data-hx-get="/y"}` must stay text.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough))

// sanitizer is the second layer. Images are left out: a remote one would tell
// who reads.
var sanitizer = newSanitizer()

func newSanitizer() *bluemonday.Policy {
	p := bluemonday.UGCPolicy()
	p.SkipElementsContent("script", "style")
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	return p
}

var images = regexp.MustCompile(`(?i)<img[^>]*>`)

// headings of a comment stand below those of the page.
var headings = regexp.MustCompile(`<(/?)h[1-6]>`)

// safeHTML renders a person's Markdown.
func safeHTML(text string) string {
	var b bytes.Buffer
	if err := markdown.Convert([]byte(text), &b); err != nil {
		return ""
	}
	return headings.ReplaceAllString(images.ReplaceAllString(sanitizer.Sanitize(b.String()), ""), "<${1}h4>")
}

const maxComment = 20 << 10

var anchorForm = regexp.MustCompile(`^[A-Za-z0-9_-]{0,120}$`)

// addComment keeps a remark on a revision.
func (h *Handlers) addComment(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(r)
	if err != nil {
		return err
	}
	d, err := h.Store.Design(r.Context(), param(r, "id"))
	if err != nil {
		return err
	}
	n := f.number("n", 1<<30)
	c := store.Comment{DesignID: d.ID, N: n, Anchor: f.text("anchor"), Author: f.text("author"), Body: f.text("body")}
	if errs := commentMistakes(c); len(errs) > 0 {
		return h.showDesign(w, r, d, n, errs, c.Body)
	}
	if _, err := h.Store.Revision(r.Context(), d.ID, n); err != nil {
		return err
	}
	if err := h.Store.AddComment(r.Context(), &c); err != nil {
		return err
	}
	rememberAuthor(w, r, c.Author)
	return seeOther(w, r, revisionURL(d.ID, n)+"#comment-"+strconv.FormatInt(c.ID, 10))
}

func revisionURL(id string, n int) string { return "/d/" + id + "/r/" + strconv.Itoa(n) }

func commentMistakes(c store.Comment) web.Errors {
	var errs web.Errors
	if len(c.Author) > maxAuthor {
		errs = append(errs, web.FieldError{ID: "author", Text: "The name is too long: 200 letters at most."})
	}
	if !anchorForm.MatchString(c.Anchor) {
		errs = append(errs, web.FieldError{ID: "anchor", Text: "Choose what the comment is about."})
	}
	switch {
	case c.Body == "":
		errs = append(errs, web.FieldError{ID: "body", Text: "Write what you think."})
	case len(c.Body) > maxComment:
		errs = append(errs, web.FieldError{ID: "body", Text: "The comment is too long: 20 KiB at most."})
	}
	return errs
}

// resolveComment marks a comment as dealt with, or opens it again.
func (h *Handlers) resolveComment(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(r)
	if err != nil {
		return err
	}
	comment, _ := strconv.ParseInt(param(r, "comment"), 10, 64)
	id := param(r, "id")
	if err := h.Store.ResolveComment(r.Context(), id, comment, authorOf(r), f.text("resolved") == "1"); err != nil {
		return err
	}
	return seeOther(w, r, revisionURL(id, max(1, f.number("n", 1<<30)))+"#comment-"+strconv.FormatInt(comment, 10))
}

// approve keeps a person's word for one revision's hash.
func (h *Handlers) approve(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(r)
	if err != nil {
		return err
	}
	d, err := h.Store.Design(r.Context(), param(r, "id"))
	if err != nil {
		return err
	}
	n := f.number("n", 1<<30)
	a := store.Approval{DesignID: d.ID, Hash: f.text("hash"), Author: f.text("author"), Note: f.text("body")}
	switch {
	case a.Author == "":
		return h.showDesign(w, r, d, n, web.Errors{{ID: "author", Text: "An approval needs a name: type yours."}}, a.Note)
	case len(a.Author) > maxAuthor, len(a.Note) > maxNote:
		return h.showDesign(w, r, d, n, web.Errors{{ID: "body", Text: "Name and note are too long: 200 and 4000 letters at most."}}, a.Note)
	}
	if err := h.Store.Approve(r.Context(), &a); err != nil {
		return err
	}
	rememberAuthor(w, r, a.Author)
	return seeOther(w, r, revisionURL(d.ID, a.N)+"#review")
}
