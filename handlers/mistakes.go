package handlers

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/web"
)

// mostMistakes is how many are told at once.
const mostMistakes = 30

// mistakes says what is wrong with one step of a draft, each mistake at its
// input. The other steps are put aside, so that an unfinished one is no hindrance.
func (h *Handlers) mistakes(ctx context.Context, doc *designer.Design, slug string) (web.Errors, error) {
	d := onlyStep(doc, slug)
	var errs web.Errors
	for len(errs) < mostMistakes {
		err := h.examine(ctx, d)
		if err == nil {
			break
		}
		p, ok := problem.As(err)
		if !ok || p.Kind != problem.Invalid {
			return errs, err
		}
		if told := fieldError(p, slug, ""); !slices.Contains(errs, told) {
			errs = append(errs, told)
		}
		if !standIn(d, p.Field) {
			break
		}
	}
	return errs, nil
}

// examine checks a document in full: its shape, then its expressions on an
// engine, then what only their types tell.
func (h *Handlers) examine(ctx context.Context, d *designer.Design) error {
	_, err := h.resolve(ctx, clone(d))
	return err
}

func (h *Handlers) resolve(ctx context.Context, d *designer.Design) (*designer.Rollup, error) {
	d.Normalise()
	if err := d.Check(); err != nil {
		return nil, err
	}
	engine, err := h.Sandbox.Engine()
	if err != nil {
		return nil, err
	}
	facts, err := engine.Analyse(ctx, d)
	if err != nil {
		return nil, err
	}
	return designer.Resolve(d, facts)
}

func clone(d *designer.Design) *designer.Design {
	again, err := designer.Decode(d.JSON())
	if err != nil {
		panic(err) // what JSON wrote, Decode reads
	}
	return again
}

// onlyStep keeps the source and one step's part, and gives the rest innocent
// values.
func onlyStep(doc *designer.Design, slug string) *designer.Design {
	full := clone(doc)
	d := &designer.Design{Format: 1, Name: "draft", Source: full.Source, Metrics: []designer.Metric{{Name: "n", Kind: designer.Count}}, Pattern: "auto"}
	switch slug {
	case "metrics":
		d.Metrics = full.Metrics
	case "grain":
		d.Grain = full.Grain
	case "filter":
		d.Filter = full.Filter
	case "stability":
		d.Grain, d.Filter, d.Stability = full.Grain, full.Filter, full.Stability
	case "delivery":
		d.Grain, d.Name, d.Freshness, d.Backfill, d.Target, d.Tiers, d.Deployment = full.Grain, full.Name, full.Freshness, full.Backfill, full.Target, full.Tiers, full.Deployment
	}
	return d
}

// truthSoFar asks the question of the source itself, as far as it stands; it is
// empty while that makes no sense.
func (h *Handlers) truthSoFar(ctx context.Context, doc *designer.Design) string {
	if len(doc.Metrics) == 0 {
		return ""
	}
	d := clone(doc)
	d.Name, d.Pattern, d.Backfill, d.Tiers, d.Freshness, d.Target, d.Deployment = "draft", "auto", designer.Backfill{}, nil, "", designer.Target{}, designer.Deployment{}
	r, err := h.resolve(ctx, d)
	if err != nil {
		return ""
	}
	return r.Truth().SQL()
}

// fieldError places a problem at the input of its field, which may be on
// another step's page.
func fieldError(p *problem.Error, slug, base string) web.FieldError {
	text := web.Sentence(p.Message)
	if p.Hint != "" {
		text += " " + web.Sentence(p.Hint)
	}
	e := web.FieldError{ID: inputOf(p.Field), Text: text}
	if at := stepOf(p.Field); p.Field != "" && at != slug && base != "" {
		e.URL = base + "/" + at + "#" + e.ID
	}
	return e
}

var element = regexp.MustCompile(`^(source\.key|source\.order_by|tiers|deployment|backfill)(\[\d+\])?`)

// inputOf gives the id of the input that asks for a field.
func inputOf(field string) string {
	switch m := element.FindStringSubmatch(field); {
	case m == nil:
	case m[1] == "source.key", m[1] == "source.order_by":
		return "source-key"
	case m[1] == "tiers":
		return "tiers"
	}
	return web.FieldID(field)
}

var indexed = regexp.MustCompile(`^(metrics|grain\.dimensions)\[(\d+)\](?:\.(\w+))?`)

// standIn puts something innocent in the place of a mistake, so that the next
// one can be found; it is false where there is none.
func standIn(d *designer.Design, field string) bool {
	m := indexed.FindStringSubmatch(field)
	if m == nil {
		return false
	}
	i, _ := strconv.Atoi(m[2])
	if m[1] == "metrics" && i < len(d.Metrics) {
		name := d.Metrics[i].Name
		if m[3] == "name" || name == "" {
			name = fmt.Sprintf("stand-in %d", i)
		}
		innocent := designer.Metric{Name: name, Kind: designer.Count}
		changed := fmt.Sprint(innocent) != fmt.Sprint(d.Metrics[i])
		d.Metrics[i] = innocent
		return changed
	}
	if m[1] == "grain.dimensions" && i < len(d.Grain.Dimensions) && len(d.Source.Columns) > 0 {
		innocent := designer.Dimension{Name: fmt.Sprintf("stand-in %d", i), Expr: ddl.Ident(d.Source.Columns[0].Name)}
		changed := innocent != d.Grain.Dimensions[i]
		d.Grain.Dimensions[i] = innocent
		return changed
	}
	return false
}
