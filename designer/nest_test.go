package designer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rollsmith/rollsmith/designer"
)

// nestBuckets are buckets of every unit, dividing the next one or not.
var nestBuckets = []string{
	"1 second", "7 second", "15 second", "30 second", "90 second", "1 minute", "5 minute", "7 minute", "15 minute", "20 minute", "30 minute", "45 minute", "60 minute", "90 minute",
	"1 hour", "2 hour", "3 hour", "5 hour", "6 hour", "12 hour", "24 hour", "48 hour", "1 day", "2 day", "3 day", "7 day", "14 day",
	"1 week", "2 week", "1 month", "2 month", "3 month", "5 month", "1 quarter", "2 quarter", "1 year", "2 year",
}

var nestZones = []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia", "Africa/Monrovia", "Asia/Pyongyang"}

// TestNestingHoldsOnTheEngine: wherever Nests says yes, the engine puts every
// instant into the same coarse bucket as the fine bucket that it lies in.
func TestNestingHoldsOnTheEngine(t *testing.T) {
	for _, name := range nestZones {
		t.Run(name, func(t *testing.T) {
			zone, err := designer.ParseZone(name)
			if err != nil {
				t.Fatal(err)
			}
			r := &designer.Rollup{Zone: zone}
			var pairs, checks []string
			for _, fine := range nestBuckets {
				for _, coarse := range nestBuckets {
					f, c := interval(t, fine), interval(t, coarse)
					if f.Nests(c, zone) {
						inner := r.BucketExpr("at", "DateTime('UTC')", f)
						checks = append(checks, fmt.Sprintf("countIf(%s != %s)", r.BucketExpr("("+inner+")", r.BucketType(f), c), r.BucketExpr("at", "DateTime('UTC')", c)))
						pairs = append(pairs, fine+" into "+coarse)
					}
				}
			}
			sql := fmt.Sprintf("SELECT arrayJoin([%s]) FROM (%s)", strings.Join(checks, ", "), instants(t, name))
			for i, n := range column[uint64](t, sql) {
				if n > 0 {
					t.Errorf("%s: %d instants lie in another bucket", pairs[i], n)
				}
			}
			if len(pairs) < 100 {
				t.Errorf("only %d pairs nest", len(pairs))
			}
		})
	}
}

// instants gives a query for random moments since 1970, and for those around
// every change of a zone's clocks.
func instants(t *testing.T, name string) string {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	var edges []string
	for at := time.Unix(86400*3, 0); at.Year() < 2038; {
		_, end := at.In(loc).ZoneBounds()
		if end.IsZero() {
			break
		}
		edges = append(edges, fmt.Sprint(end.Unix()))
		at = end.Add(time.Hour)
	}
	if len(edges) == 0 {
		edges = []string{"1000000000"}
	}
	return fmt.Sprintf(`SELECT toDateTime(intDiv(cityHash64(number), 7) %% 4000000000 + 200000, 'UTC') AS at FROM numbers(8000)
		UNION ALL SELECT toDateTime(intDiv(cityHash64(number), 7) %% 4000000 * 900 + 200000 + number %% 3 - 1, 'UTC') FROM numbers(8000)
		UNION ALL SELECT toDateTime(greatest(200000, edge + step * 900 + slack), 'UTC') FROM
			(SELECT arrayJoin([%s]) AS edge, arrayJoin(range(-100, 100)) AS step, arrayJoin([-1, 0, 1]) AS slack WHERE cityHash64(edge, step) %% 5 = 0)`, strings.Join(edges, ", "))
}

func interval(t testing.TB, s string) designer.Interval {
	t.Helper()
	iv, err := designer.ParseInterval(s)
	if err != nil {
		t.Fatal(err)
	}
	return iv
}

// TestNests shows pairs that people ask for, and why some of them cannot be.
func TestNests(t *testing.T) {
	for _, c := range []struct {
		fine, coarse, zone string
		want               bool
	}{
		{"5 minute", "1 hour", "UTC", true},
		{"5 minute", "1 day", "Europe/Berlin", true},
		{"5 minute", "1 day", "America/New_York", true},
		{"1 minute", "1 hour", "Asia/Kolkata", true},
		{"15 minute", "1 day", "Asia/Kathmandu", true}, // +05:30, then +05:45
		{"30 minute", "1 day", "Asia/Kathmandu", false},
		{"1 hour", "6 hour", "Australia/Lord_Howe", false}, // its clock is set by half an hour
		{"1 day", "1 second", "Asia/Kolkata", false},
		{"1 hour", "1 day", "Asia/Kathmandu", true},
		{"1 hour", "1 day", "Asia/Kolkata", true},
		{"5 hour", "1 day", "UTC", false},
		{"45 minute", "1 day", "UTC", true},
		{"7 minute", "1 hour", "UTC", false},
		{"1 day", "1 week", "America/New_York", true},
		{"1 day", "1 month", "Australia/Lord_Howe", true},
		{"1 day", "1 year", "UTC", true},
		{"1 week", "1 month", "UTC", false},
		{"1 week", "1 year", "UTC", false},
		{"2 day", "1 month", "UTC", false},
		{"1 month", "1 quarter", "UTC", true},
		{"1 month", "1 year", "Europe/Berlin", true},
		{"5 month", "1 year", "UTC", false},
		{"1 quarter", "1 year", "UTC", true},
		{"1 day", "1 hour", "UTC", false},
		{"1 hour", "1 hour", "UTC", false},
	} {
		zone, err := designer.ParseZone(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := interval(t, c.fine).Nests(interval(t, c.coarse), zone); got != c.want {
			t.Errorf("%s into %s (%s): %v, want %v", c.fine, c.coarse, c.zone, got, c.want)
		}
	}
}
