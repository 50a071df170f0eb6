package sandbox

import (
	"regexp"
	"slices"
	"strings"
)

// zoneless matches a DateTime or DateTime64 that names no zone: as text, or cut
// into days and hours, its value depends on the zone of whoever asks.
var zoneless = regexp.MustCompile(`\bDateTime(64\(\d+\)|[^(6]|$)`)

// dependsOnZone reports whether some function below n gives another value to a
// session in another zone. zones are the names the engine knows.
func dependsOnZone(n *node, zones map[string]bool) bool {
	found := false
	_ = n.walk(func(n *node) error {
		if name, _ := n.function(); name != "" && !found {
			found = functionDependsOnZone(strings.ToLower(name), n, zones)
		}
		return nil
	})
	return found
}

func functionDependsOnZone(name string, n *node, zones map[string]bool) bool {
	args := n.arguments()
	if len(args) == 0 || hasZoneArgument(args, zones) {
		return false
	}
	var types []string
	for _, a := range args {
		types = append(types, a.resultType())
	}
	takesInstant := slices.ContainsFunc(types, zoneless.MatchString)
	result := n.resultType()
	switch {
	case zoneless.MatchString(result) && !takesInstant && isCalendarText(types[0]):
		return !choices[name] // a text or a date read as a moment
	case name == "fromunixtimestamp" && !strings.Contains(result, "DateTime"):
		return true // a number written as text
	case (name == "todate" || name == "todate32") && wideNumber.MatchString(types[0]):
		return true // beyond 65535 the number is a moment, not a day
	case !takesInstant:
		return false
	case choices[name]:
		return slices.ContainsFunc(types, isCalendarText)
	case shifts[name]:
		return slices.ContainsFunc(types, longInterval.MatchString)
	case name == "datediff" || name == "age":
		unit, _ := args[0].constantText()
		return !shortUnits[strings.ToLower(unit)]
	case conversions[name]:
		return !strings.Contains(result, "DateTime") && !plainNumber.MatchString(result)
	default:
		return !zoneBlind[name]
	}
}

// hasZoneArgument is true for f(…, 'Europe/Berlin').
func hasZoneArgument(args []*node, zones map[string]bool) bool {
	text, ok := args[len(args)-1].constantText()
	return ok && len(args) > 1 && zones[text]
}

// isCalendarText is true for what becomes a moment only in some zone: text,
// dates, and tuples of them on the right of IN.
func isCalendarText(typ string) bool { return calendarText.MatchString(typ) }

var (
	calendarText = regexp.MustCompile(`\b(String|FixedString|Date|Date32)\b`)
	wideNumber   = regexp.MustCompile(`\b(Int(32|64|128|256)|UInt(32|64|128|256)|Float(32|64))\b`)
	longInterval = regexp.MustCompile(`^Interval(Day|Week|Month|Quarter|Year)$`)
	plainNumber  = regexp.MustCompile(`^(LowCardinality\()?(Nullable\()?(U?Int\d+|Float\d+|Decimal.*)\b`)
)

// choices compare values or pick one of them: harmless among moments, not where
// a text or a date has to become a moment first.
var choices = nameSet(`equals notEquals less greater lessOrEquals greaterOrEquals in notIn globalIn globalNotIn
	if multiIf coalesce ifNull nullIf least greatest isDistinctFrom isNotDistinctFrom between`)

// shifts move a moment; by seconds and hours everywhere alike, by days not.
var shifts = nameSet(`plus minus`)

// conversions keep the moment, unless they write it as text or as a date.
var conversions = nameSet(`CAST _CAST accurateCast accurateCastOrNull toDateTime toDateTime32 toDateTime64 toDateTimeOrNull
	toDateTimeOrZero toDateTime64OrNull toDateTime64OrZero toTimeZone toTimezone`)

// shortUnits are the units that every zone cuts alike.
var shortUnits = nameSet(`second seconds ss s millisecond milliseconds ms microsecond microseconds us u nanosecond nanoseconds ns`)

// zoneBlind see the moment as the number it is.
var zoneBlind = nameSet(`isNull isNotNull assumeNotNull toNullable toLowCardinality materialize identity tuple array
	toUnixTimestamp toUnixTimestamp64Second toUnixTimestamp64Milli toUnixTimestamp64Micro toUnixTimestamp64Nano
	toInt32 toInt64 toUInt32 toUInt64 toFloat64 toInt128 toUInt128 toInt256 toUInt256
	cityHash64 sipHash64 sipHash128 xxHash32 xxHash64 xxh3 murmurHash3_32 murmurHash3_64 murmurHash3_128 farmHash64 metroHash64 intHash32 intHash64
	addSeconds addMinutes addHours addMilliseconds addMicroseconds addNanoseconds
	subtractSeconds subtractMinutes subtractHours subtractMilliseconds subtractMicroseconds subtractNanoseconds
	toSecond toMillisecond toStartOfSecond toTypeName timezoneOf timeZoneOf not and or`)

func nameSet(names string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(names) {
		set[strings.ToLower(name)] = true
	}
	return set
}
