package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/store"
	"github.com/rollsmith/rollsmith/web"
)

var rangeForm = regexp.MustCompile(`^(\d{1,9})\.\.(\d{1,9})$`)

// showDiff compares two revisions: first what they mean, then their SQL.
func (h *Handlers) showDiff(w http.ResponseWriter, r *http.Request) error {
	m := rangeForm.FindStringSubmatch(param(r, "range"))
	if m == nil {
		return &problem.Error{Kind: problem.NotFound, Code: "no-range", Message: "A comparison is addressed by two revisions, such as 1..2.", Hint: "Choose them on the design's page."}
	}
	id := param(r, "id")
	var sides [2]store.Revision
	for i := range sides {
		n, _ := strconv.Atoi(m[i+1])
		var err error
		if sides[i], err = h.Store.Revision(r.Context(), id, n); err != nil {
			return err
		}
	}
	d, err := h.Store.Design(r.Context(), id)
	if err != nil {
		return err
	}
	v := web.Diff{ID: id, Name: d.Name, A: sides[0].N, B: sides[1].N, Newest: d.Newest}
	var frozen [2]evidence
	var docs [2]*designer.Design
	for i, side := range sides {
		if err := json.Unmarshal(side.Evidence, &frozen[i]); err != nil {
			return fmt.Errorf("evidence of revision %d: %w", side.N, err)
		}
		if docs[i], err = designer.Decode(side.Document); err != nil {
			return err
		}
	}
	v.Changes = append(decisionChanges(frozen[0], frozen[1]), documentChanges(docs[0], docs[1])...)
	v.Files = sqlChanges(frozen[0], frozen[1])
	h.render(w, r, http.StatusOK, web.DiffPage(v))
	return nil
}

func decisionChanges(a, b evidence) []web.Change {
	var all []web.Change
	if a.Pattern != b.Pattern {
		all = append(all, web.Change{What: "Pattern", From: a.Pattern, To: b.Pattern})
	}
	if a.MinVersion != b.MinVersion {
		all = append(all, web.Change{What: "Least ClickHouse version", From: a.MinVersion, To: b.MinVersion})
	}
	return all
}

// documentChanges names what differs between two documents, by the words of
// the document; metrics, dimensions and columns are known by their names.
func documentChanges(a, b *designer.Design) []web.Change {
	from, to := facts(a), facts(b)
	keys := map[string]bool{}
	for k := range from {
		keys[k] = true
	}
	for k := range to {
		keys[k] = true
	}
	var names []string
	for k := range keys {
		if from[k] != to[k] {
			names = append(names, k)
		}
	}
	sort.Slice(names, func(i, j int) bool { return rank(names[i])+names[i] < rank(names[j])+names[j] })
	var all []web.Change
	for _, name := range names {
		all = append(all, web.Change{What: name, From: from[name], To: to[name]})
	}
	return all
}

// rank puts what a reviewer asks first at the top.
func rank(name string) string {
	for i, head := range []string{"grain", "filter", "metric", "source.feed", "source", "stability", "freshness", "backfill", "tier", "target"} {
		if strings.HasPrefix(name, head) {
			return fmt.Sprintf("%02d", i)
		}
	}
	return "99"
}

// facts flattens a document to paths and values.
func facts(d *designer.Design) map[string]string {
	out := map[string]string{}
	set := func(path, value string) {
		if value != "" {
			out[path] = value
		}
	}
	set("name", d.Name)
	set("filter", d.Filter)
	set("freshness", d.Freshness)
	set("pattern (as asked)", d.Pattern)
	s := d.Source
	for path, value := range map[string]string{"table": s.Database + "." + s.Table, "engine": s.Engine, "order_by": strings.Join(s.OrderBy, ", "), "partition_by": s.PartitionBy,
		"feed": string(s.Feed), "key": strings.Join(s.Key, ", "), "version": s.Version, "deleted": s.Deleted, "sign": s.Sign, "tombstones": s.Tombstones} {
		set("source."+path, value)
	}
	for _, c := range s.Columns {
		set("source.column "+c.Name, c.Type)
	}
	if t := d.Grain.Time; t != nil {
		set("grain.time", fmt.Sprintf("%s of %s in %s, called %s", t.Bucket, t.Column, t.Timezone, t.Name))
	}
	var order []string
	for _, x := range d.Grain.Dimensions {
		set("grain.dimension "+x.Name, x.Expr)
		order = append(order, x.Name)
	}
	set("grain.dimensions, in order", strings.Join(order, ", "))
	for _, m := range d.Metrics {
		set("metric "+m.Name, metricWords(m))
	}
	for path, value := range map[string]string{"time": d.Stability.Time, "filter": d.Stability.Filter, "settles": d.Stability.Settles} {
		set("stability."+path, value)
	}
	for name, value := range d.Stability.Dimensions {
		set("stability of dimension "+name, value)
	}
	for i, t := range d.Tiers {
		set(fmt.Sprintf("tier %d", i+1), strings.TrimSuffix(t.Bucket+", kept "+t.TTL, ", kept "))
	}
	set("backfill", strings.TrimSpace(d.Backfill.Mode+" "+d.Backfill.Column+" "+d.Backfill.Value))
	set("target", d.Target.Database+"."+d.Target.Prefix)
	set("deployment", strings.TrimSpace(fmt.Sprintf("%s %s %s", d.Deployment.OnCluster, map[bool]string{true: "replicated"}[d.Deployment.Replicated], d.Deployment.ShardingKey)))
	return out
}

// metricWords says a metric in one line.
func metricWords(m designer.Metric) string {
	text := m.Kind
	switch m.Kind {
	case designer.Ratio:
		return m.Numerator + " / " + m.Denominator
	case designer.Quantile:
		if m.Level != nil {
			text += " " + strconv.FormatFloat(*m.Level, 'g', -1, 64)
		}
	case designer.TopK:
		text = "top " + strconv.Itoa(m.K)
	}
	if m.Expr != "" {
		text += " of " + m.Expr
	}
	if m.OrderBy != "" {
		text += " by " + m.OrderBy
	}
	if m.Where != "" {
		text += " where " + m.Where
	}
	if !m.IsExact() {
		text += ", approximate"
	}
	return text
}

// sqlChanges compares the statements file by file.
func sqlChanges(a, b evidence) []web.FileDiff {
	from, to := texts(a), texts(b)
	var names []string
	for name := range from {
		names = append(names, name)
	}
	for name := range to {
		if _, both := from[name]; !both {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	var all []web.FileDiff
	for _, name := range names {
		if from[name] != to[name] {
			all = append(all, diffText(name, from[name], to[name]))
		}
	}
	return all
}

func texts(e evidence) map[string]string {
	out := map[string]string{}
	for _, s := range e.Up {
		out[s.File] = s.SQL + "\n"
	}
	for _, s := range e.Scripts {
		out[s.Path] = s.Text
	}
	return out
}

// diffText gives a unified diff as lines with their marks.
func diffText(name, a, b string) web.FileDiff {
	d := web.FileDiff{Path: name}
	for _, line := range strings.Split(strings.TrimRight(udiff.Unified(name, name, a, b), "\n"), "\n") {
		if strings.HasPrefix(line, "---") || strings.HasPrefix(line, "+++") || line == "" || strings.HasPrefix(line, `\`) {
			continue
		}
		d.Lines = append(d.Lines, web.DiffLine{Mark: line[:1], Text: line[1:]})
	}
	return d
}
