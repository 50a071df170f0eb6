package handlers

import (
	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/store"
	"github.com/rollsmith/rollsmith/web"
)

func draftRow(d store.Draft) web.DraftRow {
	row := web.DraftRow{ID: d.ID, Cluster: d.Cluster, URL: "/designs/" + d.ID + "/feed", Updated: d.Updated, Name: "unnamed"}
	if doc, err := designer.Decode(d.Document); err == nil {
		row.Source = dotted(doc.Source.Database, doc.Source.Table)
		if doc.Name != "" {
			row.Name = doc.Name
		}
	}
	return row
}
