package handlers

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/static"
)

// route is one entry of the table of all routes.
type route struct {
	method, pattern string
	handle          handler
}

// routes is every address the app answers.
func (h *Handlers) routes() []route {
	return []route{
		{"GET", "/", h.home},
		{"POST", "/theme", h.setTheme},

		{"GET", "/clusters/{name}", h.showCluster},
		{"GET", "/clusters/{name}/audit", h.showAudit},
		{"GET", "/clusters/{name}/tables/{db}/{table}", h.showTable},

		{"GET", "/designs/new", h.newDesign},
		{"POST", "/designs/new", h.beginDraft},
		{"POST", "/designs/paste", h.pasteDraft},
		{"GET", "/designs/{draft}", h.resumeDraft},
		{"GET", "/designs/{draft}/{step}", h.askStep},
		{"POST", "/designs/{draft}/save", h.saveDesign},
		{"POST", "/designs/{draft}/{step}", h.takeStep},

		{"GET", "/d/{id}", h.showNewest},
		{"GET", "/d/{id}/r/{n}", h.showRevision},
		{"GET", "/d/{id}/r/{n}/bundle.zip", h.giveBundle},
		{"GET", "/d/{id}/r/{n}/design.json", h.giveDocument},
		{"GET", "/d/{id}/r/{n}/plan", h.showPlans},
		{"GET", "/d/{id}/r/{n}/bench", h.showBench},
		{"POST", "/d/{id}/r/{n}/bench", h.beginBench},
		{"POST", "/d/{id}/r/{n}/bench/cancel", h.cancelBench},
		{"POST", "/d/{id}/r/{n}/bench/grains", h.estimateCost},
		{"POST", "/d/{id}/r/{n}/prove", h.beginProof},
		{"GET", "/d/{id}/r/{n}/proof", h.showReports},
		{"POST", "/d/{id}/r/{n}/why-not/{pattern}", h.beginWhyNot},
		{"POST", "/designs/{draft}/why-not/{pattern}", h.beginDraftWhyNot},
		{"GET", "/jobs/{job}", h.showJob},
		{"GET", "/jobs/{job}/events", h.streamJob},
		{"POST", "/jobs/{job}/cancel", h.cancelJob},
		{"POST", "/jobs/{job}/again", h.againJob},
		{"GET", "/d/{id}/diff/{range}", h.showDiff},
		{"POST", "/d/{id}/edit", h.editDesign},
		{"POST", "/d/{id}/comments", h.addComment},
		{"POST", "/d/{id}/comments/{comment}", h.resolveComment},
		{"POST", "/d/{id}/approvals", h.approve},

		{"GET", "/handbook/", h.showHandbook},
		{"GET", "/handbook/{page}", h.showHandbookPage},
		{"GET", "/schema/design.json", h.giveSchema},

		{"GET", "/healthz", h.healthz},
		{"GET", "/readyz", h.readyz},
		{"GET", "/metrics", h.metrics},
	}
}

// Routes lists method and pattern of every route.
func (h *Handlers) Routes() [][2]string {
	var all [][2]string
	for _, one := range h.routes() {
		all = append(all, [2]string{one.method, one.pattern})
	}
	return all
}

// Handler gives the whole app.
func (h *Handlers) Handler() http.Handler {
	r := chi.NewRouter()
	r.Use(h.guard, h.sameOrigin)
	for _, one := range h.routes() {
		r.Method(one.method, one.pattern, h.page(one.handle))
		if one.method == "GET" {
			r.Method("HEAD", one.pattern, h.page(one.handle))
		}
	}
	r.Method("GET", static.Prefix+"*", static.Handler())
	r.NotFound(h.page(func(http.ResponseWriter, *http.Request) error {
		return &problem.Error{Kind: problem.NotFound, Code: "no-page", Message: "There is no page under this address.", Hint: "Check the link, or start from the list of clusters and designs."}
	}))
	r.MethodNotAllowed(h.page(func(http.ResponseWriter, *http.Request) error {
		return &problem.Error{Kind: problem.NotFound, Code: "no-method", Message: "This page does not take that kind of request.", Hint: "Open it in a browser."}
	}))
	return r
}
