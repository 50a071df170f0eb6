// Package hazard finds the designs that make a rollup wrong. It reads
// definitions (tables, views, queries, scripts) as values and gives findings as
// values; it opens no connection. Each hazard of the catalog is one file.
package hazard

import "strings"

// Column is one column of a table or view.
type Column struct {
	Name, Type           string
	DefaultKind, Default string // DEFAULT, MATERIALIZED, ALIAS, EPHEMERAL and its expression
	Comment              string
}

// Index is a data-skipping index.
type Index struct {
	Name string
	expr *Expr
}

// NewIndex makes an index of its name and expression as the server tells them.
func NewIndex(name, expr string) Index { return Index{Name: name, expr: ParseExpr(expr)} }

// Table is a table as rules see it.
type Table struct {
	DB, Name string
	Engine   Engine
	Columns  []Column
	Indexes  []Index
	Comment  string
}

// Definition is a view as it stands on the server or in a script.
type Definition struct {
	DB, Name             string
	Materialized         bool
	Select               string // the query after AS
	Columns              []Column
	TargetDB, TargetName string // TO, or the inner table
	Inner                *Engine
	Refreshable, Append  bool
	Populate             bool
	fromScript           bool
}

// Catalog is what is known of a cluster.
type Catalog struct {
	Version     string            // of the server
	Settings    map[string]string // what a session of ours gets
	Profiles    map[string]string // settings that some profile or user of the server changes
	Tables      []*Table
	Definitions []*Definition
	Feeds       map[string]string // db.table: how rows arrive, as somebody has stated
	DefaultDB   string            // of unqualified names

	tables map[string]*Table
	views  []*View
}

func (t *Table) full() string { return t.DB + "." + t.Name }

// column finds a column by name.
func (t *Table) column(name string) *Column {
	if t == nil {
		return nil
	}
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// is tells whether the table's engine, whatever replicates it, is one of these.
func (t *Table) is(kinds ...string) bool { return t != nil && contains(kinds, t.Engine.Kind) }

func (t *Table) replacing() bool  { return t.is("ReplacingMergeTree") }
func (t *Table) collapsing() bool { return t.is("CollapsingMergeTree", "VersionedCollapsingMergeTree") }
func (t *Table) summing() bool    { return t.is("SummingMergeTree") }
func (t *Table) aggregating() bool {
	return t.is("AggregatingMergeTree")
}

// deduplicates tells whether merges leave one row per sorting key.
func (t *Table) deduplicates() bool {
	return t.replacing() || t.collapsing() || t.is("CoalescingMergeTree")
}

// adds tells whether merges of the table add rows up or merge states.
func (t *Table) adds() bool { return t.summing() || t.aggregating() }

// neverMerges tells whether the engine keeps every row it was given.
func (t *Table) neverMerges() bool {
	return t.is("MergeTree", "Memory", "Log", "TinyLog", "StripeLog")
}

// keyColumns lists the columns the sorting key is made of.
func (t *Table) keyColumns() []string {
	if t == nil {
		return nil
	}
	var out []string
	for _, e := range t.Engine.orderBy {
		for _, c := range e.columns() {
			if !contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// versionColumn is the column by which a ReplacingMergeTree picks a row.
func (t *Table) versionColumn() string {
	switch {
	case t.replacing() && len(t.Engine.args) > 0:
		return t.Engine.args[0].name
	case t.is("VersionedCollapsingMergeTree") && len(t.Engine.args) > 1:
		return t.Engine.args[1].name
	}
	return ""
}

// signColumn is the sign of a collapsing engine, or a column that by name and
// type is one.
func (t *Table) signColumn() string {
	if t.collapsing() && len(t.Engine.args) > 0 {
		return t.Engine.args[0].name
	}
	if t == nil || t.replacing() { // there _sign is the connector's delete flag
		return ""
	}
	for _, c := range t.Columns {
		if (c.Name == "sign" || c.Name == "_sign") && strings.HasPrefix(c.Type, "Int") {
			return c.Name
		}
	}
	return ""
}

// flagNames are the delete flags of connectors and of people.
var flagNames = strings.Fields("is_deleted _is_deleted deleted _deleted __deleted isdeleted is_delete del_flag _del is_removed removed deleted_flag tombstone is_tombstone _peerdb_is_deleted _etl_deleted _fivetran_deleted __is_deleted _ab_cdc_deleted_at deleted_at")

// operationNames are columns that name what a change does.
var operationNames = strings.Fields("op _op __op operation cdc_operation change_type event_op _change_type")

// deletedColumn is the delete flag: the engine's, or one that says so by name.
func (t *Table) deletedColumn() string {
	if t == nil {
		return ""
	}
	if t.replacing() && len(t.Engine.args) > 1 {
		return t.Engine.args[1].name
	}
	for _, c := range t.Columns {
		if contains(flagNames, strings.ToLower(c.Name)) {
			return c.Name
		}
		if t.replacing() && c.Name == "_sign" {
			return c.Name
		}
	}
	return ""
}

// operationColumn is a column that says whether a row inserts, updates or deletes.
func (t *Table) operationColumn() string {
	if t == nil {
		return ""
	}
	for _, c := range t.Columns {
		if contains(operationNames, strings.ToLower(c.Name)) {
			return c.Name
		}
	}
	return ""
}

// entityKey is what identifies a row of a de-duplicating table: its sorting
// key without the version.
func (t *Table) entityKey() []string {
	var out []string
	for _, c := range t.keyColumns() {
		if c != t.versionColumn() || !t.replacing() {
			out = append(out, c)
		}
	}
	return out
}

// setting gives a setting of the table, "" where it is not set.
func (t *Table) setting(name string) string {
	if t == nil {
		return ""
	}
	return t.Engine.settings[name]
}

// summed lists the columns that a SummingMergeTree adds up.
func (t *Table) summed() []string {
	if !t.summing() {
		return nil
	}
	var named []string
	for _, a := range t.Engine.args {
		named = append(named, a.columns()...)
	}
	var out []string
	for _, c := range t.Columns {
		if len(named) > 0 && !contains(named, c.Name) || contains(t.keyColumns(), c.Name) {
			continue
		}
		if isNumeric(c.Type) {
			out = append(out, c.Name)
		}
	}
	return out
}

// simpleFunction gives the function of a SimpleAggregateFunction column, and its type.
func simpleFunction(typ string) (string, string) { return functionOf(typ, "SimpleAggregateFunction(") }

// stateFunction gives the function of an AggregateFunction column with its
// parameters, and its argument types.
func stateFunction(typ string) (string, string) { return functionOf(typ, "AggregateFunction(") }

func functionOf(typ, prefix string) (string, string) {
	inner, ok := strings.CutPrefix(typ, prefix)
	if !ok || !strings.HasSuffix(inner, ")") {
		return "", ""
	}
	parts := splitTypes(strings.TrimSuffix(inner, ")"))
	if len(parts) > 0 && isVersionNumber(parts[0]) { // AggregateFunction(1, sum, …)
		parts = parts[1:]
	}
	if len(parts) == 0 {
		return "", ""
	}
	return parts[0], strings.Join(parts[1:], ", ")
}

func isVersionNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// table finds a table by database and name.
func (c *Catalog) table(db, name string) *Table { return c.tables[db+"."+name] }
