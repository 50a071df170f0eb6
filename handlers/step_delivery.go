package handlers

import (
	"context"
	"strings"

	"github.com/a-h/templ"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/web"
)

var backfillModes = []web.Choice{
	{Value: designer.BackfillNone, Label: "There is no history", Hint: "The source is empty, or only what comes from now on counts."},
	{Value: designer.BackfillOverlap, Label: "Load it while rows arrive", Hint: "Only where the target is idempotent: a row that both the view and the load have seen counts once."},
	{Value: designer.BackfillWatermark, Label: "Cut at a watermark", Hint: "The view takes rows above it, the load those up to it. The column has to grow with arrival."},
	{Value: designer.BackfillPause, Label: "Stop the writers meanwhile", Hint: "Exact for every pattern."},
}

var deliveryQuestion = question{
	slug: "delivery",
	view: func(h *Handlers, ctx context.Context, d *draft, w web.Wizard) (templ.Component, error) {
		doc := d.doc
		rows := h.sourceRows(ctx, d.Cluster, doc)
		v := web.DeliveryStep{Wizard: w, Name: doc.Name, FreshMode: "insert", BackfillMode: doc.Backfill.Mode, BackfillColumn: doc.Backfill.Column, BackfillValue: doc.Backfill.Value,
			Database: doc.Target.Database, Prefix: doc.Target.Prefix, OnCluster: doc.Deployment.OnCluster, ShardingKey: doc.Deployment.ShardingKey, Replicated: doc.Deployment.Replicated,
			Tiers: tierLines(doc.Tiers), Modes: backfillModes, SourceRows: rows}
		if doc.Freshness != "" && doc.Freshness != "insert" {
			v.FreshMode, v.FreshText = "stale", doc.Freshness
		}
		if v.BackfillMode == "" {
			v.BackfillMode = suggestedBackfill(doc, rows)
		}
		if v.Database == "" {
			v.Database = doc.Source.Database
		}
		if !d.notes.Seen["delivery"] && v.Name == "" && len(w.Errors) == 0 {
			v.Name = suggestedDesign(doc)
		}
		return web.DeliveryPage(v), nil
	},
	take: takeDelivery,
}

// suggestedBackfill is the way of filling that is right for most designs of the
// feed: history that is there is left out by answer, never by default.
func suggestedBackfill(d *designer.Design, rows int64) string {
	switch {
	case rows == 0:
		return designer.BackfillNone
	case d.Source.Feed == designer.Upsert || d.Source.Feed == designer.AtLeastOnce:
		return designer.BackfillOverlap
	}
	return designer.BackfillPause
}

// leavesOut is how many rows of the source no answer of a design would hold.
func leavesOut(d *designer.Design, pattern string, rows int64) int64 {
	switch pattern {
	case "direct", "projection", "refreshable": // they read the source itself
		return 0
	}
	if d.Backfill.Mode != "" && d.Backfill.Mode != designer.BackfillNone {
		return 0
	}
	return max(rows, 0)
}

func suggestedDesign(d *designer.Design) string {
	name := slug(d.Source.Table)
	if name == "" {
		name = "rollup"
	}
	if d.Grain.Time != nil {
		if i, err := designer.ParseInterval(d.Grain.Time.Bucket); err == nil {
			return name + "_by_" + i.Unit
		}
	}
	return name + "_rollup"
}

func tierLines(tiers []designer.Tier) string {
	var lines []string
	for _, t := range tiers {
		lines = append(lines, strings.TrimSuffix(t.Bucket+", "+t.TTL, ", "))
	}
	return strings.Join(lines, "\n")
}

func takeDelivery(f form, d *draft) (bool, web.Errors) {
	doc := d.doc
	var errs web.Errors
	if doc.Name = f.text("name"); doc.Name == "" {
		errs = append(errs, web.FieldError{ID: "name", Text: "Give the design a name, such as daily_revenue."})
	}
	doc.Freshness = "insert"
	if f.text("fresh") == "stale" {
		if doc.Freshness = f.text("freshness"); doc.Freshness == "" || doc.Freshness == "insert" {
			errs = append(errs, web.FieldError{ID: "freshness", Text: "Say how far an answer may lag behind, such as 10 minute."})
			doc.Freshness = "1 hour"
		}
	}
	doc.Backfill = designer.Backfill{Mode: f.text("backfill-mode")}
	if doc.Backfill.Mode == designer.BackfillWatermark {
		doc.Backfill.Column, doc.Backfill.Value = f.text("backfill-column"), f.text("backfill-value")
	}
	doc.Target = designer.Target{Database: f.text("target-database"), Prefix: f.text("target-prefix")}
	doc.Deployment = designer.Deployment{OnCluster: f.text("deployment-on_cluster"), Replicated: f.text("deployment-replicated") != "", ShardingKey: f.text("deployment-sharding_key")}
	doc.Tiers = nil
	for _, line := range f.lines("tiers") {
		bucket, ttl, _ := strings.Cut(line, ",")
		doc.Tiers = append(doc.Tiers, designer.Tier{Bucket: strings.TrimSpace(bucket), TTL: strings.TrimSpace(ttl)})
	}
	return false, errs
}
