package handlers

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/store"
	"github.com/rollsmith/rollsmith/web"
)

// draft is a stored draft with its document read.
type draft struct {
	store.Draft
	doc   *designer.Design
	notes notes
}

// notes are what a draft carries beside the document.
type notes struct {
	Typed    *designer.Source       `json:"typed,omitempty"`    // the source as last typed, for what a toggle took out of the document
	Evidence []web.EvidenceRow      `json:"evidence,omitempty"` // of the feed
	Probes   map[string]probeResult `json:"probes,omitempty"`
	Seen     map[string]bool        `json:"seen,omitempty"` // steps that were answered
}

// answered notes that a step was gone through.
func (n *notes) answered(slug string) {
	if n.Seen == nil {
		n.Seen = map[string]bool{}
	}
	n.Seen[slug] = true
}

func (h *Handlers) draft(r *http.Request) (*draft, error) {
	stored, err := h.Store.Draft(r.Context(), param(r, "draft"))
	if err != nil {
		return nil, err
	}
	return readDraft(stored)
}

func readDraft(stored store.Draft) (*draft, error) {
	doc, err := designer.Decode(stored.Document)
	if err != nil {
		return nil, err
	}
	d := &draft{Draft: stored, doc: doc}
	return d, json.Unmarshal(stored.Notes, &d.notes)
}

// save writes the document and the notes back.
func (h *Handlers) saveDraft(ctx context.Context, d *draft) error {
	text, err := json.Marshal(d.notes)
	if err != nil {
		return err
	}
	d.Document, d.Notes = d.doc.JSON(), text
	return h.Store.SaveDraft(ctx, &d.Draft)
}

func (d *draft) url() string    { return "/designs/" + d.ID }
func (d *draft) source() string { return dotted(d.doc.Source.Database, d.doc.Source.Table) }

// newDraft saves a first draft of a document.
func (h *Handlers) newDraft(ctx context.Context, cluster string, doc *designer.Design, n notes) (*draft, error) {
	text, err := json.Marshal(n)
	if err != nil {
		return nil, err
	}
	d := &draft{Draft: store.Draft{Cluster: cluster, Document: doc.JSON(), Notes: text}, doc: doc, notes: n}
	return d, h.Store.NewDraft(ctx, &d.Draft)
}

// wizard is the frame of one step's page.
func (h *Handlers) wizard(d *draft, slug string, errs web.Errors) web.Wizard {
	w := web.Wizard{ID: d.ID, URL: d.url(), Slug: slug, Version: d.Version, Source: d.source(), Cluster: d.Cluster, Errors: errs,
		Document: string(d.doc.JSON()), Columns: d.doc.Source.Columns}
	if h.Clusters.Has(d.Cluster) {
		w.ClusterURL = clusterURL(d.Cluster)
	}
	if d.DesignID != "" {
		w.Revises = "/d/" + d.DesignID
	}
	for _, s := range steps {
		answer := s.answer(d.doc)
		if answer == "" && d.notes.Seen[s.slug] {
			answer = s.unasked
		}
		w.Steps = append(w.Steps, web.WizardStep{Slug: s.slug, Title: s.title, Answer: answer, Open: answer == "" && !d.notes.Seen[s.slug]})
	}
	for _, c := range d.doc.Source.Columns {
		w.Names = append(w.Names, sqlName(c.Name))
	}
	return w
}

// plainName is what ClickHouse reads as a name without quotes.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// wordsOfSQL would be read as something else where an expression stands.
var wordsOfSQL = map[string]bool{"select": true, "from": true, "where": true, "case": true, "when": true, "then": true, "else": true, "end": true, "not": true, "and": true, "or": true,
	"in": true, "is": true, "null": true, "true": true, "false": true, "interval": true, "distinct": true, "between": true, "like": true, "as": true, "with": true, "order": true, "group": true,
	"limit": true, "union": true, "final": true, "array": true, "cast": true, "extract": true, "date": true, "timestamp": true, "any": true, "all": true}

// sqlName writes a column as SQL: bare where that is safe, else quoted.
func sqlName(name string) string {
	if plainName.MatchString(name) && !wordsOfSQL[strings.ToLower(name)] {
		return name
	}
	return ddl.Ident(name)
}

