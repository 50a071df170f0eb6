package handlers

import (
	"net/http"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/web"
)

// newDesign offers the ways to begin.
func (h *Handlers) newDesign(w http.ResponseWriter, r *http.Request) error {
	h.render(w, r, http.StatusOK, web.NewDesignPage(web.NewDesign{Clusters: h.firstLooks(r.Context())}))
	return nil
}

// beginDraft reads a table and begins a draft on it.
func (h *Handlers) beginDraft(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(r)
	if err != nil {
		return err
	}
	c, err := h.Clusters.Get(f.text("cluster"))
	if err != nil {
		return err
	}
	in, err := c.Introspect(r.Context(), f.r.PostForm.Get("db"), f.r.PostForm.Get("table"))
	if err != nil {
		return err
	}
	doc := &designer.Design{Format: 1, Source: in.Source, Pattern: "auto"}
	source := in.Source
	d, err := h.newDraft(r.Context(), c.Name(), doc, notes{Typed: &source, Evidence: evidenceRows(in.Evidence)})
	if err != nil {
		return err
	}
	return seeOther(w, r, d.url()+"/feed")
}

// pasteDraft begins a draft on a document.
func (h *Handlers) pasteDraft(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(r)
	if err != nil {
		return err
	}
	text, cluster := f.r.PostForm.Get("document"), f.text("cluster")
	doc, err := designer.Decode([]byte(text))
	if p, ok := problem.As(err); ok && p.Kind == problem.Invalid {
		told := fieldError(p, "", "")
		told.ID = "document"
		if p.Field != "" {
			told.Text = p.Field + ": " + told.Text
		}
		v := web.NewDesign{Clusters: h.firstLooks(r.Context()), Document: text, Cluster: cluster, Errors: web.Errors{told}}
		h.render(w, r, http.StatusUnprocessableEntity, web.NewDesignPage(v))
		return nil
	}
	if err != nil {
		return err
	}
	if !h.Clusters.Has(cluster) {
		cluster = ""
	}
	source := doc.Source
	n := notes{Typed: &source}
	at := "feed"
	complete := clone(doc)
	complete.Normalise()
	if complete.Check() == nil {
		for _, s := range steps {
			n.answered(s.slug)
		}
		doc, at = complete, "choice"
	}
	d, err := h.newDraft(r.Context(), cluster, doc, n)
	if err != nil {
		return err
	}
	return seeOther(w, r, d.url()+"/"+at)
}
