package designer

import (
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer/ddl"
)

// Normalise fills in every default that SPEC names, and what the engine clause
// says of version, delete flag and sign.
func (d *Design) Normalise() {
	s := &d.Source
	engine := ParseEngine(s.Engine)
	switch engine.Name {
	case "ReplacingMergeTree":
		if s.Feed == Upsert || s.Feed == Ledger {
			fill(&s.Version, engine.Arg(0))
			fill(&s.Deleted, engine.Arg(1))
		}
	case "CollapsingMergeTree":
		fill(&s.Sign, engine.Arg(0))
	case "VersionedCollapsingMergeTree":
		fill(&s.Sign, engine.Arg(0))
		fill(&s.Version, engine.Arg(1))
	}
	for _, key := range [][]string{s.OrderBy, s.Key} {
		for i, entry := range key {
			key[i] = s.plainEntry(entry)
		}
	}
	// append has no entities that change, so its sorting key identifies none.
	if len(s.Key) == 0 && s.Feed != Append && !(s.Feed == AtLeastOnce && !engine.Replacing()) {
		s.Key = slices.Clone(s.OrderBy)
	}
	if s.Feed == Upsert {
		fill(&s.Tombstones, Unknown)
	}
	if d.Grain.Time != nil {
		d.Grain.Time.Column = s.plainEntry(d.Grain.Time.Column)
		fill(&d.Grain.Time.Name, "time")
		fill(&d.Grain.Time.Timezone, "UTC")
		fill(&d.Stability.Time, Unknown)
		if iv, err := ParseInterval(d.Grain.Time.Bucket); err == nil {
			d.Grain.Time.Bucket = iv.String()
		}
	}
	if d.Filter != "" {
		fill(&d.Stability.Filter, Unknown)
	}
	for _, x := range d.Grain.Dimensions {
		if d.Stability.Dimensions[x.Name] == "" {
			if d.Stability.Dimensions == nil {
				d.Stability.Dimensions = map[string]string{}
			}
			d.Stability.Dimensions[x.Name] = Unknown
		}
	}
	fill(&d.Freshness, "insert")
	fill(&d.Pattern, "auto")
	fill(&d.Backfill.Mode, BackfillNone)
	fill(&d.Target.Database, s.Database)
	fill(&d.Target.Prefix, d.Name)
	for _, text := range []*string{&d.Filter, &s.PartitionBy, &d.Deployment.ShardingKey} {
		*text = strings.TrimSpace(*text)
	}
	if p := s.PartitionBy; p == "tuple()" {
		s.PartitionBy = ""
	}
}

func fill(field *string, value string) {
	if *field == "" {
		*field = value
	}
}

// plainEntry gives an entry of a key without quotes and brackets around a column's name,
// so that entries can be told to be the same.
func (s Source) plainEntry(entry string) string {
	if s.Column(entry) != nil {
		return entry
	}
	if name := unquoteIdent(unbracket(entry)); s.Column(name) != nil {
		return name
	}
	return entry
}

// unbracket takes off brackets around a whole entry that is one name: servers
// give ORDER BY (id) as "(id)".
func unbracket(entry string) string {
	entry = strings.TrimSpace(entry)
	for len(entry) > 2 && entry[0] == '(' && entry[len(entry)-1] == ')' {
		entry = strings.TrimSpace(entry[1 : len(entry)-1])
	}
	return entry
}

// keyText gives an entry of a key as SQL: quoted where it is exactly a column.
func (s Source) keyText(entry string) string {
	if s.Column(entry) != nil {
		return ddl.Ident(entry)
	}
	return entry
}

// Column finds a source column by its name.
func (s Source) Column(name string) *Column {
	for i := range s.Columns {
		if s.Columns[i].Name == name {
			return &s.Columns[i]
		}
	}
	return nil
}
