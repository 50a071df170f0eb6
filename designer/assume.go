package designer

import (
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/designer/ddl"
)

// assumption is something the design takes for granted and the query that
// checks it; the query gives no rows when it holds.
type assumption struct{ text, sql string }

func assumptions(r *Rollup) []assumption {
	s := r.Source
	out := []assumption{{text: fmt.Sprintf("Changes arrive at `%s.%s` as feed `%s`.", oneLine(s.Database), oneLine(s.Table), s.Feed)}}
	key := strings.Join(r.KeyExprs(), ", ")
	switch s.Feed {
	case Upsert, Ledger:
		out = append(out, assumption{"No two rows of an entity have the same version:", r.check("count() > 1", key+", "+ddl.Ident(s.Version))})
	case AtLeastOnce:
		if others := minusAll(r.Used(), r.KeyColumns()); len(others) > 0 {
			out = append(out, assumption{"Rows of one entity are equal:", r.check("uniqExact("+strings.Join(ddl.Idents(others), ", ")+") > 1", key)})
		}
	case Collapsing, VersionedCollapsing:
		out = append(out, assumption{"Every cancel row (sign -1) takes back a state row that it equals; the sum of signs of a state is 0 or 1:",
			r.check("sum("+ddl.Ident(s.Sign)+") NOT IN (0, 1)", strings.Join(ddl.Idents(minus(r.Used(), s.Sign)), ", "))})
	}
	if s.Feed == Ledger {
		values := minusAll(r.Used(), []string{s.Version, s.Deleted})
		out = append(out, assumption{"Every cancel row equals the row that it cancels, and each replaced version has one (rows that merges have erased cannot be checked):",
			r.check(fmt.Sprintf("countIf(%s != 0) > countIf(%s = 0) OR countIf(%s = 0) > countIf(%s != 0) + 1",
				ddl.Ident(s.Deleted), ddl.Ident(s.Deleted), ddl.Ident(s.Deleted), ddl.Ident(s.Deleted)), strings.Join(ddl.Idents(values), ", "))})
	}
	if !r.Immutable() {
		out = append(out, r.stabilityAssumptions(key)...)
	}
	if r.Stability.Settles != "" && r.Grain.Time != nil {
		out = append(out, assumption{text: fmt.Sprintf("Nothing arrives, repeats or changes more than %s after its `%s`.", r.Stability.Settles, oneLine(r.Grain.Time.Column))})
	}
	return out
}

func (r *Rollup) stabilityAssumptions(key string) []assumption {
	var out []assumption
	live := ""
	if !r.KeepsValues() {
		live = ddl.Ident(r.Source.Deleted) + " = 0"
	}
	add := func(what, expr string) {
		sql := r.check("uniqExact("+expr+") > 1", key)
		if live != "" {
			sql = strings.Replace(sql, "\nGROUP BY", "\nWHERE "+live+"\nGROUP BY", 1)
		}
		out = append(out, assumption{what + " never changes for one entity:", sql})
	}
	if r.Grain.Time != nil && r.Stability.Time == Stable {
		add("`"+oneLine(r.Grain.Time.Column)+"`", r.TimeExpr())
	}
	if r.Filter != "" && r.Stability.Filter == Stable {
		add("The filter", ddl.Paren(r.Filter))
	}
	for _, x := range r.Dims {
		if x.Stable {
			add("`"+oneLine(x.Name)+"`", ddl.Paren(x.Expr))
		}
	}
	return out
}

// check groups the source's rows and gives some groups that break a rule.
func (r *Rollup) check(having, group string) string {
	return fmt.Sprintf("SELECT %s, count() AS rows\nFROM %s\nGROUP BY %s\nHAVING %s\nLIMIT 10", group, r.SourceTable(), group, having)
}

func minusAll(list, drop []string) []string {
	for _, d := range drop {
		list = minus(list, d)
	}
	return list
}

// operations gives what a rollup needs beside its statements (DESIGN §4), as
// far as it applies to the decision.
func operations(d *Decision) []string {
	r := d.Rollup
	stores := d.Pattern != "direct" && d.Pattern != "projection"
	out := []string{"When not to build it: a source of a few million rows, a grain with nearly as many groups as rows, or a decision that must see every recent event (fraud, credit, quotas). Then read the source directly: `truth.sql`."}
	if stores {
		out = append(out, "When a view fails: with `materialized_views_ignore_errors = 0` (the default) the client gets an error, but the source rows are stored all the same, so a plain retry doubles the source; with 1 the rollup silently lacks rows. Keep 0, make inserts repeatable with `insert_deduplication_token`, and run `audit.sql` after an error.")
		out = append(out, "Retention: raw rows for days to weeks, minutes for months, hours and days for years. A rollup keeps what the source's TTL drops; `audit.sql` can then only compare what both still have.")
		out = append(out, "Recovery: restoring a partition of the target takes minutes, an incremental backup chain hours and gives whole days; a replica that lags on purpose has everything up to the fault. Then fill the gap with `correct.sql` or `backfill.sql`, as far as they allow it.")
	}
	if r.Source.Feed == AtLeastOnce {
		out = append(out, "Before the engine: give each event its id where it happens; acknowledge only what is stored; drop ids seen before (a small table of recent ids with a TTL and an anti join); keep the id column only as long as a repeat can come (a column TTL). Test each layer alone, and raise an alarm when data older than a day has a duplicate factor above 1.01 (`monitor.sql`).")
	}
	if r.Source.Feed == Upsert && r.Source.Deleted != "" {
		out = append(out, "Delete rows stay until parts are merged: `min_age_to_force_merge_seconds` (a day serves) merges old parts. CLEANUP merges drop them too, and a late version then comes back to life. A row policy `USING "+ddl.Ident(r.Source.Deleted)+" = 0` hides deleted rows from readers of the source.")
	}
	out = append(out, "Readers: give dashboards and agents a read-only user with `max_execution_time`, `max_memory_usage` and `max_rows_to_read`, and let each name itself in `log_comment`, so that every query can be traced.")
	if r.Deployment.OnCluster != "" {
		out = append(out, "On a cluster: the view stands on the local table, where inserts arrive; merges work within a shard, so rows of one entity must lie on one shard.")
	}
	return out
}
