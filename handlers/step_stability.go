package handlers

import (
	"context"
	"fmt"
	"strings"

	"github.com/a-h/templ"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/web"
)

var stabilityQuestion = question{
	slug: "stability",
	view: func(h *Handlers, _ context.Context, d *draft, w web.Wizard) (templ.Component, error) {
		v := web.StabilityStep{Wizard: w, Settles: d.doc.Stability.Settles, Items: stabilityItems(d), Probes: h.probes(d)}
		if d.doc.Source.Feed == designer.Append || d.doc.Source.Feed == designer.AtLeastOnce {
			v.Never = "Rows of this feed never change, so nothing here can make the rollup wrong. Only how late rows may arrive matters."
		}
		return web.StabilityPage(v), nil
	},
	take: takeStability,
}

// stabilityItems lists what may change: time, filter, each dimension.
func stabilityItems(d *draft) []web.StabilityItem {
	if d.doc.Source.Feed == designer.Append || d.doc.Source.Feed == designer.AtLeastOnce {
		return nil
	}
	var items []web.StabilityItem
	add := func(id, name, expr, value string) {
		if value == "" || value == designer.Unknown {
			value = designer.Unknown
			// That a value was seen to change is certain; that it was not seen to
			// is for the reader to judge.
			if d.notes.Probes["stability"].Suggests[id] == designer.Mutable {
				value = designer.Mutable
			}
		}
		items = append(items, web.StabilityItem{ID: id, Name: name, Expr: expr, Value: value, Says: d.notes.says(id)})
	}
	if t := d.doc.Grain.Time; t != nil {
		add("stability-time", "The time "+t.Name, "by "+t.Column, d.doc.Stability.Time)
	}
	if d.doc.Filter != "" {
		add("stability-filter", "Whether the filter lets an entity through", d.doc.Filter, d.doc.Stability.Filter)
	}
	for i, x := range d.doc.Grain.Dimensions {
		add(fmt.Sprintf("stability-dimensions-%d", i), "The dimension "+x.Name, x.Expr, d.doc.Stability.Dimensions[x.Name])
	}
	return items
}

func takeStability(f form, d *draft) (bool, web.Errors) {
	s := &d.doc.Stability
	s.Settles = f.text("stability-settles")
	for _, item := range stabilityItems(d) {
		value := f.text(item.ID)
		if value == "" {
			continue
		}
		switch item.ID {
		case "stability-time":
			s.Time = value
		case "stability-filter":
			s.Filter = value
		default:
			var i int
			fmt.Sscanf(item.ID, "stability-dimensions-%d", &i)
			if s.Dimensions == nil {
				s.Dimensions = map[string]string{}
			}
			s.Dimensions[d.doc.Grain.Dimensions[i].Name] = value
		}
	}
	return strings.HasPrefix(f.text("do"), "probe-"), nil
}
