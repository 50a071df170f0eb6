package hazard

import (
	"fmt"
	"strings"
)

// engineText prints a table's engine as it would be declared.
func (t *Table) engineText() string {
	if t == nil {
		return "an unknown engine"
	}
	if len(t.Engine.args) == 0 {
		return t.Engine.Name
	}
	return t.Engine.Name + "(" + printList(t.Engine.args) + ")"
}

// declared names a table with its engine and sorting key, as evidence.
func (t *Table) declared() string {
	if t == nil {
		return ""
	}
	s := t.full() + " is " + t.engineText()
	if len(t.Engine.orderBy) > 0 {
		s += " ORDER BY (" + printList(t.Engine.orderBy) + ")"
	}
	return s
}

// shown prints an output as the view has it.
func (o *Output) shown() string {
	if o.expr.String() == o.name {
		return o.name
	}
	return o.expr.String() + " AS " + o.name
}

// list joins names for a sentence.
func list(names []string) string { return strings.Join(names, ", ") }

// adding lists the aggregates that a repeated or replaced row would change.
func (v *View) adding() []Agg {
	var out []Agg
	for _, a := range v.aggs() {
		if !a.absorbsRepeats() && !isOver(a, v.aggs()) {
			out = append(out, a)
		}
	}
	return out
}

// isOver tells whether the aggregate stands inside another: a subquery's.
func isOver(a Agg, all []Agg) bool {
	for _, b := range all {
		if b.call == a.call {
			continue
		}
		for _, x := range b.call.args {
			if x.any(func(e *Expr) bool { return e == a.call }) {
				return true
			}
		}
	}
	return false
}

// ledgerKind is how a view takes cancelled rows off.
type ledgerKind int

const (
	noLedger  ledgerKind = iota
	keptApart            // the flag is a GROUP BY key, readers subtract
	weighted             // every added value is multiplied by the sign
)

// ledger tells how the view uses a sign or delete flag to cancel rows, and
// which column that is.
func (v *View) ledger() (string, ledgerKind) {
	for _, col := range v.signs() {
		if v.groupsBy(col) && !v.filters(col) {
			return col, keptApart
		}
		if v.weightedBy(col) {
			return col, weighted
		}
	}
	return "", noLedger
}

// signs lists the columns of the source that tell a cancel from a state.
func (v *View) signs() []string {
	var out []string
	for _, c := range []string{v.source.signColumn(), v.source.deletedColumn(), v.source.operationColumn()} {
		if c != "" && !contains(out, c) {
			out = append(out, c)
		}
	}
	if v.source == nil || len(out) > 0 {
		return out
	}
	for _, c := range v.source.Columns {
		small := contains([]string{"UInt8", "Int8", "Bool"}, plainType(c.Type))
		if small && (v.feed == "ledger" || contains(cancelNames, strings.ToLower(c.Name))) {
			out = append(out, c.Name)
		}
	}
	return out
}

// cancelNames are flags of cancel rows that are too common to be taken for a
// delete flag where no ledger is kept.
var cancelNames = strings.Fields("cancelled canceled is_cancelled is_canceled cancel is_cancel reversed is_reversal void is_void gone dead del negated")

// weightedBy tells whether everything the view adds up is weighted by the column.
func (v *View) weightedBy(col string) bool {
	adding := v.adding()
	for _, a := range adding {
		if !weighs(a, col) && !v.otherSide(a, col) {
			return false
		}
	}
	return len(adding) > 0
}

// weighs tells whether the argument is multiplied by the column, chosen by it, or is it.
func weighs(a Agg, col string) bool {
	for _, x := range a.plainArgs() {
		if contains(x.columns(), col) {
			return true
		}
	}
	return false
}

// otherSide tells whether an aggregate for one value of the flag has its
// counterpart for the other: sumIf(x, sign = 1) and sumIf(x, sign = -1).
func (v *View) otherSide(a Agg, col string) bool {
	if !a.has("If") || !contains(a.call.columns(), col) {
		return false
	}
	for _, b := range v.adding() {
		if b.base == a.base && b.has("If") && contains(b.call.columns(), col) &&
			b.call.String() != a.call.String() && printList(b.plainArgs()) == printList(a.plainArgs()) {
			return true
		}
	}
	return false
}

// mutableWords are the parts of names that tell of a value that changes over a row's life.
var mutableWords = strings.Fields(`status state stage phase plan tier level owner assignee assigned balance price amount qty quantity stock score
 active enabled disabled updated modified changed current last latest priority rank progress step queue bucket segment
 email phone address manager rating paid closed open resolved archived visible hidden published valid verified approved confirmed
 cancelled canceled refunded shipped delivered done finished completed pending blocked banned suspended online available locked role salary position location`)

// kindWords are the parts of names of what a thing is, which hardly ever changes.
var kindWords = strings.Fields("type kind category country region tenant account source channel currency brand org company site platform")

