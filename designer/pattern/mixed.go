package pattern

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// Mixed keeps the metrics that a fold can hold in tiers, and the others per
// entity, under one read view. It is no name that a design can give: it is what
// auto comes to where tiers are asked for and some metrics cannot have them.
var Mixed = &designer.Pattern{
	ID:    "mixed",
	Title: "Tiers for the metrics that add up, one row per entity for the others",
	Price: "Reads both targets: the rows of the coarsest tier, and one row per entity.",
	Judge: func(r *designer.Rollup) designer.Verdict {
		fold, held, rest := split(r)
		if fold == nil || len(rest) == 0 {
			return designer.Verdict{Against: []designer.Reason{reason("one-target-serves", "All metrics fit one target.")}}
		}
		v := designer.Verdict{For: fold.Judge(only(r, held)).For}
		v.For = append(v.For, Replacing.Judge(only(r, rest)).For...)
		v.For = append(v.For, reason("tiers-for-some", fmt.Sprintf("The tiers hold %s; no merge of states gives %s, so those are answered per entity.", strings.Join(held, ", "), strings.Join(rest, ", "))))
		return v
	},
	Plan: planMixed,
}

// wantsBoth reports whether tiers are asked for that only some metrics can have.
func wantsBoth(r *designer.Rollup) bool {
	if len(r.Tiers) == 0 || keepsStates(cheapest(r)) {
		return false
	}
	fold, _, rest := split(r)
	return fold != nil && len(rest) > 0 && Replacing.Judge(r).Fits()
}

// split gives the fold that is right for some of the metrics, those metrics,
// and the others. Ratios are on neither side: they are computed from both.
func split(r *designer.Rollup) (fold *designer.Pattern, held, rest []string) {
	for _, p := range []*designer.Pattern{Summing, Aggregating, Ledger, Signed} {
		held, rest = nil, nil
		for _, m := range r.Measures {
			switch {
			case m.Kind == designer.Ratio:
			case p.Judge(only(r, []string{m.Name})).Fits():
				held = append(held, m.Name)
			default:
				rest = append(rest, m.Name)
			}
		}
		if len(held) > 0 {
			return p, held, rest
		}
	}
	return nil, nil, rest
}

// only gives the rollup with some of its metrics.
func only(r *designer.Rollup, names []string) *designer.Rollup {
	x := changed(r)
	x.Metrics, x.Measures = nil, nil
	for i, m := range r.Measures {
		if slices.Contains(names, m.Name) {
			x.Metrics = append(x.Metrics, r.Metrics[i])
			x.Measures = append(x.Measures, m)
		}
	}
	return x
}

func planMixed(r *designer.Rollup) *ddl.Plan {
	fold, held, rest := split(r)
	if fold == nil {
		return Replacing.Plan(r)
	}
	plans := []*ddl.Plan{fold.Plan(only(r, held)), Replacing.Plan(only(r, rest))}
	b := begin(r, "mixed")
	first := len(b.plan.Up)
	for _, p := range plans {
		b.plan.Up = append(b.plan.Up, p.Up[first:len(p.Up)-1]...) // without the database and the read view
		b.plan.Targets = append(b.plan.Targets, p.Targets...)
		b.plan.Backfill += p.Backfill + "\n"
		b.plan.Correct += p.Correct + "\n"
	}
	for _, p := range plans {
		if !strings.Contains(p.Correct, ";\n") { // half a repair would set the two answers apart
			b.plan.Correct = p.Correct
		}
	}
	return b.readView(unite(r, held, rest, plans[0].Read, plans[1].Read), plans[1].PerPartition,
		"Puts the two answers beside each other: both have the same grains, since a grain has a row exactly while a live entity is in it.")
}

// unite stacks the two answers and groups them by grain, which takes NULL
// dimensions as equal, as a join would not.
func unite(r *designer.Rollup, held, rest []string, left, right ddl.Select) ddl.Select {
	side := r.Inner("side")
	all := append(slices.Clone(held), rest...)
	stack := func(n int, s ddl.Select, has []string) ddl.Select {
		sub := s
		out := ddl.Select{Sub: &sub, Items: []ddl.Item{ddl.As(fmt.Sprint(n), side)}}
		for _, g := range r.GrainNames() {
			out.Items = append(out.Items, ddl.Col(g))
		}
		for _, m := range all {
			if slices.Contains(has, m) {
				out.Items = append(out.Items, ddl.Col(m))
			} else {
				t := r.ResultType(*r.Measure(m))
				out.Items = append(out.Items, ddl.As("CAST("+defaultOf(t)+", "+ddl.Literal(string(t))+")", m))
			}
		}
		return out
	}
	rows := ddl.Select{Union: []ddl.Select{stack(1, left, held), stack(2, right, rest)}, GroupBy: ddl.Idents(r.GrainNames())}
	for _, g := range r.GrainNames() {
		rows.Items = append(rows.Items, ddl.Col(g))
	}
	for n, names := range [][]string{held, rest} {
		row := fmt.Sprintf("anyIf(tuple(%s), %s = %d)", strings.Join(ddl.Idents(names), ", "), ddl.Ident(side), n+1)
		rows.Items = append(rows.Items, ddl.As(row, r.Inner(fmt.Sprintf("row%d", n+1))))
	}
	if len(r.GrainNames()) == 0 {
		rows.Having = []string{"count() > 0"}
	}
	out := ddl.Select{Sub: &rows}
	value := func(m string) string {
		if i := slices.Index(held, m); i >= 0 {
			return fmt.Sprintf("tupleElement(%s, %d)", ddl.Ident(r.Inner("row1")), i+1)
		}
		return fmt.Sprintf("tupleElement(%s, %d)", ddl.Ident(r.Inner("row2")), slices.Index(rest, m)+1)
	}
	for _, g := range r.GrainNames() {
		out.Items = append(out.Items, ddl.Col(g))
	}
	for _, m := range r.Measures {
		if m.Kind == designer.Ratio {
			out.Items = append(out.Items, ddl.As(designer.Divide(value(m.Numerator), value(m.Denominator)), m.Name))
		} else {
			out.Items = append(out.Items, ddl.As(value(m.Name), m.Name))
		}
	}
	return out
}

// oneOrTwo says, where one entity target serves all metrics though a fold could
// hold some, what two targets would cost.
func oneOrTwo(r *designer.Rollup, chosen *designer.Pattern) []designer.Reason {
	if chosen != Replacing || r.Pattern != "auto" {
		return nil
	}
	fold, held, _ := split(r)
	if fold == nil {
		return nil
	}
	return []designer.Reason{reason("one-target-for-all", fmt.Sprintf("A %s target could hold %s, but the other metrics need the row of each entity anyway: two targets would be read together and cost more than this one. Ask for %s in a design of its own, or in tiers, where it is read alone.", fold.ID, strings.Join(held, ", "), strings.Join(held, ", ")))}
}
