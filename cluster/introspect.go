package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
)

// Confidence says how far a piece of evidence can be trusted.
type Confidence string

// Confidences.
const (
	High   Confidence = "high"   // the definition says so, or every row was looked at
	Medium Confidence = "medium" // a convention, or a sample large enough to show what is common
	Low    Confidence = "low"    // a guess, or merges have removed what would prove it
)

// Evidence is one reason for what introspection inferred.
type Evidence struct {
	Code       string     `json:"code"`
	Text       string     `json:"text"`
	Confidence Confidence `json:"confidence"`
	SQL        string     `json:"sql,omitempty"` // the query behind it
	Took       Took       `json:"took_ms,omitempty"`
}

// Introspection is a design's source with the evidence for its feed.
type Introspection struct {
	Source   designer.Source `json:"source"`
	Evidence []Evidence      `json:"evidence"`
	Missing  []string        `json:"missing,omitempty"`
}

func (in *Introspection) say(code string, sure Confidence, format string, args ...any) {
	in.Evidence = append(in.Evidence, Evidence{Code: code, Confidence: sure, Text: fmt.Sprintf(format, args...)})
}

// Introspect reads a table into a design's source and infers its feed: from the
// engine, from the columns of known connectors, and from a bounded probe of its
// raw rows. What it infers is a proposal; the evidence says how sure it is.
func (c *Cluster) Introspect(ctx context.Context, database, table string) (*Introspection, error) {
	row, err := c.tableRow(ctx, database, table)
	if err != nil {
		return nil, err
	}
	p := &Profile{Database: database, Table: table, Engine: row.engine()}
	p.fill(c.follow(ctx, p, row))
	columns, err := c.Columns(ctx, p.storageDatabase, p.storageTable)
	if err != nil {
		return nil, err
	}
	in := &Introspection{Missing: p.Missing, Evidence: []Evidence{}}
	in.describe(p, columns)
	in.inferFeed(p.StorageEngine)
	if p.StorageEngine.MergeTree() {
		c.probeFeed(ctx, in)
	}
	return in, nil
}

// describe fills in what the definition says.
func (in *Introspection) describe(p *Profile, columns []Column) {
	s := &in.Source
	s.Database, s.Table = p.storageDatabase, p.storageTable
	s.Engine = p.StorageEngine.String()
	for _, hop := range p.Hops {
		in.say("resolved", High, "%s The source is %s.", hop.Why, dotted(hop.Database, hop.Table))
	}
	if p.StorageEngine.Wrapper != "" {
		in.say("replicated", High, "The table is %s%s: its rows are on several servers, its merges are those of %s.", p.StorageEngine.Wrapper, p.StorageEngine.Name, p.StorageEngine.Name)
	}
	if p.ShardingKey != "" {
		in.say("sharded", High, "Rows go to shards by %s: versions of one entity meet only if that is a stable function of the entity key.", p.ShardingKey)
	}
	var left []string
	for _, col := range columns {
		if col.DefaultKind == "ALIAS" || col.DefaultKind == "EPHEMERAL" {
			left = append(left, col.Name)
			continue
		}
		s.Columns = append(s.Columns, designer.Column{Name: col.Name, Type: col.Type})
	}
	if len(left) > 0 {
		in.say("columns-left-out", High, "Columns that are not stored were left out: %s.", strings.Join(left, ", "))
	}
	for _, expr := range p.SortingKey {
		s.OrderBy = append(s.OrderBy, in.plain(expr))
	}
	s.PartitionBy = in.plain(p.PartitionKey)
}

// plain gives an expression that is nothing but a column's name as that name.
func (in *Introspection) plain(expr string) string {
	bare := expr
	for strings.HasPrefix(bare, "(") && strings.HasSuffix(bare, ")") { // ORDER BY (id) is given as (id)
		bare = strings.TrimSpace(bare[1 : len(bare)-1])
	}
	if name := columnName(bare); name != "" && in.hasColumn(name) {
		return name
	}
	return expr
}

func (in *Introspection) hasColumn(name string) bool {
	return slices.ContainsFunc(in.Source.Columns, func(c designer.Column) bool { return c.Name == name })
}

func (in *Introspection) typeOf(name string) string {
	for _, c := range in.Source.Columns {
		if c.Name == name {
			return c.Type
		}
	}
	return ""
}
