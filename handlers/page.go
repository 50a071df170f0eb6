package handlers

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/web"
)

// handler answers a request or says why it cannot.
type handler func(w http.ResponseWriter, r *http.Request) error

// page turns a returned error into a status and a page, or a fragment where
// htmx asked.
func (h *Handlers) page(f handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := f(w, r); err != nil {
			h.fail(w, r, err)
		}
	}
}

// statuses maps who can mend a problem to what HTTP calls it.
var statuses = map[problem.Kind]int{
	problem.Invalid: http.StatusUnprocessableEntity, problem.NotFound: http.StatusNotFound, problem.Conflict: http.StatusConflict,
	problem.Denied: http.StatusForbidden, problem.Down: http.StatusBadGateway, problem.Limit: http.StatusTooManyRequests,
}

var titles = map[int]string{
	http.StatusUnprocessableEntity: "This cannot be used as it is", http.StatusNotFound: "There is nothing here",
	http.StatusConflict: "Somebody else saved first", http.StatusForbidden: "This is not allowed", http.StatusBadGateway: "The cluster or the sandbox did not answer",
	http.StatusTooManyRequests: "A limit was reached", http.StatusRequestEntityTooLarge: "This is too large", http.StatusMethodNotAllowed: "This page does not take that",
	http.StatusMisdirectedRequest: "This server does not go by that name", http.StatusInternalServerError: "Something went wrong on our side",
}

func statusOf(err error) int {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return http.StatusRequestEntityTooLarge
	}
	if p, ok := problem.As(err); ok {
		if status := statuses[p.Kind]; status != 0 {
			return status
		}
	}
	return http.StatusInternalServerError
}

// fail shows an error: a problem in its words; anything else as one calm
// sentence, with the whole story in the log.
func (h *Handlers) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the reader has left
	}
	status := statusOf(err)
	t := *web.TroubleOf(err)
	t.Status, t.Title, t.Request = status, titles[status], requestID(r.Context())
	switch {
	case status == http.StatusRequestEntityTooLarge:
		t.Message, t.Hint = "What was sent is larger than a design may be.", "A document has at most 1 MiB."
	case status >= 500:
		h.Log.Error("page failed", "request", t.Request, "path", r.URL.Path, "status", status, "err", err.Error())
	}
	if isFragment(r) {
		h.render(w, r, status, web.TroubleBody(t))
		return
	}
	h.render(w, r, status, web.TroublePage(web.Page{Title: t.Title, Failed: true}, t))
}

// isFragment says that htmx asks for a region and not for a page.
func isFragment(r *http.Request) bool { return r.Header.Get("HX-Request") == "true" }

// show renders the region alone when htmx asked for it, else the whole page.
func (h *Handlers) show(w http.ResponseWriter, r *http.Request, status int, region, whole templ.Component) {
	if isFragment(r) {
		h.render(w, r, status, region)
		return
	}
	h.render(w, r, status, whole)
}

// render writes a component only when all of it has been made.
func (h *Handlers) render(w http.ResponseWriter, r *http.Request, status int, c templ.Component) {
	var b bytes.Buffer
	if err := c.Render(r.Context(), &b); err != nil {
		h.Log.Error("render", "request", requestID(r.Context()), "path", r.URL.Path, "err", err.Error())
		http.Error(w, "Something went wrong on our side. Request "+requestID(r.Context()), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(b.Bytes())
}

// param gives a piece of the path, decoded.
func param(r *http.Request, name string) string {
	value := chi.URLParam(r, name)
	if r.URL.RawPath == "" {
		return value
	}
	if plain, err := url.PathUnescape(value); err == nil {
		return plain
	}
	return value
}

// seeOther sends the browser on after a form was taken.
func seeOther(w http.ResponseWriter, r *http.Request, to string) error {
	if isFragment(r) {
		w.Header().Set("HX-Redirect", to)
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}
