package handlers

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/store"
	"github.com/rollsmith/rollsmith/web"
)

// showNewest is the page of a design: its newest revision.
func (h *Handlers) showNewest(w http.ResponseWriter, r *http.Request) error {
	d, err := h.Store.Design(r.Context(), param(r, "id"))
	if err != nil {
		return err
	}
	return h.showDesign(w, r, d, d.Newest, nil, "")
}

// showRevision is the page of one revision, for ever.
func (h *Handlers) showRevision(w http.ResponseWriter, r *http.Request) error {
	d, n, err := h.addressed(r)
	if err != nil {
		return err
	}
	return h.showDesign(w, r, d, n, nil, "")
}

var revisionNumber = regexp.MustCompile(`^[1-9]\d{0,8}$`)

// addressed finds the design and the revision of an address.
func (h *Handlers) addressed(r *http.Request) (store.Design, int, error) {
	text := param(r, "n")
	if !revisionNumber.MatchString(text) {
		return store.Design{}, 0, &problem.Error{Kind: problem.NotFound, Code: "no-revision", Message: "There is no revision under this address.", Hint: "Revisions are numbered from 1."}
	}
	n, _ := strconv.Atoi(text)
	d, err := h.Store.Design(r.Context(), param(r, "id"))
	return d, n, err
}

func (h *Handlers) showDesign(w http.ResponseWriter, r *http.Request, d store.Design, n int, errs web.Errors, typed string) error {
	revision, err := h.Store.Revision(r.Context(), d.ID, n)
	if err != nil {
		return err
	}
	v, err := h.designView(d, revision)
	if err != nil {
		return err
	}
	if err := h.addReview(r, &v); err != nil {
		return err
	}
	if v.Cost, err = h.costView(r.Context(), d.ID, n); err != nil {
		return err
	}
	v.Cost.Clustered = h.Clusters.Has(d.Cluster)
	v.Errors, v.Typed, v.Reader = errs, typed, authorOf(r)
	status := http.StatusOK
	if len(errs) > 0 {
		status = http.StatusUnprocessableEntity
	}
	h.render(w, r, status, web.DesignPage(v))
	return nil
}

func (h *Handlers) designView(d store.Design, revision store.Revision) (web.Design, error) {
	var frozen evidence
	if err := json.Unmarshal(revision.Evidence, &frozen); err != nil {
		return web.Design{}, fmt.Errorf("evidence of revision %d: %w", revision.N, err)
	}
	doc, err := designer.Decode(revision.Document)
	if err != nil {
		return web.Design{}, err
	}
	v := web.Design{ID: d.ID, Name: doc.Name, Cluster: d.Cluster, Source: dotted(doc.Source.Database, doc.Source.Table), N: revision.N, Newest: d.Newest,
		Author: revision.Author, Note: revision.Note, Hash: revision.Hash, Created: revision.Created, MinVersion: frozen.MinVersion,
		Decision: frozen.view(), Summary: summary(doc, frozen.Pattern), Up: frozen.Up, Scripts: frozen.Scripts, Rests: safeHTML(frozen.Rests), Document: string(revision.Document)}
	if h.Clusters.Has(d.Cluster) {
		v.SourceURL = web.TableURL(d.Cluster, doc.Source.Database, doc.Source.Table)
	}
	for _, m := range doc.Metrics {
		v.Metrics = append(v.Metrics, web.Fact{Term: m.Name, Text: metricWords(m), Code: true})
	}
	return v, nil
}

// backfillWords says how history gets in, and what it means where it does not.
func backfillWords(d *designer.Design, pattern string) string {
	if leavesOut(d, pattern, 1) > 0 {
		return "none: rows that the source holds already are never counted"
	}
	return strings.TrimSpace(d.Backfill.Mode + " " + d.Backfill.Column + " " + d.Backfill.Value)
}

// summary says in a few lines what a design asks of which source.
func summary(d *designer.Design, pattern string) []web.Fact {
	var all []web.Fact
	add := func(term, text string, code bool) {
		if text != "" {
			all = append(all, web.Fact{Term: term, Text: text, Code: code})
		}
	}
	add("Feed", feedWords[d.Source.Feed][0]+" ("+string(d.Source.Feed)+")", false)
	add("Entity key", strings.Join(d.Source.Key, ", "), true)
	if t := d.Grain.Time; t != nil {
		add("Time", fmt.Sprintf("%s of %s in %s", t.Bucket, t.Column, t.Timezone), true)
	}
	for _, x := range d.Grain.Dimensions {
		add("Dimension", strings.TrimSuffix(x.Name+" = "+x.Expr, " = "+x.Name), true)
	}
	add("Filter", d.Filter, true)
	add("Stability", answerStability(d), false)
	add("Settles after", d.Stability.Settles, false)
	if d.Freshness == "insert" {
		add("Freshness", "with the insert", false)
	} else {
		add("Freshness", "at most "+d.Freshness+" behind", false)
	}
	add("Backfill", backfillWords(d, pattern), false)
	for _, t := range d.Tiers {
		add("Tier", strings.TrimSuffix(t.Bucket+", kept "+t.TTL, ", kept "), false)
	}
	add("Read view", d.Target.Database+"."+d.Target.Prefix, true)
	return all
}

