package pattern

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/problem"
)

// Decide chooses the cheapest pattern that is right, or takes the one that the
// design names. A named pattern that cannot be right is refused, never replaced.
func Decide(r *designer.Rollup) (*designer.Decision, error) {
	chosen, err := choose(r)
	if err != nil {
		return nil, err
	}
	if err := backfillFits(r, chosen); err != nil {
		return nil, err
	}
	if err := shardingFits(r); err != nil {
		return nil, err
	}
	d := &designer.Decision{Rollup: r, Pattern: chosen.ID, Title: chosen.Title, Reasons: chosen.Judge(r).For, Plan: chosen.Plan(r)}
	if err := sparesSource(r, d.Plan); err != nil {
		return nil, err
	}
	d.Reasons = append(d.Reasons, reason("price", chosen.Price))
	d.Reasons = append(d.Reasons, oneOrTwo(r, chosen)...)
	d.Rejected = rejected(r, chosen)
	d.Warnings = warnings(r, chosen)
	d.Questions = questions(r, chosen)
	return d, nil
}

// Force builds a pattern's plan whatever is against it, so that what goes wrong
// can be shown. It gives nil for an unknown id.
func Force(r *designer.Rollup, id string) *ddl.Plan {
	p := Find(id)
	if id == Mixed.ID {
		p = Mixed
	}
	if p == nil {
		return nil
	}
	return p.Plan(r)
}

func choose(r *designer.Rollup) (*designer.Pattern, error) {
	if r.Pattern != "auto" {
		p := Find(r.Pattern)
		if p == nil {
			return nil, problem.Field("unknown-pattern", "pattern", r.Pattern, "not one of the known patterns", "auto, or one of: "+strings.Join(IDs(), ", "))
		}
		if v := p.Judge(r); !v.Fits() {
			hint := "no pattern is named: auto chooses one that is right"
			if best := cheapest(r); best != nil {
				hint = fmt.Sprintf("%q would be right, or \"auto\"", best.ID)
			}
			return nil, problem.Field(v.Against[0].Code, "pattern", r.Pattern, v.Against[0].Text, hint)
		}
		if len(r.Tiers) > 0 && !keepsStates(p) {
			return nil, problem.Field("tiers-without-states", "tiers", r.Tiers[0].Bucket, fmt.Sprintf("pattern %s keeps no states that could be merged from tier to tier", p.ID), "leave the tiers out, or name a pattern that keeps states: summing, aggregating, ledger, signed")
		}
		return p, nil
	}
	return auto(r), nil
}

// auto gives the pattern that serves a design which names none.
func auto(r *designer.Rollup) *designer.Pattern {
	if wantsBoth(r) {
		return Mixed
	}
	return cheapest(r)
}

// cheapest gives the first pattern of the catalog that is right; direct always is.
func cheapest(r *designer.Rollup) *designer.Pattern {
	for _, p := range Catalog {
		if p.Judge(r).Fits() {
			return p
		}
	}
	return nil
}

// keepsStates reports whether a pattern's targets can be chained into tiers.
func keepsStates(p *designer.Pattern) bool {
	return p == Summing || p == Aggregating || p == Ledger || p == Signed || p == Mixed
}

func rejected(r *designer.Rollup, chosen *designer.Pattern) []designer.Rejection {
	var out []designer.Rejection
	for _, p := range Catalog {
		if p == chosen {
			continue
		}
		v := p.Judge(r)
		switch {
		case !v.Fits():
			out = append(out, designer.Rejection{Pattern: p.ID, Code: v.Against[0].Code, Text: v.Against[0].Text})
		case slices.Index(Catalog, p) < slices.Index(Catalog, chosen):
			out = append(out, designer.Rejection{Pattern: p.ID, Code: "not-named", Text: "Right and cheaper to read, but the design names " + chosen.ID + ". " + p.Price, Right: true})
		default:
			out = append(out, designer.Rejection{Pattern: p.ID, Code: "costs-more", Text: "Right, but dearer. " + p.Price, Right: true})
		}
	}
	return out
}

// backfillFits refuses a way to fill history that would not be exact.
func backfillFits(r *designer.Rollup, p *designer.Pattern) error {
	stores := keepsStates(p) || p == Replacing
	if !stores {
		return nil // nothing to fill, or a refresh fills it
	}
	cancels := r.Source.Feed == designer.Ledger && (p == Ledger || p == Mixed) || r.SignFeed()
	idempotent := p == Replacing && !r.SignFeed() || p == Aggregating && r.Source.Feed != designer.Append ||
		p == Mixed && r.Source.Feed == designer.AtLeastOnce
	switch r.Backfill.Mode {
	case designer.BackfillOverlap:
		if !idempotent {
			return problem.Field("overlap-counts-twice", "backfill.mode", r.Backfill.Mode, fmt.Sprintf("a %s target adds up what it is given: a row that both the view and the backfill take counts twice", p.ID), "watermark (exact while writes go on) or pause")
		}
	case designer.BackfillWatermark:
		if cancels {
			return problem.Field("watermark-loses-cancelled", "backfill.mode", r.Backfill.Mode, fmt.Sprintf("merges of %s erase a row that a later cancel row takes back: the backfill no longer finds it, and the view takes it off all the same", r.Source.Table), "pause")
		}
	}
	return nil
}

// sparesSource refuses a plan in which a table beside the read view would have
// the source's name: down.sql would drop the source.
func sparesSource(r *designer.Rollup, p *ddl.Plan) error {
	for _, s := range p.Up {
		if s.Undo != "" && s.Name == r.Source.Table && r.Target.Database == r.Source.Database {
			return problem.Field("target-is-source", "target.prefix", r.Target.Prefix, fmt.Sprintf("the rollup needs the name %s, which is the source's own", s.Name), "another prefix, or another database")
		}
	}
	return nil
}

// shardingFits refuses a sharding key by which versions of an entity could lie
// on two shards, where no merge and no FINAL brings them together (DESIGN §2).
func shardingFits(r *designer.Rollup) error {
	key := r.Deployment.ShardingKey
	if key == "" || r.Source.Feed == designer.Append {
		return nil
	}
	columns := r.Facts.Exprs["deployment.sharding_key"].Columns
	if len(columns) == 0 || len(r.Source.Key) == 0 {
		return problem.Field("sharding-key-not-entity", "deployment.sharding_key", key, "it does not depend on the entity key, so rows of one entity lie on several shards, where nothing merges them", "a function of "+strings.Join(r.Source.Key, ", "))
	}
	for _, c := range columns {
		if !slices.Contains(r.KeyColumns(), c) {
			return problem.Field("sharding-key-not-entity", "deployment.sharding_key", key, fmt.Sprintf("it depends on %s, which is not in the entity key: rows of one entity can lie on several shards, where nothing merges them", c), "a function of "+strings.Join(r.Source.Key, ", "))
		}
	}
	return nil
}
