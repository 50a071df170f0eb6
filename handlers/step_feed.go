package handlers

import (
	"context"
	"slices"

	"github.com/a-h/templ"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/web"
)

var feedQuestion = question{
	slug: "feed",
	view: func(_ *Handlers, _ context.Context, d *draft, w web.Wizard) (templ.Component, error) {
		v := web.FeedStep{Wizard: w, Source: d.doc.Source, Evidence: d.notes.Evidence}
		if t := d.notes.Typed; t != nil {
			v.Source.Version, v.Source.Deleted, v.Source.Sign, v.Source.Tombstones, v.Source.Key = t.Version, t.Deleted, t.Sign, t.Tombstones, t.Key
		}
		for _, feed := range designer.Feeds {
			v.Feeds = append(v.Feeds, web.Choice{Value: string(feed), Label: feedWords[feed][0], Hint: feedWords[feed][1]})
		}
		return web.FeedPage(v), nil
	},
	take: takeFeed,
}

// takeFeed keeps everything that was typed, and puts into the document only
// what the feed has.
func takeFeed(f form, d *draft) (bool, web.Errors) {
	feed := designer.Feed(f.text("source-feed"))
	typed := designer.Source{Key: f.lines("source-key"), Version: f.text("source-version"), Deleted: f.text("source-deleted"),
		Sign: f.text("source-sign"), Tombstones: f.text("source-tombstones")}
	d.notes.Typed = &typed
	s := &d.doc.Source
	s.Feed, s.Key, s.Version, s.Deleted, s.Sign, s.Tombstones = feed, typed.Key, "", "", "", ""
	switch feed {
	case designer.Upsert:
		s.Version, s.Deleted, s.Tombstones = typed.Version, typed.Deleted, typed.Tombstones
	case designer.Ledger:
		s.Version, s.Deleted = typed.Version, typed.Deleted
	case designer.Collapsing:
		s.Sign = typed.Sign
	case designer.VersionedCollapsing:
		s.Sign, s.Version = typed.Sign, typed.Version
	case designer.Append:
		if slices.Equal(s.Key, s.OrderBy) {
			s.Key = nil
		}
	case "":
		return false, web.Errors{{ID: "source-feed", Text: "Choose how changes arrive. If you do not know, upsert is the safe answer where rows have versions."}}
	}
	return false, nil
}
