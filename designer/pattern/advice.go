package pattern

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
)

// warnings says what is right but worth knowing before it is built.
func warnings(r *designer.Rollup, p *designer.Pattern) []designer.Reason {
	var out []designer.Reason
	add := func(code, format string, args ...any) {
		out = append(out, reason(code, fmt.Sprintf(format, args...)))
	}
	if !r.Immutable() {
		var unknown []string
		if r.Grain.Time != nil && r.Stability.Time == designer.Unknown {
			unknown = append(unknown, r.Grain.Time.Name)
		}
		if r.Filter != "" && r.Stability.Filter == designer.Unknown {
			unknown = append(unknown, "the filter")
		}
		for _, x := range r.Dims {
			if r.Stability.Dimensions[x.Name] == designer.Unknown {
				unknown = append(unknown, x.Name)
			}
		}
		if len(unknown) > 0 {
			add("stability-unknown", "Nobody has said whether %s can change for one entity; taken as mutable.", strings.Join(unknown, ", "))
		}
	}
	if r.Source.Feed == designer.Upsert && r.Source.Deleted != "" && r.Source.Tombstones == designer.Unknown {
		add("tombstones-unknown", "Nobody has said what delete rows hold beside the key; taken as type defaults.")
	}
	if r.Grain.Time != nil && r.TimeType().Nullable() {
		add("null-time", "Rows whose %s is NULL lie in no bucket and are left out of the answer.", r.Grain.Time.Column)
	}
	if len(r.Tiers) > 0 && !keepsStates(p) {
		add("tiers-left-out", "%s keeps no states that could be merged from tier to tier, so the answer has the grain's bucket alone and no tier is built.", p.ID)
	}
	for _, path := range slices.Sorted(maps.Keys(r.Facts.Exprs)) {
		if r.Facts.Exprs[path].ImplicitZone && !strings.HasPrefix(path, "source.") {
			add("implicit-timezone", "%s reads a calendar field or text from a time whose type names no zone. Inside the bundle it is pinned to %s; say the zone in the expression to make it so everywhere.", path, r.Zone.Name)
		}
	}
	metricWarnings(r, p, add)
	if r.Source.Feed == designer.Ledger && p == Ledger {
		add("ledger-invariant", "Right as long as every replaced version has exactly one cancel row, equal to it in every column that is read (%s), each delivered once. rollsmith measure counts the exceptions.", strings.Join(r.Used(), ", "))
	}
	if keepsStates(p) && r.Source.Feed == designer.Append {
		add("retries", "A retried insert is counted again unless source and target both have a de-duplication window. If writers retry, say feed at_least_once.")
	}
	if r.Engine.Replacing() && r.Source.Feed == designer.Append {
		add("engine-drops-repeats", "Merges of %s keep one row per sorting key (%s), and the rollup keeps what it has seen: right only if no two events share a sorting key. If repeats can come, say feed at_least_once.", r.Source.Table, strings.Join(r.Source.OrderBy, ", "))
	}
	if r.Engine.Replacing() && r.Source.Feed == designer.Upsert && r.Engine.Arg(0) != r.Source.Version {
		add("engine-ignores-version", "Merges of %s do not go by %s, so they can throw away the latest version.", r.Source.Table, r.Source.Version)
	}
	if r.Deployment.OnCluster != "" && r.Deployment.ShardingKey == "" && !(r.Source.Feed == designer.Append) {
		add("sharding-unknown", "Nobody has said by what rows are spread over shards; the rows of one entity must lie on one.")
	}
	add("not-for-enforcement", "Fit for dashboards and reports. A decision that must see every recent event at once (fraud, credit, quotas) needs a direct, isolated read.")
	return out
}

func metricWarnings(r *designer.Rollup, p *designer.Pattern, add func(code, format string, args ...any)) {
	for _, m := range r.Measures {
		if (m.Kind == designer.Sum || m.Kind == designer.Avg) && m.Type.Float() {
			add("float-sum", "%s adds up %s: the last digits depend on the order of addition. Answers agree within 1e-9; Decimal or integer amounts agree to the last digit.", m.Name, m.Type)
		}
		if keepsStates(p) && p != Mixed && m.IsExact() && (m.Kind == designer.CountDistinct || m.Kind == designer.Quantile || m.Kind == designer.TopK) {
			add("state-size", "%s keeps every value in its state: exact, and as large as the values are many.", m.Name)
		}
		if !m.IsExact() {
			add("approximate", "%s is approximate, as the design allows; the audit takes a difference of up to 5 %% as none.", m.Name)
		}
	}
}

