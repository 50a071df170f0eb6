package web

import "time"

// Audit is what was found about the views that exist.
type Audit struct {
	Cluster, ClusterURL, Database string
	Databases                     []string
	Views                         []AuditRow
	Missing                       []string
	Trouble                       *Trouble
	At                            time.Time
	Verdicts                      map[string]int
}

// AuditRow is one view.
type AuditRow struct {
	View, URL, Source, Target, Verdict string
	Findings                           []FindingRow
}

// FindingRow is one finding.
type FindingRow struct {
	Code, Severity, Text, Evidence, Repair, Condition string
}

// Count sums the verdicts up.
func (a *Audit) Count() {
	a.Verdicts = map[string]int{}
	for _, v := range a.Views {
		a.Verdicts[v.Verdict]++
	}
}
