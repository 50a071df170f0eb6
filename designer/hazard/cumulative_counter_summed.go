package hazard

import "strings"

var cumulativeCounterSummed = &Rule{
	Code:     "cumulative-counter-summed",
	Title:    "Readings of a running counter are summed",
	Doc:      "A meter or a process counter reports its total so far. The sum of readings grows with how often it is read; what happened is the difference between readings.",
	Severity: Error,
	View:     checkCumulative,
}

func checkCumulative(v *View) []Finding {
	for _, o := range v.outputs {
		for _, a := range aggregates(o.expr) {
			if a.base != "sum" || a.has("Merge") || a.arg() == nil || a.arg().kind != columnExpr || !runningName(a.arg().name) && !runningTable(v.source) || len(v.writersThatAggregate()) > 0 {
				continue
			}
			return when(
				sentence("%s is a running total", a.arg().name),
				sentence("%s sums %s, which by its name is a running total: each reading adds all that came before.", v.def.Name, a.arg().name),
				sentence("output %s", o.shown()),
				sentence("Keep argMinState and argMaxState of %s per bucket and subtract, or use deltaSumTimestampState.", a.arg().name))
		}
	}
	return nil
}

// runningName tells whether a name is that of a counter or a meter's reading.
func runningName(name string) bool {
	n := strings.ToLower(name)
	return strings.HasSuffix(n, "_total") || strings.HasPrefix(n, "total_") ||
		nameSays(n, []string{"counter", "cumulative", "odometer", "reading", "meter", "lifetime", "uptime", "register", "cum"})
}

// runningTable tells whether a table is by name one of meter readings.
func runningTable(t *Table) bool {
	return t != nil && nameSays(t.Name, []string{"readings", "meters", "meter", "counters", "odometers", "odometer"})
}
