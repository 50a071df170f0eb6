package web

import (
	"slices"
	"time"
)

// Table is the page of one table.
type Table struct {
	Cluster, ClusterURL, Database, Name, URL string
	Comment                                  string
	Facts                                    []Fact
	Hops                                     []string
	Columns                                  []ColumnRow
	Partitions                               []PartitionRow
	PartsSummary                             string
	Lineage                                  *Lineage
	LineageCut                               bool
	Feed                                     *FeedView
	FeedTrouble                              *Trouble
	Create                                   string
	Extras                                   []Fact // indexes, projections, policies
	Missing                                  []string
	ReadAt                                   time.Time
	CanDesign                                bool
	WhyNot                                   string
}

// ColumnRow is one column of a table.
type ColumnRow struct {
	Name, Type, Default, Codec, Comment string
	Compressed                          uint64
	Share                               int // of the table's bytes, in per cent
	Marks                               []string
}

// PartitionRow is one partition; Share is of the largest, for the bar.
type PartitionRow struct {
	Name                 string
	Rows, Bytes          uint64
	Parts, Unmerged      uint64
	Share, UnmergedShare int
}

// FeedView is the feed that a table seems to have, and why.
type FeedView struct {
	Feed, Title, Says string
	Sure              string
	Fields            []Fact
	Evidence          []EvidenceRow
}

// EvidenceRow is one reason with how far it can be trusted.
type EvidenceRow struct {
	Text, Sure, SQL, Took string
}

// columnsWeighed reports whether the server knows what single columns weigh; of
// compact parts it does not.
func (t Table) columnsWeighed() bool {
	return slices.ContainsFunc(t.Columns, func(c ColumnRow) bool { return c.Compressed > 0 })
}

func (t Table) columnsCaption() string {
	words := Plural(len(t.Columns), "column")
	if !t.columnsWeighed() {
		words += ", not weighed one by one: the parts are compact, or there are none"
	}
	return words
}
