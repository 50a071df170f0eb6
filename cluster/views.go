package cluster

import (
	"context"
	"fmt"
	"strings"
)

// View is one materialized view: what it reads, where it writes.
type View struct {
	Database       string `ch:"database" json:"database"`
	Name           string `ch:"name" json:"name"`
	SourceDatabase string `ch:"source_database" json:"source_database,omitempty"`
	SourceTable    string `ch:"source_table" json:"source_table,omitempty"`
	TargetDatabase string `json:"target_database,omitempty"`
	TargetTable    string `json:"target_table,omitempty"`
	InnerTarget    bool   `json:"inner_target,omitempty"` // it stores into a hidden table of its own
	Refreshable    bool   `json:"refreshable,omitempty"`
	Select         string `ch:"as_select" json:"select"`
	Create         string `ch:"create_query" json:"create"`
	UUID           string `ch:"uuid" json:"-"`
}

// Source is database.table of what fires the view; empty for a refreshable one.
func (v View) Source() string { return dotted(v.SourceDatabase, v.SourceTable) }

// Target is database.table of where the view writes.
func (v View) Target() string { return dotted(v.TargetDatabase, v.TargetTable) }

func dotted(database, table string) string {
	if table == "" {
		return ""
	}
	return database + "." + table
}

// ViewList is one page of materialized views.
type ViewList struct {
	Views   []View   `json:"views"`
	Found   uint64   `json:"found"`
	Page    int      `json:"page"`
	PerPage int      `json:"per_page"`
	Took    Took     `json:"took_ms"`
	Missing []string `json:"missing,omitempty"`
}

// Views searches the materialized views that this account can see.
func (c *Cluster) Views(ctx context.Context, s Search) (ViewList, error) {
	s = s.bounded()
	return remember(&c.cache, fmt.Sprintf("views %+v", s), func() (ViewList, error) {
		type row struct {
			View
			Found uint64 `ch:"found"`
		}
		params := s.params()
		delete(params, "engine")
		delete(params, "sort")
		list := ViewList{Page: s.Page, PerPage: s.PerPage}
		cost, err := c.Each(ctx, Ask{For: "view list", SQL: query("views"), Params: params}, func(r Scanner) error {
			var one row
			if err := r.ScanStruct(&one); err != nil {
				return fmt.Errorf("read a view: %w", err)
			}
			one.View.complete()
			list.Views, list.Found = append(list.Views, one.View), one.Found
			return nil
		})
		list.Took = Took(cost.Took)
		return list, err
	})
}

// complete reads target and schedule off the CREATE statement.
func (v *View) complete() {
	words := scanWords(v.Create, 64)
	for i, w := range words {
		upper := strings.ToUpper(w.text)
		if w.quoted {
			continue
		}
		if upper == "AS" || upper == "SELECT" {
			break
		}
		if upper == "REFRESH" {
			v.Refreshable = true
		}
		if upper == "TO" && i+1 < len(words) {
			v.TargetDatabase, v.TargetTable = v.Database, words[i+1].text
			if i+3 < len(words) && words[i+2].text == "." && !words[i+2].quoted {
				v.TargetDatabase, v.TargetTable = words[i+1].text, words[i+3].text
			}
			return
		}
	}
	v.InnerTarget, v.TargetDatabase = true, v.Database
	v.TargetTable = ".inner." + v.Name
	if v.UUID != "" && v.UUID != "00000000-0000-0000-0000-000000000000" {
		v.TargetTable = ".inner_id." + v.UUID
	}
}
