package handlers

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/cluster"
	"github.com/rollsmith/rollsmith/web"
)

// engines are offered as a filter; Replicated and Shared ones match too.
var engines = []string{"MergeTree", "ReplacingMergeTree", "SummingMergeTree", "AggregatingMergeTree", "CollapsingMergeTree", "VersionedCollapsingMergeTree", "MaterializedView", "Distributed", "View"}

// showCluster is the page of one cluster; a search asks for its list alone.
func (h *Handlers) showCluster(w http.ResponseWriter, r *http.Request) error {
	c, err := h.Clusters.Get(param(r, "name"))
	if err != nil {
		return err
	}
	list := searchTables(r, c)
	if isFragment(r) {
		h.render(w, r, http.StatusOK, web.TableRegion(list))
		return nil
	}
	v := web.Cluster{Name: c.Name(), URL: clusterURL(c.Name()), Endpoint: c.Config().Endpoint(), List: list}
	describeConnection(r, c, &v)
	describeViews(r, c, &v)
	h.render(w, r, http.StatusOK, web.ClusterPage(v))
	return nil
}

func searchTables(r *http.Request, c *cluster.Cluster) web.TableList {
	q := r.URL.Query()
	page, _ := strconv.Atoi(q.Get("page"))
	s := cluster.Search{Text: strings.TrimSpace(q.Get("q")), Database: q.Get("db"), Engine: q.Get("engine"), Sort: q.Get("sort"), Page: max(page-1, 0)}
	if s.Sort == "" {
		s.Sort = "name"
	}
	l := web.TableList{Base: clusterURL(c.Name()), Text: s.Text, Database: s.Database, Engine: s.Engine, Sort: s.Sort, Engines: engines}
	if databases, err := c.Databases(r.Context()); err == nil {
		for _, d := range databases {
			if d.Tables > 0 {
				l.Databases = append(l.Databases, d.Name)
			}
		}
	}
	found, err := c.Tables(r.Context(), s)
	if err != nil {
		l.Trouble = web.TroubleOf(err)
		return l
	}
	l.Rows, l.Found, l.Page, l.Pages = tableRows(c.Name(), found.Tables), found.Found, found.Page, found.Pages()
	l.Took, l.Missing = web.Took(time.Duration(found.Took)), found.Missing
	return l
}

// clusterViews is how many views a cluster's page lists.
const clusterViews = 200

func describeViews(r *http.Request, c *cluster.Cluster, v *web.Cluster) {
	views, err := c.Views(r.Context(), cluster.Search{PerPage: clusterViews})
	if err != nil {
		v.ViewsTrouble = web.TroubleOf(err)
		return
	}
	v.ViewsFound = views.Found
	for _, one := range views.Views {
		row := web.ViewRow{Name: dotted(one.Database, one.Name), URL: web.TableURL(c.Name(), one.Database, one.Name),
			Source: one.Source(), Target: one.Target(), Inner: one.InnerTarget, Refreshable: one.Refreshable, Select: one.Select}
		if one.SourceTable != "" {
			row.SourceURL = web.TableURL(c.Name(), one.SourceDatabase, one.SourceTable)
		}
		if one.TargetTable != "" && !one.InnerTarget {
			row.TargetURL = web.TableURL(c.Name(), one.TargetDatabase, one.TargetTable)
		}
		v.Views = append(v.Views, row)
	}
}

// describeConnection tells how far the connection gets, and what the account
// may read.
func describeConnection(r *http.Request, c *cluster.Cluster, v *web.Cluster) {
	report := c.Check(r.Context(), nil)
	v.Notes = append(v.Notes, report.Notes...)
	for _, s := range report.Steps {
		v.Steps = append(v.Steps, web.CheckStep{Name: s.Name, OK: s.OK, Text: s.Text, Fix: s.Fix, Took: web.Took(time.Duration(s.Took))})
	}
	if !report.OK {
		return
	}
	say := func(term, text string) {
		if text != "" {
			v.Facts = append(v.Facts, web.Fact{Term: term, Text: text})
		}
	}
	say("ClickHouse", report.Server.Version)
	say("Up for", report.Server.UptimeText())
	say("Host", report.Server.Host)
	say("Account", report.Server.User+": "+report.Enforcement.Words())
	say("Time zone", report.Server.Timezone)
	for _, g := range report.Topology.Clusters {
		if g.Local {
			say("Cluster "+g.Name, fmt.Sprintf("%s, %s", web.Plural(g.Shards, "shard"), web.Plural(g.Replicas, "replica")))
		}
	}
	lacking := false
	for _, a := range report.Abilities {
		right := web.Right{Can: a.OK, What: a.Name}
		if !a.OK {
			right.Lost, lacking = strings.TrimSpace("Without it: "+a.Costs+". "+a.Why), lacking || a.Grant != ""
		}
		v.Rights = append(v.Rights, right)
	}
	if lacking || report.Enforcement.Readonly == 0 {
		v.Fix = cluster.Grants("")
	}
	v.Missing = report.Missing
}
