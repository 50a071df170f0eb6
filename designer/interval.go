package designer

import (
	"fmt"
	"strconv"
	"strings"
)

// Interval is a number of calendar units, such as 5 minutes.
type Interval struct {
	N    int
	Unit string // second, minute, hour, day, week, month, quarter, year
}

var unitNames = []string{"second", "minute", "hour", "day", "week", "month", "quarter", "year"}

// ParseInterval reads "5 minute". The unit is one of second, minute, hour, day,
// week, month, quarter, year; a plural is taken as the singular.
func ParseInterval(s string) (Interval, error) {
	f := strings.Fields(s)
	if len(f) == 2 {
		n, err := strconv.Atoi(f[0])
		unit := strings.TrimSuffix(strings.ToLower(f[1]), "s")
		for _, u := range unitNames {
			if err == nil && n > 0 && n <= 1_000_000 && u == unit {
				return Interval{n, u}, nil
			}
		}
	}
	return Interval{}, fmt.Errorf("%q is not a number and a unit", s)
}

func (i Interval) String() string { return fmt.Sprintf("%d %s", i.N, i.Unit) }

// SQL gives the interval as a ClickHouse literal: INTERVAL 5 MINUTE.
func (i Interval) SQL() string {
	return fmt.Sprintf("INTERVAL %d %s", i.N, strings.ToUpper(i.Unit))
}

// Slug gives the interval as a part of a name: 5_minute.
func (i Interval) Slug() string { return fmt.Sprintf("%d_%s", i.N, i.Unit) }

// SubDay reports whether buckets of this interval are shorter than a day, so
// that their start is a DateTime and not a Date.
func (i Interval) SubDay() bool {
	return i.Unit == "second" || i.Unit == "minute" || i.Unit == "hour"
}

// Seconds gives the length in seconds, taking a month as 30 days and a year as
// 365 where the calendar decides.
func (i Interval) Seconds() int64 {
	per := map[string]int64{"second": 1, "minute": 60, "hour": 3600, "day": 86400,
		"week": 7 * 86400, "month": 30 * 86400, "quarter": 91 * 86400, "year": 365 * 86400}
	return int64(i.N) * per[i.Unit]
}

// months gives the length in months, and false for units that are not made of months.
func (i Interval) months() (int, bool) {
	switch i.Unit {
	case "month":
		return i.N, true
	case "quarter":
		return 3 * i.N, true
	case "year":
		return 12 * i.N, true
	}
	return 0, false
}

func itoa(n int) string { return strconv.Itoa(n) }
