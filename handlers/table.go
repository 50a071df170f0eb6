package handlers

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rollsmith/rollsmith/cluster"
	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/web"
)

// showTable is the page of one table: what it is, and how it seems to be fed.
func (h *Handlers) showTable(w http.ResponseWriter, r *http.Request) error {
	c, err := h.Clusters.Get(param(r, "name"))
	if err != nil {
		return err
	}
	database, table := param(r, "db"), param(r, "table")
	var (
		wait                sync.WaitGroup
		profile             *cluster.Profile
		profileErr, feedErr error
		in                  *cluster.Introspection
	)
	wait.Go(func() { profile, profileErr = c.TableProfile(r.Context(), database, table) })
	wait.Go(func() { in, feedErr = c.Introspect(r.Context(), database, table) })
	wait.Wait()
	if profileErr != nil {
		return profileErr
	}
	v := tableView(c.Name(), profile)
	if feedErr != nil {
		v.FeedTrouble = web.TroubleOf(feedErr)
	} else {
		v.Feed = feedView(in)
		v.CanDesign = len(in.Source.Columns) > 0 && profile.StorageEngine.MergeTree()
		if !v.CanDesign {
			v.WhyNot = "A rollup is designed on a table of the MergeTree family; " + profile.StorageEngine.Name + " is none."
		}
		if designer.ParseEngine(in.Source.Engine).Folding() {
			v.CanDesign, v.WhyNot = false, "This table is itself a rollup: its merges add rows up, so its rows are no events. Design the next one on the table that feeds it."
		}
	}
	h.render(w, r, http.StatusOK, web.TablePage(v))
	return nil
}

