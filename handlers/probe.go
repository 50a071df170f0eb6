package handlers

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/cluster"
	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/web"
)

// probeResult is what a measurement found, kept with the draft.
type probeResult struct {
	Trouble *web.Trouble      `json:"trouble,omitempty"`
	Rows    []web.ProbeRow    `json:"rows,omitempty"`
	Results []web.EvidenceRow `json:"results,omitempty"`
	Says    map[string]string `json:"says,omitempty"`    // by the id of the input it speaks to
	Changes map[string]bool   `json:"changes,omitempty"` // inputs whose value was seen to change
	At      time.Time         `json:"at"`
}

// says gives what was measured about one input.
func (n notes) says(id string) string {
	return n.Probes["stability"].Says[id]
}

// measured is one value that a stability probe looks at.
type measured struct{ id, name, expr string }

// measuredOf lists time, filter and dimensions as expressions.
func measuredOf(doc *designer.Design) []measured {
	var all []measured
	if e := bucketExpr(doc); e != "" {
		all = append(all, measured{"stability-time", doc.Grain.Time.Name, e})
	}
	if doc.Filter != "" {
		all = append(all, measured{"stability-filter", "the filter", "(" + doc.Filter + ")"})
	}
	for i, x := range doc.Grain.Dimensions {
		all = append(all, measured{fmt.Sprintf("stability-dimensions-%d", i), x.Name, "(" + x.Expr + ")"})
	}
	return all
}

// bucketExpr cuts the grain's time as the rollup does, near enough to measure.
func bucketExpr(doc *designer.Design) string {
	t := doc.Grain.Time
	if t == nil {
		return ""
	}
	bucket, err := designer.ParseInterval(t.Bucket)
	if err != nil {
		return ""
	}
	column := ddl.Ident(t.Column)
	if strings.HasPrefix(strings.TrimPrefix(typeOf(doc.Source, t.Column), "Nullable("), "DateTime") {
		return fmt.Sprintf("toStartOfInterval(%s, %s, %s)", column, bucket.SQL(), ddl.Literal(t.Timezone))
	}
	return fmt.Sprintf("toStartOfInterval(%s, %s)", column, bucket.SQL())
}

func typeOf(s designer.Source, name string) string {
	if c := s.Column(name); c != nil {
		return c.Type
	}
	return ""
}