// question is an answer that a person could give, and what the design would be then.
type question struct {
	code, text string
	answer     func(*designer.Rollup)
}

// questions lists what is open and would change the choice: each is answered
// the other way, and kept if another pattern or sorting key comes out.
func questions(r *designer.Rollup, chosen *designer.Pattern) []designer.Reason {
	if r.Pattern != "auto" {
		return nil
	}
	var open []question
	ask := func(code, text string, answer func(*designer.Rollup)) {
		open = append(open, question{code, text, answer})
	}
	if !r.Immutable() {
		if r.Grain.Time != nil && r.Stability.Time == designer.Unknown {
			ask("time-stability", fmt.Sprintf("Can %s change for one entity of %s?", r.Grain.Time.Column, r.Source.Table), func(x *designer.Rollup) { x.Stability.Time = designer.Stable })
		}
		if r.Filter != "" && r.Stability.Filter == designer.Unknown {
			ask("filter-stability", "Can an entity enter or leave the filter?", func(x *designer.Rollup) { x.Stability.Filter = designer.Stable })
		}
		for i, dim := range r.Dims {
			if r.Stability.Dimensions[dim.Name] == designer.Unknown {
				ask("dimension-stability", fmt.Sprintf("Can %s change for one entity of %s?", dim.Name, r.Source.Table), func(x *designer.Rollup) { x.Dims[i].Stable = true })
			}
		}
		if r.Source.Feed == designer.Upsert && r.Source.Deleted != "" && r.Source.Tombstones == designer.Unknown {
			ask("tombstones", "Do delete rows keep the old values of the other columns, or hold defaults?", func(x *designer.Rollup) { x.Source.Tombstones = "old_values" })
		}
	}
	if r.Grain.Time != nil && r.Stability.Settles == "" {
		ask("settles", fmt.Sprintf("How long after its %s can a row of %s still arrive, repeat or change?", r.Grain.Time.Column, r.Source.Table), func(x *designer.Rollup) { x.Stability.Settles = "7 day" })
	}
	if r.Freshness == "insert" {
		ask("freshness", "May an answer be some minutes old?", func(x *designer.Rollup) { x.Freshness = "10 minute" })
	}
	return worthAsking(r, chosen, open)
}

// worthAsking keeps the questions whose answer changes pattern or statements,
// alone or together with the others.
func worthAsking(r *designer.Rollup, chosen *designer.Pattern, open []question) []designer.Reason {
	before := shape(r, chosen)
	all := changed(r)
	for _, q := range open {
		q.answer(all)
	}
	answered := shape(all, auto(all))
	var out []designer.Reason
	for i, q := range open {
		alone := changed(r)
		q.answer(alone)
		alonePattern := auto(alone)
		if shape(alone, alonePattern) != before {
			out = append(out, reason(q.code, q.text+consequence(chosen, alonePattern)))
			continue
		}
		rest := changed(r)
		for j, other := range open {
			if j != i {
				other.answer(rest)
			}
		}
		if shape(rest, auto(rest)) != answered {
			out = append(out, reason(q.code, q.text+" Together with the other answers it changes the design."))
		}
	}
	return out
}

func consequence(chosen, then *designer.Pattern) string {
	if then == chosen {
		return " The target could then be sorted or filtered for faster reads."
	}
	return fmt.Sprintf(" Then %s would serve: %s", then.ID, then.Price)
}

// changed copies what an answer may change.
func changed(r *designer.Rollup) *designer.Rollup {
	d := *r.Design
	d.Stability.Dimensions = maps.Clone(d.Stability.Dimensions)
	x := *r
	x.Design = &d
	x.Dims = slices.Clone(r.Dims)
	return &x
}

// shape tells two plans apart by what they create.
func shape(r *designer.Rollup, p *designer.Pattern) string {
	var b strings.Builder
	b.WriteString(p.ID)
	for _, s := range p.Plan(r).Up {
		b.WriteString(s.SQL)
	}
	return b.String()
}
