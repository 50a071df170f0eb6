package handlers

import (
	"context"
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/web"
)

var choiceQuestion = question{
	slug: "choice",
	view: (*Handlers).viewChoice,
	take: func(f form, d *draft) (bool, web.Errors) {
		if d.doc.Pattern = f.text("pattern"); d.doc.Pattern == "" {
			d.doc.Pattern = "auto"
		}
		return true, nil // the same page shows what the choice means
	},
}

// viewChoice shows what is recommended and why, and what else would be right.
func (h *Handlers) viewChoice(ctx context.Context, d *draft, w web.Wizard) (templ.Component, error) {
	v := web.ChoiceStep{Wizard: w, Pattern: d.doc.Pattern}
	if v.Pattern == "" {
		v.Pattern = "auto"
	}
	best := clone(d.doc)
	best.Pattern = "auto"
	decision, err := h.decide(ctx, best)
	if err != nil {
		return h.viewUnready(v, d, err), nil
	}
	recommended := decision
	if v.Pattern != "auto" && v.Pattern != decision.Pattern {
		named, err := h.decide(ctx, clone(d.doc))
		if p, ok := problem.As(err); ok && p.Kind == problem.Invalid {
			v.Errors = append(v.Errors, fieldError(p, "choice", d.url()))
		} else if err != nil {
			return nil, err
		} else {
			decision = named
		}
	}
	shown := h.freeze(decision)
	view := shown.view()
	v.Decision, v.Query, v.Up = &view, shown.script("query.sql"), shown.Up
	v.Options = choices(recommended)
	rows := h.sourceRows(ctx, d.Cluster, d.doc)
	v.NotWorth, v.LeftOut = worthNote(rows), leavesOut(d.doc, decision.Pattern, rows)
	if d.DesignID != "" {
		v.Newest = d.Base
	}
	return web.ChoicePage(v), nil
}

// choices are the recommended pattern and those that would be right too.
func choices(d *designer.Decision) []web.Choice {
	all := []web.Choice{{Value: "auto", Label: "Recommended: " + d.Title, Hint: shownPrice(d.Pattern), Tag: d.Pattern, TagKind: "pass"}}
	for _, r := range d.Rejected {
		if r.Right {
			all = append(all, web.Choice{Value: r.Pattern, Label: patternTitle(r.Pattern), Hint: r.Text, Tag: r.Pattern})
		}
	}
	return all
}

// viewUnready says what has to be answered before there is a choice.
func (h *Handlers) viewUnready(v web.ChoiceStep, d *draft, err error) templ.Component {
	p, ok := problem.As(err)
	if !ok || p.Kind != problem.Invalid {
		v.Trouble = web.TroubleOf(err)
		return web.ChoicePage(v)
	}
	v.Errors = append(v.Errors, fieldError(p, "choice", d.url()))
	for _, s := range v.Steps {
		if s.Open && s.Slug != "choice" {
			v.Open = append(v.Open, s)
		}
	}
	return web.ChoicePage(v)
}

// saveDesign turns a draft into a design's next revision.
func (h *Handlers) saveDesign(w http.ResponseWriter, r *http.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	f, err := readForm(r)
	if err != nil {
		return err
	}
	if chosen := f.text("pattern"); chosen != "" {
		d.doc.Pattern = chosen
	}
	author, note := f.text("author"), f.text("note")
	if len(author) > maxAuthor || len(note) > maxNote {
		return h.ask(w, r, http.StatusUnprocessableEntity, choiceQuestion, d, h.wizard(d, "choice", web.Errors{{ID: "note", Text: "Name and note are too long: 200 and 4000 letters at most."}}))
	}
	decision, err := h.decide(r.Context(), clone(d.doc))
	if err != nil {
		p, ok := problem.As(err)
		if !ok || p.Kind != problem.Invalid {
			return err
		}
		return h.ask(w, r, http.StatusUnprocessableEntity, choiceQuestion, d, h.wizard(d, "choice", nil))
	}
	revision, err := h.revisionOf(decision, author, note)
	if err != nil {
		return err
	}
	if d.DesignID == "" {
		err = h.Store.Create(r.Context(), decision.Rollup.Name, d.Cluster, revision)
	} else {
		err = h.Store.Append(r.Context(), d.DesignID, decision.Rollup.Name, d.Base, revision)
	}
	if isConflict(err) {
		return h.showConflict(w, r, d, err)
	}
	if err != nil {
		return err
	}
	if err := h.Store.DropDraft(r.Context(), d.ID); err != nil {
		h.Log.Warn("drop a saved draft", "err", err.Error())
	}
	rememberAuthor(w, r, author)
	return seeOther(w, r, "/d/"+revision.DesignID)
}

const (
	maxAuthor    = 200
	maxNote      = 4000
	authorCookie = "rollsmith_author"
)

// rememberAuthor spares a reader from typing a name twice.
func rememberAuthor(w http.ResponseWriter, r *http.Request, author string) {
	if author != "" {
		http.SetCookie(w, &http.Cookie{Name: authorCookie, Value: url.QueryEscape(author), Path: "/", MaxAge: 365 * 24 * 3600, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: r.TLS != nil})
	}
}

func authorOf(r *http.Request) string {
	c, err := r.Cookie(authorCookie)
	if err != nil {
		return ""
	}
	name, _ := url.QueryUnescape(c.Value)
	return name[:min(len(name), maxAuthor)]
}

// showConflict shows what was saved meanwhile beside what was to be saved; the
// draft is kept, and can be put on top of the newer revision.
func (h *Handlers) showConflict(w http.ResponseWriter, r *http.Request, d *draft, cause error) error {
	saved, err := h.Store.Design(r.Context(), d.DesignID)
	if err != nil {
		return err
	}
	newest, err := h.Store.Revision(r.Context(), d.DesignID, saved.Newest)
	if err != nil {
		return err
	}
	d.Base = saved.Newest
	if err := h.saveDraft(r.Context(), d); err != nil {
		return err
	}
	v := web.Conflict{Trouble: *web.TroubleOf(cause), Draft: d.url() + "/choice", DesignURL: "/d/" + d.DesignID, Newest: saved.Newest,
		Author: newest.Author, Note: newest.Note, Diff: diffText("revision", string(newest.Document), string(d.doc.JSON()))}
	h.render(w, r, http.StatusConflict, web.ConflictPage(v))
	return nil
}
