package hazard

import "sort"

// Verdict says whether a view's target answers as its source does.
type Verdict string

const (
	Right       Verdict = "right"
	Wrong       Verdict = "wrong"
	Conditional Verdict = "conditional" // right or wrong by how the source is fed
	Unknown     Verdict = "unknown"     // the view could not be understood
)

// Report is the result of an audit.
type Report struct {
	Views   []ViewReport  `json:"views"`
	Queries []QueryReport `json:"queries"`
}

// ViewReport is what was found about one materialized view.
type ViewReport struct {
	View     string    `json:"view"`
	Source   string    `json:"source"`
	Target   string    `json:"target"`
	Verdict  Verdict   `json:"verdict"`
	Findings []Finding `json:"findings"`
}

// QueryReport is what was found in one reading query.
type QueryReport struct {
	Query    string    `json:"query"`
	Findings []Finding `json:"findings"`
	Note     string    `json:"note,omitempty"` // why the query was not audited
}

// Wrong tells whether anything was found that is wrong whatever the feed.
func (r Report) Wrong() bool {
	for _, v := range r.Views {
		if v.Verdict == Wrong {
			return true
		}
	}
	for _, q := range r.Queries {
		for _, f := range q.Findings {
			if f.Severity == Error && f.Condition == "" {
				return true
			}
		}
	}
	return false
}

// Feeds are the ways in which rows arrive, as somebody may state them.
var Feeds = []string{"append", "at_least_once", "upsert", "ledger", "collapsing", "versioned_collapsing"}

// KnownFeed tells whether there is such a feed.
func KnownFeed(name string) bool { return contains(Feeds, name) }

// Input is what an audit looks at beside the catalog.
type Input struct {
	Database string   // only views of this database; empty: all
	Queries  []string // reading queries, one statement each
	Scripts  []string // the statements of backfills and migrations, in order
}

// Audit judges the views of a catalog, the reading queries and the scripts.
func Audit(c *Catalog, in Input) Report {
	in.sort()
	script := newScript(c, in.Scripts)
	c.prepare()
	script.attach()
	found := map[*View][]Finding{}
	for _, v := range c.views {
		if v.err == nil {
			found[v] = judgeView(v)
		}
	}
	for _, r := range Catalogue {
		if r.Script == nil {
			continue
		}
		for _, f := range r.Script(script) {
			if f.View != nil {
				found[f.View] = append(found[f.View], r.complete(f.Finding))
			}
		}
	}
	report := Report{Views: []ViewReport{}, Queries: []QueryReport{}}
	for _, v := range c.views {
		if in.Database == "" || v.def.DB == in.Database || v.def.fromScript {
			report.Views = append(report.Views, v.report(found[v]))
		}
	}
	sort.SliceStable(report.Views, func(i, j int) bool { return report.Views[i].View < report.Views[j].View })
	for _, q := range in.Queries {
		report.Queries = append(report.Queries, judgeQuery(c, q))
	}
	for _, d := range c.Definitions {
		if !d.Materialized && (in.Database == "" || d.DB == in.Database) {
			report.Queries = append(report.Queries, judgeStored(c, d)...)
		}
	}
	return report
}

// sort puts every statement where it belongs: a SELECT in a script is a reading
// query, and whatever else stands among the queries is a step.
func (in *Input) sort() {
	given, steps := in.Queries, in.Scripts
	in.Queries, in.Scripts = nil, nil
	for _, text := range append(append([]string{}, steps...), given...) {
		switch word := lex(text)[0]; {
		case word.is("SELECT") || word.is("WITH") || word.is("("):
			in.Queries = append(in.Queries, text)
		default:
			in.Scripts = append(in.Scripts, text)
		}
	}
}

// judgeStored reads a plain view, which is a query that is kept; one without
// findings is not worth a line.
func judgeStored(c *Catalog, d *Definition) []QueryReport {
	out := judgeQuery(c.within(d.DB), d.Select)
	if len(out.Findings) == 0 {
		return nil
	}
	out.Query = "VIEW " + d.DB + "." + d.Name + " AS " + out.Query
	return []QueryReport{out}
}

func judgeView(v *View) []Finding {
	var out []Finding
	for _, r := range Catalogue {
		if r.View == nil {
			continue
		}
		for _, f := range r.View(v) {
			out = append(out, r.complete(f))
		}
	}
	return out
}

// report sums a view's findings up.
func (v *View) report(found []Finding) ViewReport {
	out := ViewReport{View: v.full(), Source: v.sourceName(), Target: v.targetName(), Findings: settle(found)}
	out.Verdict = verdict(v, out.Findings)
	return out
}

func verdict(v *View, found []Finding) Verdict {
	result := Right
	if v.err != nil || v.source == nil && v.flat.from.readsTable() {
		result = Unknown
	}
	for _, f := range found {
		switch {
		case f.Condition == "" && f.Severity == Error:
			return Wrong
		case f.Condition != "" && f.Severity == Error:
			result = Conditional
		}
	}
	return result
}

// readsTable tells a table by name from table functions and subqueries.
func (f *From) readsTable() bool { return f == nil || f.name != "" }

// settle drops findings that others make needless: those a stronger code
// covers, conditions on a view that is wrong whatever the feed, and repeats.
func settle(found []Finding) []Finding {
	hidden, wrong := map[string]bool{}, false
	for _, f := range found {
		if f.Condition == "" {
			for _, code := range ruleOf(f.Code).Hides {
				hidden[code] = true
			}
			wrong = wrong || f.Severity == Error
		}
	}
	out := []Finding{}
	seen := map[string]bool{}
	for _, f := range found {
		if hidden[f.Code] || wrong && f.Condition != "" || seen[f.Code+f.Text] {
			continue
		}
		seen[f.Code+f.Text] = true
		out = append(out, f)
	}
	return out
}

// ruleOf finds a rule of the catalog by its code.
func ruleOf(code string) *Rule {
	for _, r := range Catalogue {
		if r.Code == code {
			return r
		}
	}
	return &Rule{}
}
