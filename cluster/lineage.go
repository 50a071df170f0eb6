package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Node is a table or view in a lineage graph.
type Node struct {
	ID       string `json:"id"` // database.name
	Database string `json:"database"`
	Name     string `json:"name"`
	Engine   string `json:"engine,omitempty"` // empty where this account cannot see it
	Rows     uint64 `json:"rows"`
	Bytes    uint64 `json:"bytes"`
	Level    int    `json:"level"` // 0 is the table asked for; above it negative, below positive
}

// Edge says that rows flow from one node to another.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
	Kind string `json:"kind"` // "fires", "writes", "local" or "buffers"
}

// Lineage is what flows into a table and what flows out of it.
type Lineage struct {
	Nodes []Node `json:"nodes"`
	Edges []Edge `json:"edges"`
	Cut   bool   `json:"cut,omitempty"` // there was more than a page can draw
}

// mostNodes bounds the graph to what a person can take in.
const mostNodes = 200

type lineageRow struct {
	Database      string   `ch:"database"`
	Name          string   `ch:"name"`
	Engine        string   `ch:"engine"`
	Full          string   `ch:"engine_full"`
	UUID          string   `ch:"uuid"`
	ViewDatabases []string `ch:"dependencies_database"`
	ViewTables    []string `ch:"dependencies_table"`
	Create        string   `ch:"create_query"`
	Rows          uint64   `ch:"rows"`
	Bytes         uint64   `ch:"bytes"`
}

// Lineage draws the graph of views around one table, upstream and downstream.
func (c *Cluster) Lineage(ctx context.Context, database, table string) (Lineage, error) {
	rows, _, err := Rows[lineageRow](ctx, c, Ask{For: "lineage", SQL: query("lineage"), Params: map[string]any{"database": database, "table": table}})
	if err != nil {
		return Lineage{}, err
	}
	return drawLineage(rows, dotted(database, table)), nil
}

// drawLineage keeps what can be reached from start along the edges.
func drawLineage(rows []lineageRow, start string) Lineage {
	known := map[string]lineageRow{}
	var edges []Edge
	for _, r := range rows {
		id := dotted(r.Database, r.Name)
		known[id] = r
		for i := range r.ViewTables {
			edges = append(edges, Edge{id, dotted(r.ViewDatabases[i], r.ViewTables[i]), "fires"})
		}
		e := ParseEngine(r.Full)
		switch r.Engine {
		case "MaterializedView":
			v := View{Database: r.Database, Name: r.Name, Create: r.Create, UUID: r.UUID}
			v.complete()
			edges = append(edges, Edge{id, v.Target(), "writes"})
		case "Distributed":
			edges = append(edges, Edge{id, dotted(firstOf(e.Text(1), r.Database), e.Text(2)), "local"})
		case "Buffer":
			edges = append(edges, Edge{id, dotted(firstOf(e.Text(0), r.Database), e.Text(1)), "buffers"})
		}
	}
	levels, cut := reach(edges, start)
	l := Lineage{Cut: cut}
	for id, level := range levels {
		r := known[id]
		if r.Name == "" {
			r.Database, r.Name, _ = strings.Cut(id, ".")
		}
		l.Nodes = append(l.Nodes, Node{ID: id, Database: r.Database, Name: r.Name, Engine: r.Engine, Rows: r.Rows, Bytes: r.Bytes, Level: level})
	}
	slices.SortFunc(l.Nodes, func(a, b Node) int {
		if a.Level != b.Level {
			return a.Level - b.Level
		}
		return strings.Compare(a.ID, b.ID)
	})
	for _, e := range edges {
		_, from := levels[e.From]
		_, to := levels[e.To]
		if from && to {
			l.Edges = append(l.Edges, e)
		}
	}
	slices.SortFunc(l.Edges, func(a, b Edge) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	l.Edges = slices.Compact(l.Edges)
	return l
}

// reach walks from start, first down the edges and then up, and gives each node
// found its distance; a loop is walked once.
func reach(edges []Edge, start string) (levels map[string]int, cut bool) {
	levels = map[string]int{start: 0}
	for _, step := range []int{1, -1} {
		for front := []string{start}; len(front) > 0; {
			var next []string
			for _, id := range front {
				for _, e := range edges {
					from, to := e.From, e.To
					if step < 0 {
						from, to = to, from
					}
					if _, seen := levels[to]; from != id || seen {
						continue
					}
					if len(levels) >= mostNodes {
						return levels, true
					}
					levels[to] = levels[id] + step
					next = append(next, to)
				}
			}
			front = next
		}
	}
	return levels, false
}