// step is one question of the wizard.
type step struct {
	slug, title string
	fields      []string // paths of the document that it asks for
	answer      func(*designer.Design) string
	unasked     string // what an empty answer says, once it is given
}

var steps = []step{
	{"feed", "Feed", []string{"source"}, answerFeed, ""},
	{"metrics", "Metrics", []string{"metrics"}, answerMetrics, ""},
	{"grain", "Grain", []string{"grain"}, answerGrain, "one row over all"},
	{"filter", "Filter", []string{"filter"}, func(d *designer.Design) string { return d.Filter }, "every row"},
	{"stability", "Stability", []string{"stability"}, answerStability, "nothing declared"},
	{"delivery", "Delivery", []string{"name", "freshness", "backfill", "target", "tiers", "deployment"}, answerDelivery, ""},
	{"choice", "Choice", []string{"pattern"}, func(d *designer.Design) string {
		if d.Pattern == "auto" {
			return ""
		}
		return d.Pattern
	}, ""},
}

// stepOf finds the step that asks for a field of the document.
func stepOf(field string) string {
	for _, s := range steps {
		for _, f := range s.fields {
			if field == f || strings.HasPrefix(field, f+".") || strings.HasPrefix(field, f+"[") {
				return s.slug
			}
		}
	}
	return "feed"
}

// after gives the step that follows.
func after(slug string) string {
	for i, s := range steps[:len(steps)-1] {
		if s.slug == slug {
			return steps[i+1].slug
		}
	}
	return slug
}

func answerFeed(d *designer.Design) string {
	if len(d.Source.Key) > 0 && d.Source.Feed != designer.Append {
		return string(d.Source.Feed) + ", key " + strings.Join(d.Source.Key, ", ")
	}
	return string(d.Source.Feed)
}

func answerMetrics(d *designer.Design) string {
	var names []string
	for _, m := range d.Metrics {
		if m.Name != "" {
			names = append(names, m.Name)
		}
	}
	return strings.Join(names, ", ")
}

func answerGrain(d *designer.Design) string {
	var parts []string
	if t := d.Grain.Time; t != nil {
		parts = append(parts, t.Bucket)
	}
	for _, x := range d.Grain.Dimensions {
		parts = append(parts, x.Name)
	}
	return strings.Join(parts, " × ")
}

func answerStability(d *designer.Design) string {
	var parts []string
	add := func(name, value string) {
		switch value {
		case designer.Stable:
			parts = append(parts, name+" never changes")
		case designer.Mutable:
			parts = append(parts, name+" may change")
		case designer.Unknown:
			parts = append(parts, name+" not known")
		}
	}
	if d.Grain.Time != nil {
		add(cmp.Or(d.Grain.Time.Name, d.Grain.Time.Column), d.Stability.Time)
	}
	if d.Filter != "" {
		add("filter", d.Stability.Filter)
	}
	for _, x := range d.Grain.Dimensions {
		add(x.Name, d.Stability.Dimensions[x.Name])
	}
	return strings.Join(parts, ", ")
}

func answerDelivery(d *designer.Design) string {
	if d.Name == "" {
		return ""
	}
	return d.Name + ", backfill " + orNone(d.Backfill.Mode)
}

func draftRow(d store.Draft) web.DraftRow {
	row := web.DraftRow{ID: d.ID, Cluster: d.Cluster, URL: "/designs/" + d.ID + "/feed", Updated: d.Updated, Name: "unnamed"}
	if read, err := readDraft(d); err == nil {
		row.Source, row.URL = read.source(), read.url()+"/"+read.firstOpen()
		if read.doc.Name != "" {
			row.Name = read.doc.Name
		}
	}
	return row
}

// firstOpen is the first step without an answer.
func (d *draft) firstOpen() string {
	for _, s := range steps {
		if !d.notes.Seen[s.slug] && s.slug != "choice" {
			return s.slug
		}
	}
	return "choice"
}

// conflict shows a step again whose draft another window has saved since.
func isConflict(err error) bool {
	p, ok := problem.As(err)
	return ok && p.Kind == problem.Conflict
}