// addReview adds what people and proofs said.
func (h *Handlers) addReview(r *http.Request, v *web.Design) error {
	ctx := r.Context()
	history, err := h.Store.History(ctx, v.ID)
	if err != nil {
		return err
	}
	for _, one := range history {
		v.History = append(v.History, web.RevisionRow{N: one.N, Pattern: one.Pattern, Author: one.Author, Note: one.Note, Hash: one.Hash, Created: one.Created})
	}
	comments, err := h.Store.Comments(ctx, v.ID)
	if err != nil {
		return err
	}
	for _, c := range comments {
		v.Comments = append(v.Comments, web.CommentRow{ID: c.ID, N: c.N, Anchor: c.Anchor, Author: c.Author, HTML: safeHTML(c.Body), Created: c.Created, Resolved: !c.Resolved.IsZero(), ResolvedBy: c.ResolvedBy})
	}
	approvals, err := h.Store.Approvals(ctx, v.ID)
	if err != nil {
		return err
	}
	for _, a := range approvals {
		v.Approvals = append(v.Approvals, web.ApprovalRow{N: a.N, Author: a.Author, Note: a.Note, Hash: a.Hash, Created: a.Created, Stale: a.N != v.Newest})
	}
	proofs, err := h.Store.Proofs(ctx, v.ID, v.N)
	if err != nil {
		return err
	}
	for _, p := range proofs {
		v.Proofs = append(v.Proofs, web.ProofRow{State: p.State, Pattern: p.Pattern, Engine: p.Engine, Seed: p.Seed, Rounds: p.Rounds, Created: p.Created})
	}
	v.Proved, err = reportLine(proofs, v.N)
	return err
}

// editDesign begins a draft of the next revision.
func (h *Handlers) editDesign(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(r)
	if err != nil {
		return err
	}
	d, err := h.Store.Design(r.Context(), param(r, "id"))
	if err != nil {
		return err
	}
	n := f.number("n", 1<<30)
	if n == 0 {
		n = d.Newest
	}
	revision, err := h.Store.Revision(r.Context(), d.ID, n)
	if err != nil {
		return err
	}
	doc, err := designer.Decode(revision.Document)
	if err != nil {
		return err
	}
	var carried notes
	for _, s := range steps {
		carried.answered(s.slug)
	}
	source := doc.Source
	carried.Typed = &source
	notesText, err := json.Marshal(carried)
	if err != nil {
		return err
	}
	draft := &store.Draft{Cluster: d.Cluster, DesignID: d.ID, Base: d.Newest, Document: revision.Document, Notes: notesText}
	if err := h.Store.NewDraft(r.Context(), draft); err != nil {
		return err
	}
	return seeOther(w, r, "/designs/"+draft.ID+"/choice")
}

// giveBundle downloads a revision's bundle: the bytes that were saved with it.
func (h *Handlers) giveBundle(w http.ResponseWriter, r *http.Request) error {
	d, n, err := h.addressed(r)
	if err != nil {
		return err
	}
	revision, err := h.Store.Revision(r.Context(), d.ID, n)
	if err != nil {
		return err
	}
	name := slug(d.Name)
	if name == "" {
		name = "rollup"
	}
	head := w.Header()
	head.Set("Content-Type", "application/zip")
	head.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": fmt.Sprintf("%s-r%d.zip", name, n)}))
	head.Set("Content-Length", strconv.Itoa(len(revision.Bundle)))
	head.Set("ETag", `"`+revision.Hash+`"`)
	_, err = w.Write(revision.Bundle)
	return err
}

// giveDocument shows a revision's document.
func (h *Handlers) giveDocument(w http.ResponseWriter, r *http.Request) error {
	d, n, err := h.addressed(r)
	if err != nil {
		return err
	}
	revision, err := h.Store.Revision(r.Context(), d.ID, n)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("ETag", `"`+revision.Hash+`"`)
	_, err = w.Write(revision.Document)
	return err
}
