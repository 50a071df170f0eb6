package handlers

import (
	"context"

	"github.com/a-h/templ"

	"github.com/rollsmith/rollsmith/web"
)

var filterQuestion = question{
	slug: "filter",
	view: func(_ *Handlers, _ context.Context, d *draft, w web.Wizard) (templ.Component, error) {
		return web.FilterPage(web.FilterStep{Wizard: w, Filter: d.doc.Filter}), nil
	},
	take: func(f form, d *draft) (bool, web.Errors) {
		d.doc.Filter = f.text("filter")
		if d.doc.Filter == "" {
			d.doc.Stability.Filter = ""
		}
		return false, nil
	},
}
