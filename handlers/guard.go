package handlers

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/web"
)

// policy is what a page of ours may do: our own files, nothing inline but
// scripts of this response. %s is the nonce.
const policy = "default-src 'none'; script-src 'nonce-%s'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types htmx"

var securityHeaders = map[string]string{
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
	"Cache-Control":                "private, no-store",
	"Vary":                         "Cookie, HX-Request, HX-Request-Type",
	"X-Robots-Tag":                 "noindex, nofollow, noarchive", // addresses are what a design is shared by
}

type requestKey struct{}

func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails, as its documentation says
	return b
}

// guard is around every route: a fresh nonce, headers, a request id, bounds, a
// line in the log, and a page where something breaks.
func (h *Handlers) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		nonce := base64.StdEncoding.EncodeToString(random(16))
		id := hex.EncodeToString(random(6))
		head := w.Header()
		for name, value := range securityHeaders {
			head.Set(name, value)
		}
		head.Set("Content-Security-Policy", fmt.Sprintf(policy, nonce))
		head.Set("X-Request-Id", id)
		if r.TLS != nil {
			head.Set("Strict-Transport-Security", "max-age=31536000")
		}
		ctx := context.WithValue(templ.WithNonce(r.Context(), nonce), requestKey{}, id)
		ctx = web.WithPath(web.WithTheme(ctx, themeOf(r)), r.URL.Path)
		r = r.WithContext(ctx)
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		seen := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		defer h.account(seen, r, began)
		defer h.recover(seen, r)
		if !h.knownHost(r.Host) {
			h.fail(seen, r, errMisdirected)
			return
		}
		next.ServeHTTP(seen, r)
	})
}

var errMisdirected = &problem.Error{Kind: problem.Denied, Code: "unknown-host",
	Message: "This server was reached by a name that it does not go by.", Hint: "Use the address it printed when it started, or name this one with --host."}

// knownHost keeps a foreign page from reaching a server on loopback through a
// name that it has pointed there.
func (h *Handlers) knownHost(host string) bool {
	if len(h.Hosts) == 0 {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	return slices.Contains(h.Hosts, host)
}

func (h *Handlers) recover(w middleware.WrapResponseWriter, r *http.Request) {
	cause := recover()
	if cause == nil || cause == http.ErrAbortHandler {
		return
	}
	h.Log.Error("panic", "request", requestID(r.Context()), "path", r.URL.Path, "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
	if w.Status() == 0 {
		h.fail(w, r, fmt.Errorf("panic: %v", cause))
	}
}

// account writes one line of log and counts the request by its route, never by
// its address.
func (h *Handlers) account(w middleware.WrapResponseWriter, r *http.Request, began time.Time) {
	route := "other"
	if c := chi.RouteContext(r.Context()); c != nil && c.RoutePattern() != "" {
		route = c.RoutePattern()
	}
	status := w.Status()
	if status == 0 {
		status = http.StatusOK
	}
	took := time.Since(began)
	h.counters.add(r.Method, route, status, took)
	h.Log.Info("request", "request", requestID(r.Context()), "method", r.Method, "route", route, "status", status,
		"ms", took.Milliseconds(), "bytes", w.BytesWritten())
}

// sameOrigin refuses forms that another site sends.
func (h *Handlers) sameOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.fail(w, r, &problem.Error{Kind: problem.Denied, Code: "cross-origin", Message: "This form was sent from another site.", Hint: "Open the page here and send it again."})
	}))
	return protection.Handler(next)
}

const themeCookie = "rollsmith_theme"

func themeOf(r *http.Request) string {
	c, err := r.Cookie(themeCookie)
	if err != nil || c.Value != "light" && c.Value != "dark" {
		return ""
	}
	return c.Value
}

// setTheme keeps which colours a reader wants and goes back to the page.
func (h *Handlers) setTheme(w http.ResponseWriter, r *http.Request) error {
	theme := r.FormValue("theme")
	http.SetCookie(w, &http.Cookie{Name: themeCookie, Value: theme, Path: "/", MaxAge: 365 * 24 * 3600, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: r.TLS != nil})
	return seeOther(w, r, localPath(r.FormValue("back")))
}

// localPath lets only a path of this server through.
func localPath(back string) string {
	if !strings.HasPrefix(back, "/") || strings.HasPrefix(back, "//") || strings.ContainsAny(back, "\\\r\n") {
		return "/"
	}
	return back
}
