package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/problem"
)

// Database is one database and how much is in it.
type Database struct {
	Name   string `ch:"name" json:"name"`
	Engine string `ch:"engine" json:"engine"`
	Tables uint64 `ch:"tables" json:"tables"`
	Views  uint64 `ch:"views" json:"views"` // materialized ones
	Bytes  uint64 `ch:"bytes" json:"bytes"`
}

// Table is one row of the table list.
type Table struct {
	Database     string    `ch:"database" json:"database"`
	Name         string    `ch:"name" json:"name"`
	Engine       string    `ch:"engine" json:"engine"`
	SortingKey   string    `ch:"sorting_key" json:"sorting_key,omitempty"`
	PartitionKey string    `ch:"partition_key" json:"partition_key,omitempty"`
	Comment      string    `ch:"comment" json:"comment,omitempty"`
	Rows         uint64    `ch:"rows" json:"rows"`
	Bytes        uint64    `ch:"bytes" json:"bytes"`
	Views        uint32    `ch:"views" json:"views"` // materialized views that read it
	Modified     time.Time `ch:"modified" json:"modified"`
}

// Search is one page of a list: what to look for, where, in which order.
type Search struct {
	Text     string // part of database.table, any case
	Database string // only this one; empty for all
	Engine   string // the end of an engine's name, such as ReplacingMergeTree; Replicated and Shared ones match too
	Sort     string // "name" (the default), "rows", "bytes" or "modified"
	Page     int    // from 0
	PerPage  int    // 50 unless said, at most 500
}

// Sorts lists the orders a table list may have.
var Sorts = []string{"name", "rows", "bytes", "modified"}

// TableList is one page of tables. Missing says in words what could not be
// learned; the rest stands.
type TableList struct {
	Tables  []Table  `json:"tables"`
	Found   uint64   `json:"found"` // in all pages together
	Page    int      `json:"page"`
	PerPage int      `json:"per_page"`
	Took    Took     `json:"took_ms"`
	Missing []string `json:"missing,omitempty"`
}

// Pages is how many pages the whole list has.
func (l TableList) Pages() int {
	if l.PerPage == 0 {
		return 0
	}
	return (int(l.Found) + l.PerPage - 1) / l.PerPage
}

// Databases lists the databases this account can see.
func (c *Cluster) Databases(ctx context.Context) ([]Database, error) {
	return remember(&c.cache, "databases", func() ([]Database, error) {
		found, _, err := Rows[Database](ctx, c, Ask{For: "databases", SQL: query("databases")})
		return found, err
	})
}

// Tables searches the tables that this account can see: on the server, one
// page at a time.
func (c *Cluster) Tables(ctx context.Context, s Search) (TableList, error) {
	s = s.bounded()
	return remember(&c.cache, fmt.Sprintf("tables %+v", s), func() (TableList, error) {
		type row struct {
			Table
			Found uint64 `ch:"found"`
		}
		list := TableList{Page: s.Page, PerPage: s.PerPage}
		cost, err := c.Each(ctx, Ask{For: "table list", SQL: query("tables"), Params: s.params()}, func(r Scanner) error {
			var one row
			if err := r.ScanStruct(&one); err != nil {
				return fmt.Errorf("read a table: %w", err)
			}
			list.Tables, list.Found = append(list.Tables, one.Table), one.Found
			return nil
		})
		list.Took = Took(cost.Took)
		return list, err
	})
}

const (
	defaultPerPage = 50
	mostPerPage    = 500
)

func (s Search) bounded() Search {
	if s.PerPage <= 0 {
		s.PerPage = defaultPerPage
	}
	s.PerPage, s.Page = min(s.PerPage, mostPerPage), max(s.Page, 0)
	known := false
	for _, sort := range Sorts {
		known = known || s.Sort == sort
	}
	if !known {
		s.Sort = "name"
	}
	return s
}

func (s Search) params() map[string]any {
	engine := ""
	if s.Engine != "" {
		engine = "%" + likeEscape(s.Engine)
	}
	search := ""
	if s.Text != "" {
		search = "%" + likeEscape(s.Text) + "%"
	}
	return map[string]any{"database": s.Database, "engine": engine, "search": search, "sort": s.Sort,
		"limit": s.PerPage, "offset": s.Page * s.PerPage}
}

// likeEscape keeps what a person typed from acting as a LIKE pattern.
func likeEscape(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

// Column is one column of a table.
type Column struct {
	Name           string `ch:"name" json:"name"`
	Type           string `ch:"type" json:"type"`
	DefaultKind    string `ch:"default_kind" json:"default_kind,omitempty"` // DEFAULT, MATERIALIZED, ALIAS, EPHEMERAL
	DefaultExpr    string `ch:"default_expression" json:"default_expression,omitempty"`
	Comment        string `ch:"comment" json:"comment,omitempty"`
	Codec          string `ch:"codec" json:"codec,omitempty"`
	Compressed     uint64 `ch:"compressed" json:"compressed"`
	Uncompressed   uint64 `ch:"uncompressed" json:"uncompressed"`
	InSortingKey   bool   `ch:"in_sorting_key" json:"in_sorting_key,omitempty"`
	InPartitionKey bool   `ch:"in_partition_key" json:"in_partition_key,omitempty"`
	InPrimaryKey   bool   `ch:"in_primary_key" json:"in_primary_key,omitempty"`
}

// Columns lists a table's columns in their order.
func (c *Cluster) Columns(ctx context.Context, database, table string) ([]Column, error) {
	return remember(&c.cache, "columns "+database+"\x00"+table, func() ([]Column, error) {
		found, _, err := Rows[Column](ctx, c, Ask{For: "columns", SQL: query("columns"), Params: map[string]any{"database": database, "table": table}})
		if err == nil && len(found) == 0 {
			err = noTable(database, table)
		}
		return found, err
	})
}

func noTable(database, table string) error {
	return &problem.Error{Kind: problem.NotFound, Code: "table", Field: "table", Value: database + "." + table,
		Message: fmt.Sprintf("There is no table %s.%s that this account can see.", database, table),
		Hint:    "Check the spelling, or let an administrator run: GRANT SHOW TABLES, SHOW COLUMNS, SELECT ON " + tableName(database, table) + " TO <this user>;"}
}