// stableWords are the parts of names that tell of a value set once, at birth.
var stableWords = strings.Fields("created born birth inserted registered signup joined first opened started ordered placed occurred")

// nameSays tells whether a part of a column's name is among the words.
func nameSays(name string, words []string) bool {
	for _, part := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '.' }) {
		if contains(words, part) {
			return true
		}
	}
	return false
}

func mayChange(name string) bool {
	return !nameSays(name, stableWords) && nameSays(name, mutableWords)
}

func isStableName(name string) bool { return nameSays(name, stableWords) }

// targetKeySources lists, per target key column, the source columns it comes from.
func (v *View) targetKeySources() map[string][]string {
	out := map[string][]string{}
	for _, k := range v.target.keyColumns() {
		if o := v.output(k); o != nil {
			out[k] = o.expr.columns()
		}
	}
	return out
}

// keyFrom tells whether some target key column is computed from a source column.
func (v *View) keyFrom(col string) bool {
	for _, sources := range v.targetKeySources() {
		if contains(sources, col) {
			return true
		}
	}
	return false
}

// entity is what identifies a row of the source: the key of a de-duplicating
// engine; for a log of changes its sorting key without the version.
func (v *View) entity() []string {
	if v.source.replacing() || v.source.collapsing() || !v.logged() {
		return v.source.entityKey()
	}
	version := ""
	if o := v.output(v.target.versionColumn()); o != nil {
		version = o.expr.String()
	}
	var out []string
	for _, c := range v.source.keyColumns() {
		if c != version && !isVersionName(c) {
			out = append(out, c)
		}
	}
	return out
}

// logged tells whether the source is a plain table that tells of deletes.
func (v *View) logged() bool {
	return v.source.is("MergeTree", "Null") && (v.source.deletedColumn() != "" || v.source.operationColumn() != "" && v.source.keyColumns() != nil)
}

// isVersionName tells whether a column is by name the version of a change.
func isVersionName(name string) bool {
	return contains(strings.Fields("version _version ver _ver _v rev revision lsn _lsn seq updated_at _peerdb_version _etl_version cdc_lsn"), strings.ToLower(name))
}

// missingEntityKey lists the columns of the source's key that the target's key lacks.
func (v *View) missingEntityKey() []string {
	var out []string
	for _, c := range v.entity() {
		if !v.keyFrom(c) {
			out = append(out, c)
		}
	}
	return out
}

// mirror tells whether the view passes rows on one by one.
func (v *View) mirror() bool { return !v.aggregated() }

// lastStates tells whether the view keeps, per entity, only what belongs to the
// greatest version: argMax states grouped by the entity key.
func (v *View) lastStates() bool {
	aggs := v.aggs()
	if len(aggs) == 0 {
		return false
	}
	keepsArg := false
	for _, a := range aggs {
		switch {
		case a.base == "argMax":
			keepsArg = true
		case a.base == "max" && a.arg() != nil && a.arg().kind == columnExpr:
		case a.isAny():
		default:
			return false
		}
	}
	return keepsArg && len(v.group()) > 0
}

// changes tells whether rows of the source are replaced or cancelled later.
func (v *View) changes() bool {
	switch v.feed {
	case "append", "at_least_once":
		return false
	case "":
		return v.source.replacing() && v.source.versionColumn() != "" || v.source.signColumn() != "" || v.logged()
	}
	return true
}

// deletes tells whether rows of the source can be deleted.
func (v *View) deletes() bool {
	if v.feed == "append" || v.feed == "at_least_once" {
		return false
	}
	return v.source.deletedColumn() != "" || v.source.collapsing() || v.source.operationColumn() != ""
}

func sentence(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// constant tells whether an expression depends on no row and no clock.
func (e *Expr) constant() bool {
	if e == nil || e.kind == starExpr || e.kind == subqueryExpr || e.kind == columnExpr {
		return false
	}
	return len(e.columns()) == 0 && !hasAggregate(e) && !e.calls("now", "now64", "today", "yesterday", "rand", "generateUUIDv4", "rowNumberInBlock")
}

// isNull tells a NULL, cast or not.
func (e *Expr) isNull() bool {
	if e.isCall("CAST") && len(e.args) > 0 {
		return e.args[0].isNull()
	}
	return e != nil && e.kind == literalExpr && !e.text && e.name == "NULL"
}

// watermark tells whether the view only keeps how far the table has come: the
// greatest of a column over all rows.
func (v *View) watermark() bool {
	return len(v.group()) == 0 && greatestOnly(v.flat.outputs)
}

// greatestOnly tells whether expressions only take a maximum.
func greatestOnly(outputs []*Expr) bool {
	for _, e := range outputs {
		if a, ok := aggregate(e); !ok || a.base != "max" || len(a.combos) > 0 {
			return false
		}
	}
	return len(outputs) > 0
}
