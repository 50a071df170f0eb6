package cluster

import (
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
)

// inferFeed proposes the feed from the engine and the columns alone.
func (in *Introspection) inferFeed(engine Engine) {
	s := &in.Source
	known, recognised := recognise(engine, s.Columns)
	if recognised {
		in.Evidence = append(in.Evidence, known.evidence()...)
	}
	switch engine.Name {
	case "ReplacingMergeTree":
		in.inferReplacing(engine, known)
	case "CollapsingMergeTree":
		s.Feed, s.Sign, s.Key = designer.Collapsing, engine.Column(0), slices.Clone(s.OrderBy)
		in.say("engine-collapsing", High, "%s: rows with %s = -1 cancel rows with %s = 1.", engine, s.Sign, s.Sign)
	case "VersionedCollapsingMergeTree":
		s.Feed, s.Sign, s.Version = designer.VersionedCollapsing, engine.Column(0), engine.Column(1)
		s.Key = withoutColumn(s.OrderBy, s.Version)
		in.say("engine-versioned-collapsing", High, "%s: rows cancel by %s within a version %s, in any order of arrival.", engine, s.Sign, s.Version)
	case "MergeTree":
		s.Feed = designer.Append
		in.say("engine-append", Medium, "MergeTree keeps every row that is inserted: rows do not replace each other. Whether a retry inserts rows again cannot be seen in the definition.")
		in.noteFlag(known)
	case "SummingMergeTree", "AggregatingMergeTree", "CoalescingMergeTree", "GraphiteMergeTree":
		s.Feed = designer.Append
		in.say("source-merges-values", Low, "%s is itself a rollup: its merges change values, so a view on it sees partial rows and not their sums. A rollup is better built from the table that feeds it.", engine.Name)
	default:
		s.Feed = designer.Append
		in.say("engine-unknown", Low, "%s says nothing about changes; append is only an assumption.", engine.Name)
	}
}

// withoutColumn leaves one entry out of a key.
func withoutColumn(key []string, column string) []string {
	return slices.DeleteFunc(slices.Clone(key), func(k string) bool { return k == column })
}

func (in *Introspection) inferReplacing(engine Engine, known connector) {
	s := &in.Source
	s.Key = slices.Clone(s.OrderBy)
	s.Version = engine.Column(0)
	if s.Version == "" {
		s.Feed = designer.AtLeastOnce
		in.say("engine-replacing-unversioned", Medium, "ReplacingMergeTree without a version keeps the row inserted last. That fits a feed that repeats rows; if rows also change, nothing says which one is the latest, and a version column is needed.")
		in.noteFlag(known)
		return
	}
	s.Feed, s.Tombstones = designer.Upsert, "unknown"
	in.say("engine-version", High, "%s: the row with the highest %s per %s is the current one.", engine, s.Version, strings.Join(s.OrderBy, ", "))
	if s.Deleted = engine.Column(1); s.Deleted != "" {
		in.say("engine-deleted", High, "The engine's second argument says that %s flags deleted rows.", s.Deleted)
		return
	}
	in.findDeleted(known)
}

// findDeleted looks for a delete flag that the engine does not name.
func (in *Introspection) findDeleted(known connector) {
	s := &in.Source
	for _, name := range known.deleted {
		if !in.hasColumn(name) {
			continue
		}
		if !flagType(in.typeOf(name)) {
			in.say("deleted-not-flag", High, "%s marks deletes in %s, but it is %s and not a flag that is 0 in a live row. Until there is such a column, deleted rows count as live.", known.name, name, in.typeOf(name))
			continue
		}
		if name == "_sign" {
			in.say("deleted-sign", High, "%s keeps 1 in _sign for a live row and -1 for a deleted one; a deleted flag is 0 in a live row, so _sign cannot be named as it is. Add a column such as is_deleted UInt8 ALIAS or MATERIALIZED from _sign = -1.", known.name)
			continue
		}
		s.Deleted = name
		in.say("connector-deleted", High, "%s flags deleted rows in %s. The engine does not name it, so FINAL alone keeps deleted rows.", known.name, name)
		return
	}
	for _, name := range deletedNames {
		if in.hasColumn(name) && flagType(in.typeOf(name)) {
			s.Deleted = name
			in.say("name-deleted", Medium, "%s looks like a deleted flag by its name. The engine does not name it, so FINAL alone keeps deleted rows.", name)
			return
		}
	}
	in.say("no-deleted", Medium, "No column looks like a deleted flag: nothing is ever deleted, or deletes do not arrive.")
}

// noteFlag tells of a delete flag on an engine that does nothing with it.
func (in *Introspection) noteFlag(known connector) {
	for _, name := range append(slices.Clone(known.deleted), deletedNames...) {
		if in.hasColumn(name) {
			in.say("flag-without-replacing", Medium, "There is a column %s, but this engine does not replace rows by version: if rows do change, the feed is not what it seems.", name)
			return
		}
	}
}