func keyTuple(s designer.Source) string {
	key := s.Key
	if len(key) == 0 {
		key = s.OrderBy
	}
	var parts []string
	for _, k := range key {
		if s.Column(k) != nil {
			k = ddl.Ident(k)
		}
		parts = append(parts, k)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// probe runs a measurement on the draft's cluster; what goes wrong is a result
// too, and costs the draft nothing.
func (h *Handlers) probe(ctx context.Context, d *draft, name string) {
	var result probeResult
	err := h.examine(ctx, onlyStep(d.doc, "stability"))
	if err == nil {
		var c *cluster.Cluster
		if c, err = h.Clusters.Get(d.Cluster); err == nil {
			switch name {
			case "stability":
				result, err = probeStability(ctx, c, d.doc)
			case "grain":
				result, err = probeGrain(ctx, c, d.doc)
			}
		}
	}
	if err != nil {
		result.Trouble = web.TroubleOf(err)
	}
	result.At = time.Now().UTC()
	if d.notes.Probes == nil {
		d.notes.Probes = map[string]probeResult{}
	}
	d.notes.Probes[name] = result
}

// stabilitySQL counts the entities in whose rows a value differs. Tuples keep
// NULL as a value; deleted rows are left out, since theirs may be defaults.
const stabilitySQL = `SELECT toUInt64(count()) AS keys, toUInt64(countIf(n > 1)) AS several, arrayMap(x -> toUInt64(x), sumForEach(arrayMap(x -> x > 1, c))) AS changed
FROM (
    SELECT count() AS n, [%s] AS c
    FROM %s
    WHERE %s
    GROUP BY %s
)`

func probeStability(ctx context.Context, c *cluster.Cluster, doc *designer.Design) (probeResult, error) {
	s := doc.Source
	sample, err := c.SampleKeys(ctx, s)
	if err != nil {
		return probeResult{}, err
	}
	where := "(" + sample.Where + ")"
	if s.Deleted != "" {
		where += " AND " + ddl.Ident(s.Deleted) + " = 0"
	}
	values := measuredOf(doc)
	var distinct []string
	for _, v := range values {
		distinct = append(distinct, "uniqExact(tuple("+v.expr+"))")
	}
	if len(distinct) == 0 {
		return probeResult{}, nil
	}
	type row struct {
		Keys    uint64   `ch:"keys"`
		Several uint64   `ch:"several"`
		Changed []uint64 `ch:"changed"`
	}
	sql := fmt.Sprintf(stabilitySQL, strings.Join(distinct, ", "), ddl.Table(s.Database, s.Table), where, keyTuple(s))
	found, cost, err := cluster.Rows[row](ctx, c, cluster.Ask{For: "wizard: stability", SQL: sql, Limit: cluster.Probe})
	if err != nil {
		return probeResult{}, err
	}
	if len(found) == 0 {
		return probeResult{}, nil
	}
	result := probeResult{Says: map[string]string{}, Changes: map[string]bool{}}
	for i, v := range values {
		one := stabilityRow(v, at(found[0].Changed, i), found[0].Several)
		result.Rows = append(result.Rows, one)
		result.Says[v.id], result.Changes[v.id] = "Measured: "+one.Note, at(found[0].Changed, i) > 0
	}
	result.Results = []web.EvidenceRow{{Sure: string(sample.Sure), SQL: sql, Took: web.Took(time.Duration(cost.Took)),
		Text: fmt.Sprintf("%s entities, %s of them with several live rows; read: %s.", web.Count(found[0].Keys), web.Count(found[0].Several), sample.Words)}}
	return result, nil
}

func at(all []uint64, i int) uint64 {
	if i < len(all) {
		return all[i]
	}
	return 0
}

// stabilityRow says what a count means. That nothing changed proves nothing
// where merges have removed the old rows.
func stabilityRow(v measured, changed, several uint64) web.ProbeRow {
	row := web.ProbeRow{Name: v.name, Value: web.Count(changed) + " of " + web.Count(several), Share: share(changed, several)}
	switch {
	case several == 0:
		row.Note = "no entity has several rows left, so nothing can be seen here."
	case changed > 0:
		row.Note = "it changed in " + web.Count(changed) + " of " + web.Plural(several, "entity") + " with several rows: it may change."
	default:
		row.Note = "it did not change in any of " + web.Plural(several, "entity") + " with several rows. Whether it never can, only you know."
	}
	return row
}

// grainSQL estimates how many rows the rollup would have.
const grainSQL = `SELECT toUInt64(count()) AS rows, toUInt64(uniq(%s)) AS groups, [%s] AS each FROM %s%s`

func probeGrain(ctx context.Context, c *cluster.Cluster, doc *designer.Design) (probeResult, error) {
	var names, exprs, each []string
	if e := bucketExpr(doc); e != "" {
		names, exprs = append(names, doc.Grain.Time.Name), append(exprs, e)
	}
	for _, x := range doc.Grain.Dimensions {
		names, exprs = append(names, x.Name), append(exprs, "("+x.Expr+")")
	}
	if len(exprs) == 0 {
		return probeResult{}, nil
	}
	for _, e := range exprs {
		each = append(each, "toUInt64(uniq("+e+"))")
	}
	where := ""
	if doc.Filter != "" {
		where = "\nWHERE " + doc.Filter
	}
	type row struct {
		Rows   uint64   `ch:"rows"`
		Groups uint64   `ch:"groups"`
		Each   []uint64 `ch:"each"`
	}
	sql := fmt.Sprintf(grainSQL, strings.Join(exprs, ", "), strings.Join(each, ", "), ddl.Table(doc.Source.Database, doc.Source.Table), where)
	found, cost, err := cluster.Rows[row](ctx, c, cluster.Ask{For: "wizard: grain", SQL: sql, Limit: cluster.Probe})
	if err != nil {
		return probeResult{}, err
	}
	if len(found) == 0 {
		return probeResult{}, nil
	}
	var result probeResult
	for i, name := range names {
		result.Rows = append(result.Rows, web.ProbeRow{Name: name, Value: web.Count(at(found[0].Each, i)), Share: share(at(found[0].Each, i), found[0].Groups), Note: "distinct values"})
	}
	result.Results = []web.EvidenceRow{{Sure: "high", SQL: sql, Took: web.Took(time.Duration(cost.Took)), Text: grainWords(found[0].Rows, found[0].Groups)}}
	return result, nil
}

func grainWords(rows, groups uint64) string {
	if groups == 0 {
		return "The table has no rows to count."
	}
	text := fmt.Sprintf("About %s over %s, versions included: %.1f rows a group.", web.Plural(groups, "group"), web.Plural(rows, "row"), float64(rows)/float64(groups))
	if rows < 2*groups {
		text += " A rollup at this grain would be nearly as large as the source: it is hardly worth it."
	}
	return text
}

// probeView shows a measurement, or offers it.
func (h *Handlers) probeView(d *draft, name, title, says string) []web.Probe {
	if !h.Clusters.Has(d.Cluster) {
		return nil
	}
	p := web.Probe{ID: "probe-" + name, Name: name, Title: title, Says: says}
	if result, ran := d.notes.Probes[name]; ran {
		p.Ran, p.Trouble, p.Rows, p.Results, p.At = true, result.Trouble, result.Rows, result.Results, result.At
	}
	return []web.Probe{p}
}

func (h *Handlers) probes(d *draft) []web.Probe {
	if len(measuredOf(d.doc)) == 0 {
		return nil
	}
	return h.probeView(d, "stability", "Measure on "+d.Cluster, "Counts, over a bounded part of the live table, the entities in whose rows a value differs.")
}
