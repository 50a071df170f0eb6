package handlers

import (
	"net/http"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/cluster"
	"github.com/rollsmith/rollsmith/designer/hazard"
	"github.com/rollsmith/rollsmith/web"
)

// showAudit judges the materialized views that exist on a cluster.
func (h *Handlers) showAudit(w http.ResponseWriter, r *http.Request) error {
	c, err := h.Clusters.Get(param(r, "name"))
	if err != nil {
		return err
	}
	database := r.URL.Query().Get("db")
	v := web.Audit{Cluster: c.Name(), ClusterURL: clusterURL(c.Name()), Database: database, At: time.Now()}
	if databases, err := c.Databases(r.Context()); err == nil {
		for _, d := range databases {
			if d.Views > 0 {
				v.Databases = append(v.Databases, d.Name)
			}
		}
	}
	report, missing, err := cluster.Lint(r.Context(), c, cluster.Audit{Database: database})
	if err != nil {
		v.Trouble = web.TroubleOf(err)
		h.render(w, r, http.StatusOK, web.AuditPage(v))
		return nil
	}
	v.Missing = missing
	for _, one := range report.Views {
		v.Views = append(v.Views, auditRow(c.Name(), one))
	}
	v.Count()
	h.render(w, r, http.StatusOK, web.AuditPage(v))
	return nil
}

func auditRow(name string, one hazard.ViewReport) web.AuditRow {
	row := web.AuditRow{View: one.View, Source: one.Source, Target: one.Target, Verdict: string(one.Verdict)}
	if database, table, ok := strings.Cut(one.View, "."); ok {
		row.URL = web.TableURL(name, database, table)
	}
	for _, f := range one.Findings {
		row.Findings = append(row.Findings, web.FindingRow{Code: string(f.Code), Severity: string(f.Severity), Text: f.Text, Evidence: f.Evidence, Repair: f.Repair, Condition: f.Condition})
	}
	return row
}
