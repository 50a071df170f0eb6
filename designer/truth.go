package designer

import "github.com/rollsmith/rollsmith/designer/ddl"

// Live gives the rows of the source's entities in their latest live version,
// each once: what the truth is (SPEC §1, truth per feed).
func (r *Rollup) Live() ddl.Select { return r.LiveIn(r.WholeSource(), r.KeyIsEngines()) }

// LiveIn gives the same over any table with the source's columns. keyed says
// that the table's engine keeps one row per entity itself, so FINAL serves.
func (r *Rollup) LiveIn(table string, keyed bool) ddl.Select {
	var s ddl.Select
	switch {
	case r.Source.Feed == Append:
		s = ddl.Select{From: table}
	case r.SignFeed():
		return r.uncancelled(table)
	case keyed:
		s = ddl.Select{From: table, Final: true}
	default:
		s = r.latest(table)
	}
	if !r.Immutable() && r.Source.Deleted != "" {
		s.Where = []string{ddl.Ident(r.Source.Deleted) + " = 0"}
	}
	return s
}

// latest picks one row per key where no engine does: the one of the highest
// version, all columns in one tuple so that a NULL is not passed over.
func (r *Rollup) latest(table string) ddl.Select {
	columns := r.Needed()
	row := ddl.Call("tuple", ddl.Idents(columns)...)
	if r.Source.Feed == AtLeastOnce {
		row = ddl.Call("any", row)
	} else {
		row = ddl.Call("argMax", row, ddl.Ident(r.Source.Version))
	}
	name := r.Inner("row")
	inner := ddl.Select{Items: []ddl.Item{ddl.As(row, name)}, From: table, GroupBy: r.KeyExprs()}
	outer := ddl.Select{Sub: &inner}
	for i, c := range columns {
		outer.Items = append(outer.Items, ddl.As(ddl.Call("tupleElement", ddl.Ident(name), itoa(i+1)), c))
	}
	return ddl.Select{Sub: &outer}
}

// uncancelled gives the state rows of a collapsing feed that no cancel row has
// taken back, whatever was merged and in whatever order rows came.
func (r *Rollup) uncancelled(table string) ddl.Select {
	columns := minus(r.Used(), r.Source.Sign)
	inner := ddl.Select{From: table, GroupBy: ddl.Idents(columns), Having: []string{"sum(" + ddl.Ident(r.Source.Sign) + ") > 0"}}
	for _, c := range columns {
		inner.Items = append(inner.Items, ddl.Col(c))
	}
	return ddl.Select{Sub: &inner}
}

// Answer gives the design's question asked of live rows: grain, then metrics.
// With exact set, approximate metrics are exact. extra adds columns behind them.
func (r *Rollup) Answer(live ddl.Select, exact bool, extra ...func(*Rows) []ddl.Item) ddl.Select {
	q := r.NewRows(live)
	grain := q.Grain(r.Bucket)
	q.Filter()
	out := ddl.Select{GroupBy: grain}
	for i, name := range r.GrainNames() {
		out.Items = append(out.Items, ddl.As(grain[i], name))
	}
	for _, m := range r.Measures {
		out.Items = append(out.Items, ddl.As(q.Aggregate(m, exact), m.Name))
	}
	for _, more := range extra {
		out.Items = append(out.Items, more(q)...)
	}
	if len(q.Select.Items) == 0 {
		q.Select.Items = []ddl.Item{ddl.As("1", r.Inner("one"))}
	}
	if len(grain) == 0 {
		out.Having = []string{"count() > 0"} // no entity, no row: not a row of zeros
	}
	out.Sub = &q.Select
	return out
}

// Truth gives the question asked of the source itself, exactly.
func (r *Rollup) Truth(extra ...func(*Rows) []ddl.Item) ddl.Select {
	s := r.Answer(r.Live(), true, extra...)
	s.OrderBy = s.GroupBy
	s.Settings = r.ReadSettings(r.PartitionsHoldEntities())
	return s
}

// ViewSettings pins what the value of an expression in a view depends on beside
// the row, so that whoever inserts cannot change it.
func (r *Rollup) ViewSettings() []ddl.Setting {
	return []ddl.Setting{
		{Name: "aggregate_functions_null_for_empty", Value: "0"},
		{Name: "cast_keep_nullable", Value: "0"},
		{Name: "date_time_overflow_behavior", Value: ddl.Literal("ignore")},
		{Name: "enable_extended_results_for_datetime_functions", Value: "0"},
		{Name: "prefer_column_name_to_alias", Value: "0"},
		{Name: "session_timezone", Value: ddl.Literal(r.Zone.Name)},
		{Name: "transform_null_in", Value: "0"},
	}
}

// ReadSettings pins what an answer depends on. perPartition says that entities
// never span partitions, so that FINAL may go partition by partition.
func (r *Rollup) ReadSettings(perPartition bool) []ddl.Setting {
	across := "0"
	if perPartition {
		across = "1"
	}
	return append(r.ViewSettings(),
		ddl.Setting{Name: "do_not_merge_across_partitions_select_final", Value: across},
		ddl.Setting{Name: "final", Value: "0"},
		ddl.Setting{Name: "group_by_use_nulls", Value: "0"},
		ddl.Setting{Name: "join_use_nulls", Value: "0"},
		ddl.Setting{Name: "optimize_move_to_prewhere_if_final", Value: "0"},
		ddl.Setting{Name: "use_skip_indexes_if_final", Value: "0"},
	)
}

// TopSettings pins, for a whole query, also what would cut its answer short.
func (r *Rollup) TopSettings(perPartition bool) []ddl.Setting {
	return append(r.ReadSettings(perPartition), ddl.Setting{Name: "limit", Value: "0"}, ddl.Setting{Name: "offset", Value: "0"})
}

func minus(list []string, drop string) []string {
	var out []string
	for _, s := range list {
		if s != drop {
			out = append(out, s)
		}
	}
	return out
}
