package pattern

import (
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// monitor gives the health checks of a rollup: each statement gives rows for a
// dashboard; the comment above it says which of them should raise an alarm.
func monitor(b *builder) string {
	r := b.r
	var s strings.Builder
	like := ddl.Literal(r.Target.Prefix)
	database := ddl.Literal(r.Target.Database)
	mine := fmt.Sprintf("database = %s AND (table = %s OR startsWith(table, concat(%s, '_')))", database, like, like)
	s.WriteString(ddl.Comment("Parts and rows of the targets. Alarm: hundreds of active parts in one partition (merges do not keep up)."))
	s.WriteString("SELECT table, partition, count() AS parts, sum(rows) AS rows, sum(bytes_on_disk) AS bytes, max(modification_time) AS last_write\nFROM system.parts\nWHERE active AND " + mine + "\nGROUP BY table, partition\nORDER BY table, partition;\n\n")
	s.WriteString(ddl.Comment("Lag: when the source and each target last took rows. Alarm: the source moves on and a target does not."))
	s.WriteString(fmt.Sprintf("SELECT database, table, max(modification_time) AS last_write, dateDiff('second', max(modification_time), now()) AS seconds_ago\nFROM system.parts\nWHERE active AND ((database = %s AND table = %s) OR (%s))\nGROUP BY database, table\nORDER BY database, table;\n\n",
		ddl.Literal(r.Source.Database), ddl.Literal(r.Source.Table), mine))
	s.WriteString(ddl.Comment("Scheduled refreshes, where the design has any. Alarm: an exception, or a last success older than two periods."))
	s.WriteString("SELECT view, status, last_success_time, next_refresh_time, exception\nFROM system.view_refreshes\nWHERE database = " + database + " AND startsWith(view, concat(" + like + ", '_'))\nORDER BY view;\n\n")
	s.WriteString(duplicates(r))
	s.WriteString(ddl.Comment("What a view does when it fails. Alarm: a row. With 1, the source takes rows and the rollup silently does not;\nwith 0, the client gets an error but the source rows are stored all the same, so a plain retry doubles the source."))
	s.WriteString("SELECT name, value FROM system.settings WHERE name = 'materialized_views_ignore_errors' AND value = '1';\n\n")
	s.WriteString(ddl.Comment("Failures of the views in the last day, newest first (needs query_views_log, which servers keep by default).\nAlarm: a row."))
	s.WriteString("SELECT event_time, view_name, exception_code, exception\nFROM system.query_views_log\nWHERE event_time > now() - INTERVAL 1 DAY AND exception_code != 0 AND startsWith(view_name, " +
		ddl.Literal(r.Target.Database+"."+r.Target.Prefix) + ")\nORDER BY event_time DESC\nLIMIT 100;\n")
	return s.String()
}

// duplicates gives the source's rows per entity, where entities can repeat.
func duplicates(r *designer.Rollup) string {
	if r.Source.Feed == designer.Append || len(r.Source.Key) == 0 {
		return ""
	}
	out := ddl.Select{
		Items: []ddl.Item{
			ddl.As("count()", "rows"),
			ddl.As(ddl.Call("uniq", r.KeyExprs()...), "keys"),
			ddl.As("round(count() / greatest(1, "+ddl.Call("uniq", r.KeyExprs()...)+"), 4)", "duplicate_factor"),
		},
		From: r.SourceTable(),
	}
	if r.Grain.Time != nil {
		out.Where = []string{fmt.Sprintf("%s < now() - INTERVAL 1 DAY", r.TimeExpr())}
		out.Where = append(out.Where, fmt.Sprintf("%s >= now() - INTERVAL 8 DAY", r.TimeExpr()))
	}
	return ddl.Comment("Rows per entity of the source, in data older than a day. Alarm: above 1.01 where merges are the only\nthing that removes repeats. Heavy on a large source: keep the window short.") + out.Statement() + "\n"
}
