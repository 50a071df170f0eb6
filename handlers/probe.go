package handlers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/cluster"
	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/web"
)

// probeResult is what a measurement found, kept with the draft.
type probeResult struct {
	Trouble  *web.Trouble      `json:"trouble,omitempty"`
	Rows     []web.ProbeRow    `json:"rows,omitempty"`
	Results  []web.EvidenceRow `json:"results,omitempty"`
	Says     map[string]string `json:"says,omitempty"`     // by the id of the input it speaks to
	Suggests map[string]string `json:"suggests,omitempty"` // stable, mutable or unknown, by the id of the input
	At       time.Time         `json:"at"`
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
	moment, zone := doc.TimeText(), ddl.Literal(t.Timezone)
	switch kind := designer.Type(typeOf(doc.Source, t.Column)); {
	case kind == "": // an expression, which may give a date
		moment = fmt.Sprintf("toDateTime(%s, %s)", moment, zone)
	case kind.DateOnly():
		return fmt.Sprintf("toStartOfInterval(%s, %s)", moment, bucket.SQL())
	}
	return fmt.Sprintf("toStartOfInterval(%s, %s, %s)", moment, bucket.SQL(), zone)
}

func typeOf(s designer.Source, name string) string {
	if c := s.Column(name); c != nil {
		return c.Type
	}
	return ""
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

// probeStability asks the cluster which values change across versions.
func probeStability(ctx context.Context, c *cluster.Cluster, doc *designer.Design) (probeResult, error) {
	values := measuredOf(doc)
	var asked []cluster.Named
	for _, v := range values {
		asked = append(asked, cluster.Named{Name: v.name, Expr: v.expr})
	}
	found, err := c.Stability(ctx, doc.Source, asked...)
	if err != nil {
		return probeResult{}, err
	}
	result := probeResult{Says: map[string]string{}, Suggests: map[string]string{}}
	for i, one := range found {
		id := values[i].id
		result.Rows = append(result.Rows, web.ProbeRow{Name: one.Name, Value: web.Count(one.Changed) + " of " + web.Count(one.Several), Share: share(one.Changed, one.Several), Note: one.Text})
		result.Says[id], result.Suggests[id] = "Measured: "+one.Text, one.Suggest
		for _, e := range one.Examples {
			result.Results = append(result.Results, web.EvidenceRow{Text: one.Name + " of " + e.Key + ": " + strings.Join(e.Values, " → ")})
		}
	}
	if len(found) > 0 {
		basis := found[0].Basis
		head := web.EvidenceRow{Text: "Read: " + basis.Sample + ".", Sure: string(basis.Confidence), SQL: basis.SQL, Took: web.Took(time.Duration(basis.Took))}
		result.Results = append([]web.EvidenceRow{head}, result.Results...)
	}
	return result, nil
}

// probeGrain asks the cluster how large a rollup at this grain would be, and at
// the next coarser one.
func probeGrain(ctx context.Context, c *cluster.Cluster, doc *designer.Design) (probeResult, error) {
	candidates := grains(doc)
	if len(candidates) == 0 {
		return probeResult{}, nil
	}
	sheets, err := c.Cost(ctx, doc.Source, candidates...)
	if err != nil {
		return probeResult{}, err
	}
	var result probeResult
	for _, sheet := range sheets {
		note := sheet.Verdict
		if len(sheet.Missing) > 0 {
			note += " " + strings.Join(sheet.Missing, " ")
		}
		result.Rows = append(result.Rows, web.ProbeRow{Name: sheet.Candidate.Name, Value: web.Plural(sheet.Groups, "row"), Share: share(sheet.Groups, sheet.SourceRows), Note: note})
		if basis := sheet.Basis; basis.SQL != "" {
			result.Results = append(result.Results, web.EvidenceRow{Text: sheet.Candidate.Name + ": read " + basis.Sample + ".", Sure: string(basis.Confidence), SQL: basis.SQL, Took: web.Took(time.Duration(basis.Took))})
		}
	}
	return result, nil
}

// coarser buckets are shown beside the one asked for.
var coarser = map[string]string{"second": "1 minute", "minute": "1 hour", "hour": "1 day", "day": "1 month", "week": "1 quarter", "month": "1 year"}

// grains are the grain as asked, the same with a coarser bucket, and without
// its last dimension.
func grains(doc *designer.Design) []cluster.Candidate {
	var dims, names []string
	for _, x := range doc.Grain.Dimensions {
		dims, names = append(dims, "("+x.Expr+")"), append(names, x.Name)
	}
	label := func(bucket string, names []string) string {
		return strings.Trim(bucket+" × "+strings.Join(names, " × "), " ×")
	}
	var all []cluster.Candidate
	add := func(doc *designer.Design, dims, names []string) {
		bucket, by := "", slices.Clone(dims)
		if e := bucketExpr(doc); e != "" {
			bucket, by = doc.Grain.Time.Bucket, append([]string{e}, by...)
		}
		if len(by) > 0 {
			all = append(all, cluster.Candidate{Name: label(bucket, names), By: by})
		}
	}
	add(doc, dims, names)
	if t := doc.Grain.Time; t != nil {
		if bucket, err := designer.ParseInterval(t.Bucket); err == nil && coarser[bucket.Unit] != "" {
			wider := clone(doc)
			wider.Grain.Time.Bucket = coarser[bucket.Unit]
			add(wider, dims, names)
		}
	}
	if len(dims) > 0 {
		add(doc, dims[:len(dims)-1], names[:len(names)-1])
	}
	return all
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
