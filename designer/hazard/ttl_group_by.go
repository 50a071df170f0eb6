package hazard

var ttlGroupBy = &Rule{
	Code:     "ttl-group-by",
	Title:    "A TTL is used as a rollup",
	Doc:      "TTL … GROUP BY aggregates rows when they expire, part by part and at no set time: rows of one group that expire in different merges are aggregated separately, and readers see a mix.",
	Severity: Error,
	View:     checkTTLGroupBy,
}

func checkTTLGroupBy(v *View) []Finding {
	for _, t := range []*Table{v.target, v.source} {
		if t == nil || !t.Engine.ttlGroupBy {
			continue
		}
		return one(
			sentence("%s rolls its own rows up by TTL … GROUP BY; when that happens and what it has seen by then is up to merges.", t.Name),
			sentence("%s TTL %s GROUP BY …", t.full(), printList(t.Engine.ttl)),
			"Feed a tier of its own from a materialized view, and let the TTL only delete.")
	}
	return nil
}
