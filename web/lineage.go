package web

import (
	"fmt"
	"net/url"
	"unicode/utf8"
)

// TableURL is the address of a table's page.
func TableURL(cluster, database, table string) string {
	return "/clusters/" + url.PathEscape(cluster) + "/tables/" + url.PathEscape(database) + "/" + url.PathEscape(table)
}

// Lineage is a graph of tables and the views between them, laid out in columns.
type Lineage struct {
	Nodes         []LineageNode
	Edges         []LineageEdge
	Width, Height int
}

// LineageNode is a table or a view at its place.
type LineageNode struct {
	ID, Title, Engine, URL string
	Self                   bool
	X, Y                   int
}

// LineageEdge leads from one node to the next.
type LineageEdge struct{ From, To, Says, Path string }

const (
	nodeWidth, nodeHeight = 230, 44
	columnGap, rowGap     = 70, 14
	nodeLetters           = 29 // what fits in a node at 12 px
)

// LayOut places the nodes: one column for each level, in the order given.
func LayOut(nodes []LineageNode, level func(int) int, edges []LineageEdge) *Lineage {
	if len(nodes) == 0 {
		return nil
	}
	least := level(0)
	for i := range nodes {
		least = min(least, level(i))
	}
	l := &Lineage{}
	rows, at := map[int]int{}, map[string]LineageNode{}
	for i, n := range nodes {
		column := level(i) - least
		n.X, n.Y = 4+column*(nodeWidth+columnGap), 4+rows[column]*(nodeHeight+rowGap)
		rows[column]++
		l.Nodes, at[n.ID] = append(l.Nodes, n), n
		l.Width, l.Height = max(l.Width, n.X+nodeWidth+4), max(l.Height, n.Y+nodeHeight+4)
	}
	for _, e := range edges {
		from, to := at[e.From], at[e.To]
		if from.ID == "" || to.ID == "" {
			continue
		}
		x1, y1, x2, y2 := from.X+nodeWidth, from.Y+nodeHeight/2, to.X, to.Y+nodeHeight/2
		e.Path = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+columnGap/2, y1, x2-columnGap/2, y2, x2-2, y2)
		l.Edges = append(l.Edges, e)
	}
	return l
}

func fit(s string) string {
	if utf8.RuneCountInString(s) <= nodeLetters {
		return s
	}
	return string([]rune(s)[:nodeLetters-1]) + "…"
}
