package bench

import (
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// reading is one way of asking the source itself.
type reading struct {
	id, title      string
	direct         bool
	caution, wrong string
	query          ddl.Select
}

// readings gives the ways that people read one row per entity, by feed: what
// they all do is pick the same rows, and what they cost differs by a factor of
// ten.
func readings(r *designer.Rollup) []reading {
	var out []reading
	add := func(id, title string, live ddl.Select, perPartition bool) *reading {
		q := r.Answer(live, false)
		q.OrderBy, q.Settings = ddl.Idents(r.GrainNames()), r.TopSettings(perPartition)
		out = append(out, reading{id: id, title: title, query: q})
		return &out[len(out)-1]
	}
	table := r.SourceTable()
	switch {
	case r.Source.Feed == designer.Append:
		add("read", "reading every row", r.Live(), false)
	case r.SignFeed():
		add("sign", "weighing by the sign", r.Live(), false)
		if r.Engine.CollapsingKind() && r.Engine.Arg(0) == r.Source.Sign {
			addFinal(r, add)
		}
	default:
		if r.KeyIsEngines() {
			addFinal(r, add)
		}
		add("argmax", argMaxTitle(r), r.LiveIn(table, false), false)
		add("limit_by", "LIMIT 1 BY", limitBy(r), false)
		if r.Source.Version != "" && r.Source.Feed != designer.AtLeastOnce {
			in := add("in", "IN (subquery of the latest versions)", latestIn(r), false)
			in.caution = "Right only while no two rows of an entity have the same version: both would be counted."
		}
	}
	mark(r, out)
	return out
}

// mark finds the read that the truth itself uses.
func mark(r *designer.Rollup, all []reading) {
	direct := "argmax"
	switch {
	case r.Source.Feed == designer.Append:
		direct = "read"
	case r.SignFeed():
		direct = "sign"
	case r.KeyIsEngines() && r.PartitionsHoldEntities():
		direct = "final_parts"
	case r.KeyIsEngines():
		direct = "final"
	}
	for i := range all {
		all[i].direct = all[i].id == direct
	}
}

func argMaxTitle(r *designer.Rollup) string {
	if r.Source.Feed == designer.AtLeastOnce {
		return "any row of each key"
	}
	return "argMax"
}

// addFinal adds FINAL over all partitions and, where there are some, over each
// alone: that is right only if no entity spans two.
func addFinal(r *designer.Rollup, add func(string, string, ddl.Select, bool) *reading) {
	live := ddl.Select{From: r.SourceTable(), Final: true}
	switch {
	case r.SignFeed():
		live.Where = []string{ddl.Ident(r.Source.Sign) + " > 0"}
	case !r.Immutable() && r.Source.Deleted != "":
		live.Where = []string{ddl.Ident(r.Source.Deleted) + " = 0"}
	}
	add("final", "FINAL", live, false)
	if r.Source.PartitionBy == "" {
		return
	}
	parts := add("final_parts", "FINAL, partition by partition", live, true)
	if !r.PartitionsHoldEntities() {
		parts.wrong = "Not to be relied on: an entity can have rows in two partitions, and FINAL then keeps one of each."
	}
}

// limitBy takes the newest row of each key from the sorted whole.
func limitBy(r *designer.Rollup) ddl.Select {
	key := r.KeyExprs()
	inner := ddl.Select{From: r.SourceTable(), LimitBy: strings.Join(key, ", "), OrderBy: key}
	if r.Source.Feed != designer.AtLeastOnce {
		inner.OrderBy = append(append([]string{}, key...), ddl.Ident(r.Source.Version)+" DESC")
	}
	for _, c := range r.Needed() {
		inner.Items = append(inner.Items, ddl.Col(c))
	}
	return alive(r, ddl.Select{Sub: &inner})
}

// latestIn takes the rows whose key and version a subquery found to be the latest.
func latestIn(r *designer.Rollup) ddl.Select {
	inner := ddl.Select{From: r.SourceTable(), GroupBy: r.KeyExprs()}
	for _, k := range r.KeyExprs() {
		inner.Items = append(inner.Items, ddl.Item{Expr: k})
	}
	version := ddl.Ident(r.Source.Version)
	inner.Items = append(inner.Items, ddl.Item{Expr: "max(" + version + ")"})
	row := ddl.Call("tuple", append(r.KeyExprs(), version)...)
	return alive(r, ddl.Select{From: r.SourceTable(), Where: []string{row + " IN\n(\n" + inner.SQL() + "\n)"}})
}

// alive leaves deleted entities out.
func alive(r *designer.Rollup, s ddl.Select) ddl.Select {
	if !r.Immutable() && r.Source.Deleted != "" {
		s.Where = append(s.Where, ddl.Ident(r.Source.Deleted)+" = 0")
	}
	return s
}
