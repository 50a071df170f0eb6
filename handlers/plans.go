package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/cluster"
	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/web"
)

// planLimit bounds the making of the plans' page.
const planLimit = 30 * time.Second

// showPlans puts the plan of the truth on the cluster beside the plan of the
// rollup's read, which is made in the sandbox on a source of the same shape.
func (h *Handlers) showPlans(w http.ResponseWriter, r *http.Request) error {
	d, n, err := h.addressed(r)
	if err != nil {
		return err
	}
	revision, err := h.Store.Revision(r.Context(), d.ID, n)
	if err != nil {
		return err
	}
	doc, err := designer.Decode(revision.Document)
	if err != nil {
		return err
	}
	var frozen evidence
	if err := json.Unmarshal(revision.Evidence, &frozen); err != nil {
		return fmt.Errorf("evidence of revision %d: %w", n, err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), planLimit)
	defer cancel()
	v := web.Plans{ID: d.ID, Name: d.Name, N: n,
		Source: web.PlanView{Title: "The source", SQL: frozen.script("truth.sql")}, Rollup: web.PlanView{Title: "The rollup", SQL: frozen.script("query.sql")}}
	made, err := h.tryOut(ctx, doc, frozen.Pattern)
	if err != nil {
		v.Rollup.Trouble = web.TroubleOf(err)
	} else {
		v.Rollup.Where = fmt.Sprintf("In the sandbox (ClickHouse %s), %s", made.engine, made.words)
		fillPlan(&v.Rollup, made.query)
		v.Ratio = made.ratio()
	}
	switch c, err := h.Clusters.Get(d.Cluster); {
	case err == nil:
		v.Source.Where = "On " + c.Name() + ", as it is now."
		plan, err := c.ExplainPlan(ctx, frozen.script("truth.sql"))
		if err != nil {
			v.Source.Trouble = web.TroubleOf(err)
			break
		}
		fillPlan(&v.Source, plan)
	case made != nil:
		v.Source.Where = v.Rollup.Where
		fillPlan(&v.Source, made.truth)
	default:
		v.Source.Trouble = web.TroubleOf(err)
	}
	h.render(w, r, http.StatusOK, web.PlansPage(v))
	return nil
}

func fillPlan(v *web.PlanView, p *cluster.Plan) {
	v.Raw, v.Pipeline, v.Missing = p.Raw, p.Pipeline, p.Missing
	v.Tree = planTree(p.Root)
	rows, marks, parts := p.Rows()
	if len(p.Estimate) > 0 {
		v.Facts = append(v.Facts, web.Fact{Term: "Would read", Text: fmt.Sprintf("%s, %s, %s", web.Plural(rows, "row"), web.Plural(marks, "mark"), web.Plural(parts, "part"))})
	}
	if p.Final() {
		v.Facts = append(v.Facts, web.Fact{Term: "Merges at read", Text: strings.Join(p.FinalMerges, ", ")})
	}
	if names := p.Projections(); len(names) > 0 {
		v.Facts = append(v.Facts, web.Fact{Term: "Projection", Text: strings.Join(names, ", "), Code: true})
	}
}

func planTree(n *cluster.PlanNode) *web.PlanStep {
	if n == nil {
		return nil
	}
	s := &web.PlanStep{Type: n.Type, Says: n.Description}
	if r := n.Read; r != nil {
		s.Read = &web.ReadView{Table: r.Table, Projection: r.Projection, Parts: r.Parts, PartsAll: r.PartsAll, Granules: r.Granules, GranulesAll: r.GranulesAll, Share: share(r.Granules, r.GranulesAll)}
		for _, i := range r.Indexes {
			name := i.Type
			if i.Name != "" {
				name += " " + i.Name
			}
			s.Read.Indexes = append(s.Read.Indexes, web.IndexView{Name: name, Condition: i.Condition, GranulesBefore: i.GranulesBefore, GranulesAfter: i.GranulesAfter, PartsBefore: i.PartsBefore, PartsAfter: i.PartsAfter})
		}
	}
	for _, child := range n.Children {
		s.Children = append(s.Children, planTree(child))
	}
	return s
}
