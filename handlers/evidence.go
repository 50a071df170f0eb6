package handlers

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/pattern"
	"github.com/rollsmith/rollsmith/store"
	"github.com/rollsmith/rollsmith/web"
)

// evidence is what was decided of a revision, frozen with it: later rules may
// decide otherwise, the page of this revision stays what people reviewed.
type evidence struct {
	Tool       string          `json:"tool"`
	Engine     string          `json:"engine"`
	Pattern    string          `json:"pattern"`
	Title      string          `json:"title"`
	Price      string          `json:"price"`
	MinVersion string          `json:"min_version"`
	Targets    []web.TargetRow `json:"targets"`
	Reasons    []web.ReasonRow `json:"reasons"`
	Rejected   []web.ReasonRow `json:"rejected"`
	Warnings   []web.ReasonRow `json:"warnings"`
	Questions  []web.ReasonRow `json:"questions"`
	Up         []web.StepRow   `json:"up"`
	Scripts    []web.Script    `json:"scripts"`
	Rests      string          `json:"rests"` // what it rests on, Markdown
}

// decide judges a complete document and gives the decision.
func (h *Handlers) decide(ctx context.Context, doc *designer.Design) (*designer.Decision, error) {
	rollup, err := h.resolve(ctx, doc)
	if err != nil {
		return nil, err
	}
	return pattern.Decide(rollup)
}

func (h *Handlers) freeze(d *designer.Decision) evidence {
	e := evidence{Tool: designer.Tool, Engine: d.Rollup.Facts.Engine, Pattern: d.Pattern, Title: d.Title, MinVersion: d.Plan.MinVersion(),
		Reasons: reasonRows(d.Reasons), Rejected: rejectedRows(d.Rejected), Warnings: reasonRows(d.Warnings), Questions: reasonRows(d.Questions)}
	if p := pattern.Find(d.Pattern); p != nil {
		e.Price = p.Price
	}
	for _, t := range d.Plan.Targets {
		e.Targets = append(e.Targets, web.TargetRow{Pattern: t.Pattern, Table: t.Table, Metrics: strings.Join(t.Metrics, ", ")})
	}
	for i, s := range d.Plan.Up {
		e.Up = append(e.Up, web.StepRow{File: d.Plan.FileName(i), Name: s.Name, SQL: s.SQL + ";", Why: s.Why, Undo: s.Undo, MinVersion: s.MinVersion})
	}
	for _, f := range designer.Bundle(d) {
		switch f.Path {
		case "README.md":
			e.Rests = section(string(f.Data), "## What this rests on")
		case "query.sql", "truth.sql", "audit.sql", "backfill.sql", "correct.sql", "monitor.sql", "down.sql":
			e.Scripts = append(e.Scripts, web.Script{Path: f.Path, Text: string(f.Data)})
		}
	}
	return e
}

// section cuts one section out of a Markdown text.
func section(text, heading string) string {
	_, rest, found := strings.Cut(text, heading+"\n")
	if !found {
		return ""
	}
	body, _, _ := strings.Cut(rest, "\n## ")
	return strings.TrimSpace(body)
}

func reasonRows(all []designer.Reason) []web.ReasonRow {
	var rows []web.ReasonRow
	for _, r := range all {
		rows = append(rows, web.ReasonRow{Code: r.Code, Text: r.Text})
	}
	return rows
}

func rejectedRows(all []designer.Rejection) []web.ReasonRow {
	var rows []web.ReasonRow
	for _, r := range all {
		rows = append(rows, web.ReasonRow{Pattern: r.Pattern, Code: r.Code, Text: r.Text, Right: r.Right})
	}
	return rows
}

func (e evidence) view() web.DecisionView {
	return web.DecisionView{Pattern: e.Pattern, Title: e.Title, Price: e.Price, Targets: e.Targets, Reasons: e.Reasons, Rejected: e.Rejected,
		Warnings: e.Warnings, Questions: e.Questions, Engine: e.Engine}
}

// script finds one of the bundle's scripts.
func (e evidence) script(path string) string {
	for _, s := range e.Scripts {
		if s.Path == path {
			return s.Text
		}
	}
	return ""
}

// revisionOf makes what is stored of a decision.
func (h *Handlers) revisionOf(d *designer.Decision, author, note string) (*store.Revision, error) {
	frozen, err := json.Marshal(h.freeze(d))
	if err != nil {
		return nil, err
	}
	bundle, err := zipped(designer.Bundle(d))
	if err != nil {
		return nil, err
	}
	return &store.Revision{Document: d.Rollup.JSON(), Evidence: frozen, Bundle: bundle, Pattern: d.Pattern, Author: author, Note: note}, nil
}

// zipped packs files without time stamps: the same design gives the same bytes.
func zipped(files []designer.File) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.Path, Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.Data); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
