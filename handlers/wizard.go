package handlers

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/store"
	"github.com/rollsmith/rollsmith/web"
)

// question is what one step of the wizard does with a request.
type question struct {
	slug string
	// view shows the draft's answer; typed is nil, or the form that was refused.
	view func(h *Handlers, ctx context.Context, d *draft, w web.Wizard) (templ.Component, error)
	// take writes a form into the draft; more is set where a row was added or
	// moved and the question is to be asked again.
	take func(f form, d *draft) (more bool, errs web.Errors)
}

var questions = []question{feedQuestion, metricsQuestion, grainQuestion, filterQuestion, stabilityQuestion, deliveryQuestion, choiceQuestion}

func questionOf(slug string) (question, error) {
	i := slices.IndexFunc(questions, func(q question) bool { return q.slug == slug })
	if i < 0 {
		return question{}, &problem.Error{Kind: problem.NotFound, Code: "no-step", Message: "The wizard has no such step.", Hint: "It begins with the feed."}
	}
	return questions[i], nil
}

// resumeDraft goes on where a draft was left.
func (h *Handlers) resumeDraft(w http.ResponseWriter, r *http.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	return seeOther(w, r, d.url()+"/"+d.firstOpen())
}

// askStep shows one question.
func (h *Handlers) askStep(w http.ResponseWriter, r *http.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	q, err := questionOf(param(r, "step"))
	if err != nil {
		return err
	}
	return h.ask(w, r, http.StatusOK, q, d, h.wizard(d, q.slug, nil))
}

func (h *Handlers) ask(w http.ResponseWriter, r *http.Request, status int, q question, d *draft, frame web.Wizard) error {
	frame.Truth = h.truthSoFar(r.Context(), d.doc)
	page, err := q.view(h, r.Context(), d, frame)
	if err != nil {
		return err
	}
	h.render(w, r, status, page)
	return nil
}

// takeStep takes an answer: it is saved when it is right, shown again with what
// is wrong when it is not.
func (h *Handlers) takeStep(w http.ResponseWriter, r *http.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	q, err := questionOf(param(r, "step"))
	if err != nil {
		return err
	}
	f, err := readForm(r)
	if err != nil {
		return err
	}
	seen := f.number("v", 1<<30)
	more, errs := q.take(f, d)
	if seen != 0 && seen != d.Version {
		return h.askAgain(w, r, q, f, d.Draft)
	}
	if !more && len(errs) == 0 {
		if errs, err = h.mistakes(r.Context(), d.doc, q.slug); err != nil {
			// What was typed is kept on the page, whoever failed.
			t := web.TroubleOf(err)
			return h.ask(w, r, statusOf(err), q, d, h.wizard(d, q.slug, web.Errors{{Text: t.Message + " " + t.Hint}}))
		}
	}
	if len(errs) > 0 {
		return h.ask(w, r, http.StatusUnprocessableEntity, q, d, h.wizard(d, q.slug, errs))
	}
	if !more {
		d.notes.answered(q.slug)
	}
	if err := h.saveDraft(r.Context(), d); err != nil {
		if !isConflict(err) {
			return err
		}
		now, err := h.draft(r)
		if err != nil {
			return err
		}
		return h.askAgain(w, r, q, f, now.Draft)
	}
	next := d.url() + "/" + q.slug
	if probe, asked := strings.CutPrefix(f.text("do"), "probe-"); asked {
		h.probe(r.Context(), d, probe)
		if err := h.saveDraft(r.Context(), d); err != nil {
			return err
		}
		next += "#probe-" + probe
	} else if !more {
		next = d.url() + "/" + after(q.slug)
	} else if button, row := f.button(); button == "add" {
		next += "#" + lastRow(q.slug, d)
	} else if button == "up" {
		next += "#grain-dimensions-" + strconv.Itoa(max(row-1, 0)) + "-expr"
	}
	return seeOther(w, r, next)
}

// askAgain shows what another window saved, and what this one would save over it.
func (h *Handlers) askAgain(w http.ResponseWriter, r *http.Request, q question, f form, now store.Draft) error {
	theirs, err := readDraft(now)
	if err != nil {
		return err
	}
	mine, err := readDraft(now)
	if err != nil {
		return err
	}
	q.take(f, mine)
	frame := h.wizard(mine, q.slug, web.Errors{{Text: "This draft was changed in another window since this page was opened. Compare, then continue or leave."}})
	frame.Conflict, frame.Differs = string(now.Document), documentChanges(theirs.doc, mine.doc)
	return h.ask(w, r, http.StatusConflict, q, mine, frame)
}

// lastRow is the id of the first input of the row that was added.
func lastRow(slug string, d *draft) string {
	if slug == "metrics" {
		return "metrics-" + strconv.Itoa(len(d.doc.Metrics)-1) + "-kind"
	}
	return "grain-dimensions-" + strconv.Itoa(len(d.doc.Grain.Dimensions)-1) + "-expr"
}
