package pattern

import (
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// Projection lets the source keep an aggregate of each of its parts.
var Projection = &designer.Pattern{
	ID:    "projection",
	Title: "An aggregate projection on the source",
	Price: "Alters the source; its parts carry their own totals, which queries of exactly this shape use.",
	Judge: judgeProjection,
	Plan:  planProjection,
}

func judgeProjection(r *designer.Rollup) designer.Verdict {
	v := designer.Verdict{For: []designer.Reason{reason("part-keeps-totals", fmt.Sprintf("Rows of %s never change, so the totals of its parts stay true, and the server merges them with the parts.", r.Source.Table))}}
	if r.Source.Feed != designer.Append {
		v.Against = append(v.Against, reason("projection-sees-versions", fmt.Sprintf("A projection aggregates the rows of a part, all versions of an entity among them, and FINAL does not use it; feed %s needs one row per entity.", r.Source.Feed)))
	}
	if r.Engine.Name != "" && r.Engine.Name != "MergeTree" {
		v.Against = append(v.Against, reason("projection-needs-mergetree", fmt.Sprintf("Merges of a %s drop rows, which servers refuse beside a projection by default.", r.Engine.Name)))
	}
	if len(r.Tiers) > 0 {
		v.Against = append(v.Against, reason("projection-has-no-tiers", "A projection lives and dies with its part: it cannot outlive the rows, as tiers do."))
	}
	return v
}

func planProjection(r *designer.Rollup) *ddl.Plan {
	b := begin(r, "projection")
	b.plan.Targets = []ddl.Target{{Pattern: "projection", Table: r.Source.Database + "." + r.Source.Table, Metrics: r.MetricNames()}}
	name := ddl.Ident(b.name("projection"))
	b.step(ddl.Step{
		Name: b.name("projection"),
		SQL:  fmt.Sprintf("ALTER TABLE %s%s ADD PROJECTION %s\n(\n%s\n)", r.SourceTable(), ddl.OnCluster(r.Deployment.OnCluster), name, projected(r).SQL()),
		Why:  "Parts written from now on carry these totals; parts that exist get them from backfill.sql.",
		Undo: fmt.Sprintf("ALTER TABLE %s%s DROP PROJECTION IF EXISTS %s", r.SourceTable(), ddl.OnCluster(r.Deployment.OnCluster), name),
	})
	materialise := fmt.Sprintf("ALTER TABLE %s%s MATERIALIZE PROJECTION %s SETTINGS mutations_sync = 2;\n", r.SourceTable(), ddl.OnCluster(r.Deployment.OnCluster), name)
	b.plan.Backfill = ddl.Comment("Gives the parts that exist their totals. Answers are right before, and faster after. Safe to run again.") + materialise
	b.plan.Correct = ddl.Comment("A projection follows its parts and needs no repair. This builds it again where a part lacks it.") + materialise
	return b.readView(flatRead(r), false,
		"The question in the shape of the projection, so that the server can answer it from there; where it does not, the answer is the same and slower.")
}

// flat gives the question in one level over the source's own columns, which is
// the only shape that a projection can have: its grain, then the aggregates.
func flat(r *designer.Rollup) (ddl.Select, *designer.Rows) {
	q := r.NewFlatRows(ddl.Select{From: r.SourceTable()})
	grain := q.Grain(r.Bucket)
	return ddl.Select{Items: q.Select.Items, From: r.SourceTable(), GroupBy: grain}, q
}

// projected is the projection's definition: every aggregate that the read needs.
func projected(r *designer.Rollup) ddl.Select {
	s, q := flat(r)
	s.From = "" // a projection reads its own part
	seen := map[string]bool{}
	add := func(expr string) {
		if !seen[expr] {
			seen[expr] = true
			s.Items = append(s.Items, ddl.Item{Expr: expr})
		}
	}
	add(rowsIn(r, q))
	for _, c := range r.FlatFold().Components {
		add(c.Bare)
	}
	return s
}

// rowsIn counts the rows of a group that lie in the answer.
func rowsIn(r *designer.Rollup, q *designer.Rows) string {
	conds := q.Select.Where
	if r.Filter != "" {
		conds = append(conds, r.FilterCondition())
	}
	if len(conds) == 0 {
		return "count()"
	}
	return "countIf(" + strings.Join(conds, " AND ") + ")"
}

// flatRead asks the same of the source and names the result.
func flatRead(r *designer.Rollup) ddl.Select {
	s, q := flat(r)
	out := ddl.Select{Sub: &s}
	for i, name := range r.GrainNames() {
		out.Items = append(out.Items, ddl.As(s.GroupBy[i], name))
	}
	for i, m := range r.Measures {
		inner := r.Inner(fmt.Sprintf("metric%d", i+1))
		s.Items = append(s.Items, ddl.As(q.Aggregate(m, false), inner))
		out.Items = append(out.Items, ddl.As(ddl.Ident(inner), m.Name))
	}
	s.Having = []string{rowsIn(r, q) + " > 0"}
	return out
}
