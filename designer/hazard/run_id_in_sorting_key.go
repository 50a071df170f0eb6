package hazard

import "strings"

var runIDInSortingKey = &Rule{
	Code:     "run-id-in-sorting-key",
	Title:    "Every load files its rows under a key of its own",
	Doc:      "With the id of a load, run or job in the sorting key of a de-duplicating table, loading the same rows again replaces nothing.",
	Severity: Error,
	View:     checkRunID,
}

// runNames are columns that name a load rather than a thing.
var runNames = strings.Fields("run_id load_id batch_id job_id import_id etl_run_id run load_run ingest_id ingestion_id sync_id pipeline_run pipeline_run_id job_run_id attempt attempt_id dag_run_id execution_id upload_id load_batch etl_batch batch_no import_batch _batch_id _run_id _load_id _airbyte_ab_id extract_id snapshot_id batch load")

func checkRunID(v *View) []Finding {
	for _, t := range []*Table{v.target, v.source} {
		if !t.is("ReplacingMergeTree", "CoalescingMergeTree", "AggregatingMergeTree") {
			continue
		}
		for _, k := range t.keyColumns() {
			if !contains(runNames, strings.ToLower(k)) || k == t.versionColumn() {
				continue
			}
			return when(
				sentence("the same rows can be loaded again under another %s", k),
				sentence("%s has %s in its sorting key: rows of a repeated load stay beside those of the first.", t.Name, k),
				t.declared(),
				sentence("Take %s out of the ORDER BY; keep it as a column, or use it as the version.", k))
		}
	}
	return nil
}
