package handlers

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/rollsmith/rollsmith/cluster"
	"github.com/rollsmith/rollsmith/web"
)

// How much of each list the first page shows.
const (
	homeTables  = 8
	homeDesigns = 50
	homeDrafts  = 10
)

// home shows what is connected, saved and begun.
func (h *Handlers) home(w http.ResponseWriter, r *http.Request) error {
	designs, err := h.Store.Designs(r.Context(), homeDesigns)
	if err != nil {
		return err
	}
	drafts, err := h.Store.Drafts(r.Context(), homeDrafts)
	if err != nil {
		return err
	}
	v := web.Home{Clusters: h.firstLooks(r.Context())}
	for _, d := range designs {
		v.Designs = append(v.Designs, web.DesignRow{ID: d.ID, Name: d.Name, Cluster: d.Cluster, Pattern: d.Pattern, Proof: d.Proof, Newest: d.Newest, Updated: d.Updated})
	}
	for _, d := range drafts {
		v.Drafts = append(v.Drafts, draftRow(d))
	}
	h.render(w, r, http.StatusOK, web.HomePage(v))
	return nil
}

// firstLooks asks all clusters at once: one that is down costs its card only.
func (h *Handlers) firstLooks(ctx context.Context) []web.ClusterCard {
	all := h.Clusters.All()
	cards := make([]web.ClusterCard, len(all))
	var wait sync.WaitGroup
	for i, c := range all {
		wait.Go(func() { cards[i] = firstLook(ctx, c) })
	}
	wait.Wait()
	return cards
}

func firstLook(ctx context.Context, c *cluster.Cluster) web.ClusterCard {
	card := web.ClusterCard{Name: c.Name(), URL: clusterURL(c.Name()), Endpoint: c.Config().Endpoint()}
	databases, err := c.Databases(ctx)
	if err != nil {
		card.Trouble = web.TroubleOf(err)
		return card
	}
	for _, d := range databases {
		if d.Tables > 0 {
			card.Databases++
		}
		card.Tables, card.Views, card.Bytes = card.Tables+d.Tables-d.Views, card.Views+d.Views, card.Bytes+d.Bytes
	}
	list, err := c.Tables(ctx, cluster.Search{Sort: "bytes", PerPage: homeTables})
	if err != nil {
		card.Trouble = web.TroubleOf(err)
		return card
	}
	card.Largest = tableRows(c.Name(), list.Tables)
	return card
}

func tableRows(name string, tables []cluster.Table) []web.TableRow {
	var rows []web.TableRow
	for _, t := range tables {
		rows = append(rows, web.TableRow{Database: t.Database, Name: t.Name, URL: web.TableURL(name, t.Database, t.Name),
			Engine: t.Engine, SortingKey: t.SortingKey, Rows: t.Rows, Bytes: t.Bytes, Views: t.Views})
	}
	return rows
}

func clusterURL(name string) string { return "/clusters/" + url.PathEscape(name) }

func dotted(database, table string) string { return strings.TrimPrefix(database+"."+table, ".") }
