package hazard

import (
	"strconv"
	"strings"
)

// bucket is a time rounded down: n units of base, in a zone if one is named.
type bucket struct {
	base *Expr
	unit string
	n    int
	zone string
	call *Expr
}

// bucketUnits are the functions that round to one unit.
var bucketUnits = map[string]string{
	"toStartOfSecond": "second", "toStartOfMinute": "minute", "toStartOfHour": "hour", "toStartOfDay": "day", "toDate": "day", "toDate32": "day",
	"toMonday": "week", "toStartOfWeek": "week", "toLastDayOfWeek": "week", "toStartOfMonth": "month", "toLastDayOfMonth": "month", "toYYYYMM": "month", "toYYYYMMDD": "day", "toYYYYMMDDhhmmss": "second",
	"toStartOfQuarter": "quarter", "toStartOfYear": "year", "toYear": "year", "toISOYear": "year", "toStartOfISOYear": "year", "toYearWeek": "week", "toISOWeek": "week", "toWeek": "week",
	"toHour": "hour", "toDayOfMonth": "day", "toDayOfWeek": "day", "toDayOfYear": "day", "toMonth": "month", "toQuarter": "quarter", "toMinute": "minute",
	"toRelativeHourNum": "hour", "toRelativeDayNum": "day", "toRelativeWeekNum": "week", "toRelativeMonthNum": "month", "toRelativeYearNum": "year",
	"formatDateTime": "day", "dateName": "day", "toDayOfWeekNum": "day", "YEAR": "year", "MONTH": "month", "DAY": "day", "HOUR": "hour", "DATE": "day", "toTime": "second",
}

// severalUnits are the functions that round to several.
var severalUnits = map[string]int{"toStartOfFiveMinutes": 5, "toStartOfFiveMinute": 5, "toStartOfTenMinutes": 10, "toStartOfFifteenMinutes": 15, "timeSlot": 30}

// bucketOf reads a rounding of time; the zero bucket where it is none.
func bucketOf(e *Expr) bucket {
	if e == nil || e.kind != callExpr || len(e.args) == 0 {
		return bucket{}
	}
	if e.isCall("dateTrunc", "date_trunc") && len(e.args) > 1 && e.args[0].text {
		return bucket{base: e.args[1], unit: strings.ToLower(e.args[0].name), n: 1, zone: textArg(e, 2), call: e}
	}
	if e.isCall("toStartOfInterval") && len(e.args) > 1 {
		unit := unitOf(strings.TrimPrefix(e.args[1].name, "toInterval"))
		n := 1
		if len(e.args[1].args) > 0 {
			n, _ = strconv.Atoi(e.args[1].args[0].name)
		}
		return bucket{base: e.args[0], unit: unit, n: n, zone: lastText(e), call: e}
	}
	if n := severalUnits[e.name]; n > 0 {
		return bucket{base: e.args[0], unit: "minute", n: n, zone: textArg(e, 1), call: e}
	}
	unit := bucketUnits[e.name]
	if unit == "" {
		return bucket{}
	}
	at := map[string]int{"toStartOfWeek": 2, "toYearWeek": 2, "toWeek": 2, "formatDateTime": 2, "toDayOfWeek": 2, "toLastDayOfWeek": 2}[e.name]
	return bucket{base: e.args[0], unit: unit, n: 1, zone: textArg(e, max(at, 1)), call: e}
}

func textArg(e *Expr, at int) string {
	if at < len(e.args) && e.args[at].kind == literalExpr && e.args[at].text {
		return e.args[at].name
	}
	return ""
}

// unitSeconds are the lengths of the units; a month is taken short.
var unitSeconds = map[string]int{"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400, "month": 28 * 86400, "quarter": 90 * 86400, "year": 365 * 86400}

func (b bucket) seconds() int { return b.n * unitSeconds[b.unit] }

// nests tells whether every coarser bucket is made of whole ones of this.
func (b bucket) nests(coarser bucket) bool {
	if b.unit == "week" && coarser.unit != "week" {
		return false
	}
	return b.seconds() > 0 && b.seconds() <= coarser.seconds()
}
