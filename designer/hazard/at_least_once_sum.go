package hazard

import "strings"

var atLeastOnceSum = &Rule{
	Code:     "at-least-once-sum",
	Title:    "A row delivered twice counts twice",
	Doc:      "Queues and retrying clients deliver at least once. A rollup that adds has no way of telling a repeat from a second event.",
	Severity: Error,
	View:     checkAtLeastOnce,
}

func checkAtLeastOnce(v *View) []Finding {
	if !v.incremental() || v.source == nil || v.feed != "" && v.feed != "at_least_once" || len(v.writersThatAggregate()) > 0 {
		return nil
	}
	adding := v.adding()
	if len(adding) == 0 && !(v.mirror() && v.target.summing()) {
		return nil
	}
	if _, kind := v.ledger(); kind != noLedger && v.feed == "" {
		return nil
	}
	id := v.identity()
	if id == "" && v.feed == "" {
		return nil
	}
	what := "its rows"
	if len(adding) > 0 {
		what = adding[0].call.String()
	}
	f := Finding{
		Text:     sentence("%s adds up %s: a row that is delivered to %s twice counts twice.", v.def.Name, what, v.source.Name),
		Evidence: sentence("%s; nothing in %s recognises a repeat", v.source.declared(), v.full()),
		Repair:   "Keep one row per event in a ReplacingMergeTree target and aggregate with FINAL at read, or recompute with a refreshable view; retries of whole inserts can be caught by a de-duplication window on source and target.",
	}
	if v.feed == "" {
		f.Condition = sentence("the same %s can be delivered to %s more than once", id, v.source.Name)
	}
	return []Finding{f}
}

func (v *View) writersThatAggregate() []*View {
	var out []*View
	for _, w := range v.writers {
		if w.err == nil && w.aggregated() {
			out = append(out, w)
		}
	}
	return out
}

// identityNames are columns that name an event; their presence in a source
// that adds them up says that repeats were thought possible.
var identityNames = strings.Fields("event_id eventid message_id msg_id uuid event_uuid delivery_id idempotency_key dedup_key request_id insert_id offset _offset")

// identity is the column by which a repeat of a row could be told.
func (v *View) identity() string {
	if v.source.Engine.Kind == "Kafka" || strings.HasSuffix(v.source.Engine.Kind, "Queue") || v.source.is("RabbitMQ", "NATS") {
		return "message"
	}
	if !v.source.is("MergeTree") || v.source.window() {
		return ""
	}
	for _, c := range v.source.Columns {
		if (contains(identityNames, strings.ToLower(c.Name)) || v.namesRows(c.Name)) && !v.carries(c.Name) {
			return c.Name
		}
	}
	return ""
}

// namesRows tells whether a column is by its name the id of the table's rows:
// id, or order_id in orders.
func (v *View) namesRows(col string) bool {
	thing, ok := strings.CutSuffix(strings.ToLower(col), "_id")
	return col == "id" || ok && len(thing) > 2 && strings.Contains(strings.ToLower(v.source.Name), thing)
}
