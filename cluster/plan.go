package cluster

import (
	"context"
	"strings"

	"github.com/rollsmith/rollsmith/problem"
)

// Plan is how ClickHouse would answer a query, without running it.
type Plan struct {
	SQL      string     `json:"sql"`
	Root     *PlanNode  `json:"root,omitempty"` // nil where the plan could not be parsed; Raw stands
	Reads    []*Read    `json:"reads,omitempty"`
	Estimate []Estimate `json:"estimate,omitempty"`
	// Pipeline is EXPLAIN PIPELINE as the server prints it.
	Pipeline string `json:"pipeline,omitempty"`
	// FinalMerges names the merging steps that FINAL adds, such as ReplacingSorted.
	FinalMerges []string `json:"final_merges,omitempty"`
	Raw         string   `json:"raw"`    // the plan as the server gave it
	Format      string   `json:"format"` // "json" or "text"
	Missing     []string `json:"missing,omitempty"`
}

// Estimate is one row of EXPLAIN ESTIMATE.
type Estimate struct {
	Database string `ch:"database" json:"database"`
	Table    string `ch:"table" json:"table"`
	Parts    uint64 `ch:"parts" json:"parts"`
	Rows     uint64 `ch:"rows" json:"rows"`
	Marks    uint64 `ch:"marks" json:"marks"`
}

// PlanNode is one step of a plan; rows flow from the children up.
type PlanNode struct {
	Type        string      `json:"type"`
	Description string      `json:"description,omitempty"`
	Read        *Read       `json:"read,omitempty"` // of a step that reads a table
	Children    []*PlanNode `json:"children,omitempty"`
}

// Read is what a step reads of a table, and what the indexes spare it.
type Read struct {
	Table       string     `json:"table"`
	Projection  string     `json:"projection,omitempty"` // read in the table's place
	Parts       uint64     `json:"parts"`
	PartsAll    uint64     `json:"parts_all"`
	Granules    uint64     `json:"granules"`
	GranulesAll uint64     `json:"granules_all"`
	Indexes     []IndexUse `json:"indexes,omitempty"`
}

// IndexUse is what one index kept of the parts and granules that came to it.
type IndexUse struct {
	Type           string   `json:"type"` // Min-Max, Partition, PrimaryKey, Skip, …
	Name           string   `json:"name,omitempty"`
	Description    string   `json:"description,omitempty"`
	Keys           []string `json:"keys,omitempty"`
	Condition      string   `json:"condition,omitempty"`
	PartsBefore    uint64   `json:"parts_before"`
	PartsAfter     uint64   `json:"parts_after"`
	GranulesBefore uint64   `json:"granules_before"`
	GranulesAfter  uint64   `json:"granules_after"`
}

// Rows sums the estimate over all tables.
func (p *Plan) Rows() (rows, marks, parts uint64) {
	for _, e := range p.Estimate {
		rows, marks, parts = rows+e.Rows, marks+e.Marks, parts+e.Parts
	}
	return rows, marks, parts
}

// Final reports whether the plan merges rows at read time, as FINAL does.
func (p *Plan) Final() bool { return len(p.FinalMerges) > 0 }

// Projections lists the projections that are read in a table's place.
func (p *Plan) Projections() []string {
	var names []string
	for _, r := range p.Reads {
		if r.Projection != "" {
			names = append(names, r.Projection)
		}
	}
	return names
}

// ExplainPlan asks a connected cluster how it would answer a query.
func (c *Cluster) ExplainPlan(ctx context.Context, sql string) (*Plan, error) {
	return ExplainPlan(ctx, c, sql)
}

// ExplainPlan asks for plan, estimate and pipeline of one SELECT on any
// connection; wrap a driver's by Through. It fails only if the plan itself does.
func ExplainPlan(ctx context.Context, on Asker, sql string) (*Plan, error) {
	p := &Plan{SQL: strings.TrimRight(strings.TrimSpace(sql), "; \n\t")}
	text := p.SQL
	raw, err := p.explain(ctx, on, "EXPLAIN PLAN json = 1, indexes = 1, actions = 0, description = 1 ", text)
	if told, ok := problem.As(err); ok && told.Code == "readonly" {
		if bare := withoutSettings(text); bare != text {
			p.Missing = append(p.Missing, "This account may not change settings: the plan is that of the query without its SETTINGS.")
			text = bare
			raw, err = p.explain(ctx, on, "EXPLAIN PLAN json = 1, indexes = 1, actions = 0, description = 1 ", text)
		}
	}
	p.Format = "json"
	if err != nil { // servers that know no json, or no indexes, in a plan
		for _, how := range []string{"EXPLAIN PLAN indexes = 1 ", "EXPLAIN "} {
			var again error
			if raw, again = p.explain(ctx, on, how, text); again == nil {
				p.Format, err = "text", nil
				break
			}
		}
	}
	if err != nil {
		return nil, err
	}
	p.Raw = raw
	if p.Root, err = ParsePlan(raw); err != nil {
		p.Missing = append(p.Missing, "The plan is shown as the server gave it: "+err.Error())
	}
	p.collect(p.Root)
	if p.Estimate, _, err = Rows[Estimate](ctx, on, Ask{For: "plan", SQL: "EXPLAIN ESTIMATE " + text}); err != nil {
		p.Missing = append(p.Missing, tell("the estimate", err))
	}
	if p.Pipeline, err = p.explain(ctx, on, "EXPLAIN PIPELINE ", text); err != nil {
		p.Missing = append(p.Missing, tell("the pipeline", err))
	}
	p.FinalMerges = finalMerges(p.Pipeline)
	return p, nil
}

func (p *Plan) explain(ctx context.Context, on Asker, how, sql string) (string, error) {
	lines, _, err := Values[string](ctx, on, Ask{For: "plan", SQL: how + sql})
	return strings.Join(lines, "\n"), err
}

func (p *Plan) collect(n *PlanNode) {
	if n == nil {
		return
	}
	if n.Read != nil {
		p.Reads = append(p.Reads, n.Read)
	}
	for _, child := range n.Children {
		p.collect(child)
	}
}

// mergingSteps are the transforms by which each engine's FINAL merges rows.
var mergingSteps = []string{"ReplacingSorted", "CollapsingSorted", "VersionedCollapsing", "SummingSorted", "AggregatingSorted", "CoalescingSorted", "GraphiteRollupSorted"}

func finalMerges(pipeline string) []string {
	var found []string
	for _, step := range mergingSteps {
		for _, w := range scanWords(pipeline, 100_000) {
			if strings.HasPrefix(w.text, step) {
				found = append(found, step)
				break
			}
		}
	}
	return found
}

// withoutSettings cuts the SETTINGS clause off the end of a query.
func withoutSettings(sql string) string {
	depth, at := 0, -1
	for _, w := range scanWords(sql, len(sql)) {
		switch {
		case w.quoted:
		case w.text == "(":
			depth++
		case w.text == ")":
			depth--
		case depth == 0 && strings.EqualFold(w.text, "SETTINGS"):
			at = w.start
		}
	}
	if at < 0 {
		return sql
	}
	return strings.TrimSpace(sql[:at])
}
