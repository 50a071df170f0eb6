package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/designer/pattern"
)

// forced gives the statements of a pattern whatever is against it. For metrics
// that are no totals, a summing target is what the word says and what people
// write: each block's finished answer, added up.
func forced(r *designer.Rollup, id string) *Statements {
	plan := pattern.Force(r, id)
	if plan == nil {
		return nil
	}
	s := fromPlan(plan)
	if id == "summing" && slices.ContainsFunc(r.Metrics, finishedOnly) {
		return finished(r, s)
	}
	return s
}

// finishedOnly reports whether totals of parts do not give the metric.
func finishedOnly(m designer.Metric) bool {
	return !slices.Contains([]string{designer.Count, designer.Sum, designer.Avg, designer.Ratio}, m.Kind)
}

// finished keeps the answer of each inserted block in a SummingMergeTree.
func finished(r *designer.Rollup, like *Statements) *Statements {
	answer := r.Answer(ddl.Select{From: r.SourceTable()}, false)
	answer.Settings = r.ViewSettings()
	table := ddl.Table(r.Target.Database, r.Target.Prefix+"_rollup")
	view := ddl.Table(r.Target.Database, r.Target.Prefix+"_rollup_mv")
	grain := ddl.Idents(r.GrainNames())
	key := "(" + strings.Join(grain, ", ") + ")"
	if len(grain) == 0 {
		key = "tuple()"
	}
	read := ddl.Select{From: table, GroupBy: grain, OrderBy: grain, Settings: r.TopSettings(false)}
	for _, name := range r.GrainNames() {
		read.Items = append(read.Items, ddl.Col(name))
	}
	for _, m := range r.Measures {
		fn := "any"
		if r.ResultType(m).Numeric() {
			fn = "sum"
		}
		column := ddl.Ident(r.Inner("part")) + "." + ddl.Ident(m.Name)
		read.Items = append(read.Items, ddl.As(ddl.Call(fn, column), m.Name))
	}
	query := strings.Replace(read.Statement(), "FROM "+table, "FROM "+table+" AS "+ddl.Ident(r.Inner("part")), 1)
	return &Statements{Pattern: like.Pattern, Truth: like.Truth, Query: query,
		Up: []string{
			"CREATE DATABASE IF NOT EXISTS " + ddl.Ident(r.Target.Database),
			fmt.Sprintf("CREATE TABLE %s ENGINE = SummingMergeTree ORDER BY %s SETTINGS allow_nullable_key = 1 EMPTY AS %s", table, key, answer.SQL()),
			fmt.Sprintf("CREATE MATERIALIZED VIEW %s TO %s AS %s", view, table, answer.SQL()),
		},
		Down: fmt.Sprintf("DROP VIEW IF EXISTS %s; DROP TABLE IF EXISTS %s;", view, table)}
}