func tableView(name string, p *cluster.Profile) web.Table {
	v := web.Table{Cluster: name, ClusterURL: clusterURL(name), Database: p.Database, Name: p.Table, URL: web.TableURL(name, p.Database, p.Table),
		Comment: p.Comment, Create: p.Create, Missing: p.Missing, ReadAt: p.ReadAt}
	fact := func(term, text string, code bool) {
		if text != "" {
			v.Facts = append(v.Facts, web.Fact{Term: term, Text: text, Code: code})
		}
	}
	fact("Engine", p.StorageEngine.Wrapper+p.StorageEngine.String(), true)
	fact("Sorting key", strings.Join(p.SortingKey, ", "), true)
	if strings.Join(p.PrimaryKey, ", ") != strings.Join(p.SortingKey, ", ") {
		fact("Primary key", strings.Join(p.PrimaryKey, ", "), true)
	}
	fact("Partition key", orNone(p.PartitionKey), true)
	fact("TTL", p.TTL, true)
	fact("Sharding key", p.ShardingKey, true)
	fact("Rows", web.Count(p.Rows), false)
	fact("On disk", web.Bytes(p.Bytes), false)
	if p.Merges.Merges+p.Merges.Mutations > 0 {
		fact("Running", fmt.Sprintf("%d merges, %d mutations", p.Merges.Merges, p.Merges.Mutations), false)
	}
	fact("Inserts", inserts(p.Inserts), false)
	for _, hop := range p.Hops {
		v.Hops = append(v.Hops, hop.Why)
	}
	v.Columns = columnRows(p)
	v.Partitions, v.PartsSummary = partitionRows(p), partsSummary(p.Parts)
	v.Lineage, v.LineageCut = lineageOf(name, p.Lineage), p.Lineage.Cut
	v.Extras = extras(p)
	return v
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func inserts(i cluster.Inserts) string {
	switch i.From {
	case "part_log":
		return fmt.Sprintf("%s rows a block (median %s), %.1f blocks a minute, by part_log", web.Count(int(i.RowsPerBlock())), web.Count(i.MedianRows), i.PerMinute)
	case "parts":
		return fmt.Sprintf("about %s rows a block, by the parts that are left", web.Count(int(i.RowsPerBlock())))
	}
	return ""
}

func columnRows(p *cluster.Profile) []web.ColumnRow {
	var total uint64
	for _, c := range p.Columns {
		total += c.Compressed
	}
	var rows []web.ColumnRow
	for _, c := range p.Columns {
		row := web.ColumnRow{Name: c.Name, Type: c.Type, Codec: c.Codec, Comment: c.Comment, Compressed: c.Compressed, Share: share(c.Compressed, total)}
		row.Default = strings.TrimSpace(c.DefaultKind + " " + c.DefaultExpr)
		for _, mark := range []struct {
			on   bool
			text string
		}{{c.InSortingKey, "sorting"}, {c.InPartitionKey, "partition"}, {c.Name == p.StorageEngine.Column(0) && p.StorageEngine.Name == "ReplacingMergeTree", "version"},
			{c.Name == p.StorageEngine.Column(1) && p.StorageEngine.Name == "ReplacingMergeTree", "deleted"}, {c.Name == p.StorageEngine.Column(0) && strings.HasSuffix(p.StorageEngine.Name, "CollapsingMergeTree"), "sign"}} {
			if mark.on {
				row.Marks = append(row.Marks, mark.text)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// share is part of whole in per cent, and at least 1 where there is any.
func share(part, whole uint64) int {
	if whole == 0 || part == 0 {
		return 0
	}
	return max(1, int(part*100/whole))
}

// mostPartitions is how many partitions a page draws.
const mostPartitions = 40

func partitionRows(p *cluster.Profile) []web.PartitionRow {
	var largest uint64
	for _, one := range p.Partitions {
		largest = max(largest, one.Rows)
	}
	var rows []web.PartitionRow
	for _, one := range p.Partitions[:min(mostPartitions, len(p.Partitions))] {
		rows = append(rows, web.PartitionRow{Name: one.Partition, Rows: one.Rows, Bytes: one.Bytes, Parts: one.Parts, Unmerged: one.Unmerged,
			Share: share(one.Rows, largest), UnmergedShare: share(one.Unmerged, one.Parts)})
	}
	return rows
}

func partsSummary(t cluster.PartTotals) string {
	text := fmt.Sprintf("%s in %s; %s never took part in a merge.", web.Plural(t.Parts, "part"), web.Plural(t.Partitions, "partition"), web.Count(t.Unmerged))
	if t.Unmerged > 1 {
		text += " Copies and old versions in unmerged parts are still there for every read without FINAL."
	}
	return text
}

func lineageOf(name string, l cluster.Lineage) *web.Lineage {
	var nodes []web.LineageNode
	for _, n := range l.Nodes {
		nodes = append(nodes, web.LineageNode{ID: n.ID, Title: n.ID, Engine: n.Engine, Self: n.Level == 0, URL: web.TableURL(name, n.Database, n.Name)})
	}
	var edges []web.LineageEdge
	for _, e := range l.Edges {
		edges = append(edges, web.LineageEdge{From: e.From, To: e.To, Says: map[string]string{"fires": "fires", "writes": "writes to", "local": "stands for", "buffers": "buffers for"}[e.Kind]})
	}
	return web.LayOut(nodes, func(i int) int { return l.Nodes[i].Level }, edges)
}

func extras(p *cluster.Profile) []web.Fact {
	var all []web.Fact
	for _, i := range p.Indexes {
		all = append(all, web.Fact{Term: "Index " + i.Name, Text: i.Type + " " + i.Expression, Code: true})
	}
	for _, x := range p.Projections {
		all = append(all, web.Fact{Term: "Projection " + x.Name, Text: x.Query, Code: true})
	}
	for _, x := range p.Policies {
		all = append(all, web.Fact{Term: "Row policy " + x.Name, Text: x.Filter, Code: true})
	}
	return all
}

// feedWords says what each feed means, in words that are the same everywhere.
var feedWords = map[designer.Feed][2]string{
	designer.Append:              {"Append only", "Each event arrives once and is never changed."},
	designer.AtLeastOnce:         {"At least once", "Events never change, but a retry may insert the same row again."},
	designer.Upsert:              {"Upserts", "A change inserts a whole new row with the same key and a higher version; a delete inserts a row with the deleted flag set."},
	designer.Ledger:              {"Ledger", "Before a change, a cancel row takes the old values back; then the new row arrives. Each is delivered once."},
	designer.Collapsing:          {"Collapsing", "A sign column says +1 for a state and -1 for the row that cancels it."},
	designer.VersionedCollapsing: {"Versioned collapsing", "A sign column says state or cancel, and rows may arrive in any order."},
}

func feedView(in *cluster.Introspection) *web.FeedView {
	s := in.Source
	v := &web.FeedView{Feed: string(s.Feed), Title: feedWords[s.Feed][0], Says: feedWords[s.Feed][1], Sure: surest(in.Evidence)}
	for _, f := range []struct{ term, text string }{{"Entity key", strings.Join(s.Key, ", ")}, {"Version", s.Version}, {"Deleted flag", s.Deleted}, {"Sign", s.Sign}, {"Delete rows hold", strings.ReplaceAll(s.Tombstones, "_", " ")}} {
		if f.text != "" {
			v.Fields = append(v.Fields, web.Fact{Term: f.term, Text: f.text, Code: f.term != "Delete rows hold"})
		}
	}
	v.Evidence = evidenceRows(in.Evidence)
	for _, m := range in.Missing {
		v.Evidence = append(v.Evidence, web.EvidenceRow{Text: m, Sure: "low"})
	}
	return v
}

func evidenceRows(all []cluster.Evidence) []web.EvidenceRow {
	var rows []web.EvidenceRow
	for _, e := range all {
		row := web.EvidenceRow{Text: e.Text, Sure: string(e.Confidence), SQL: e.SQL}
		if e.Took > 0 {
			row.Took = web.Took(time.Duration(e.Took))
		}
		rows = append(rows, row)
	}
	return rows
}

// surest is how far the proposal as a whole can be trusted: as its weakest
// reason that speaks of the feed itself, which introspection puts first.
func surest(all []cluster.Evidence) string {
	sure := "low"
	for _, e := range all {
		if e.Confidence == cluster.High {
			return "high"
		}
		if e.Confidence == cluster.Medium {
			sure = "medium"
		}
	}
	return sure
}
