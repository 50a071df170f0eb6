package handlers

import (
	"context"
	"fmt"
	"strings"

	"github.com/a-h/templ"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/web"
)

var grainQuestion = question{
	slug: "grain",
	view: func(h *Handlers, _ context.Context, d *draft, w web.Wizard) (templ.Component, error) {
		v := web.GrainStep{Wizard: w, Bucket: "1 day", Timezone: "UTC", Dimensions: d.doc.Grain.Dimensions}
		for _, c := range d.doc.Source.Columns {
			if designer.Type(c.Type).Temporal() {
				v.TimeColumns = append(v.TimeColumns, c.Name)
			}
		}
		if t := d.doc.Grain.Time; t != nil {
			v.TimeColumn, v.Bucket, v.Timezone, v.TimeName = t.Column, t.Bucket, t.Timezone, t.Name
		} else if !d.notes.Seen["grain"] && len(v.TimeColumns) > 0 && len(w.Errors) == 0 {
			v.TimeColumn = v.TimeColumns[0]
		}
		v.Probes = h.probeView(d, "grain", "How large would it be?", "Counts groups and rows on "+d.Cluster+", so that a grain that saves nothing is seen early.")
		return web.GrainPage(v), nil
	},
	take: takeGrain,
}

func takeGrain(f form, d *draft) (bool, web.Errors) {
	g := &d.doc.Grain
	g.Time = nil
	if column := f.text("grain-time-column"); column != "" {
		g.Time = &designer.Time{Name: f.text("grain-time-name"), Column: column, Bucket: f.text("grain-time-bucket"), Timezone: f.text("grain-time-timezone")}
		if g.Time.Name == "" {
			g.Time.Name = bucketName(g.Time.Bucket)
		}
	}
	before := d.doc.Stability.Dimensions
	g.Dimensions = nil
	for i := range f.number("dimensions", designer.MaxDimensions) {
		x := designer.Dimension{Expr: f.text(fmt.Sprintf("grain-dimensions-%d-expr", i)), Name: f.text(fmt.Sprintf("grain-dimensions-%d-name", i))}
		if x.Name == "" {
			x.Name = dimensionName(d.doc.Source, x.Expr)
		}
		g.Dimensions = append(g.Dimensions, x)
	}
	button, row := f.button()
	if button != "continue" {
		g.Dimensions = edit(g.Dimensions, button, row)
		return true, nil
	}
	// What is known of a dimension stays with its name.
	d.doc.Stability.Dimensions = nil
	for _, x := range g.Dimensions {
		if known := before[x.Name]; known != "" {
			if d.doc.Stability.Dimensions == nil {
				d.doc.Stability.Dimensions = map[string]string{}
			}
			d.doc.Stability.Dimensions[x.Name] = known
		}
	}
	if g.Time == nil {
		d.doc.Stability.Time = ""
	}
	return false, nil
}

// bucketName calls a time after its unit.
func bucketName(bucket string) string {
	if i, err := designer.ParseInterval(bucket); err == nil {
		return i.Unit
	}
	return "time"
}

// dimensionName is the column's name where the expression is only that.
func dimensionName(s designer.Source, expr string) string {
	for _, c := range s.Columns {
		if expr == c.Name || expr == sqlName(c.Name) {
			return c.Name
		}
	}
	return slug(strings.TrimSpace(expr))
}
