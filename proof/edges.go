package proof

import (
	"math/rand/v2"
	"time"

	"github.com/rollsmith/rollsmith/designer"
)

// edges gives the instants around which a workload's times gather: changes of
// the zone's clocks, bucket edges, borders of months and years.
func edges(rng *rand.Rand, zone *time.Location, bucket designer.Interval) []time.Time {
	year := 2019 + rng.IntN(8)
	anchors := []time.Time{
		time.Date(year, 3, 1, 0, 0, 0, 0, zone),
		time.Date(year, 1, 1, 0, 0, 0, 0, zone),
		time.Date(year, 12, 31, 23, 0, 0, 0, time.UTC),
		time.Date(2024, 2, 29, 0, 0, 0, 0, zone),
		time.Date(year, 7, 1, 0, 0, 0, 0, time.UTC),
	}
	if change, ok := clockChange(zone, year, rng.IntN(2)); ok {
		anchors = append(anchors, change, change, change)
	}
	step := time.Duration(bucket.Seconds()) * time.Second
	if step > 40*24*time.Hour {
		step = 40 * 24 * time.Hour
	}
	if step == 0 {
		step = time.Hour
	}
	moves := []time.Duration{0, 0, -time.Second, time.Second, step, -step, step / 2, 30 * time.Minute, time.Hour, 23 * time.Hour}
	var out []time.Time
	anchor := pick(rng, anchors)
	for range 2 + rng.IntN(4) {
		if rng.IntN(5) == 0 {
			anchor = pick(rng, anchors)
		}
		at := anchor.Add(pick(rng, moves))
		if rng.IntN(4) == 0 {
			at = at.Add(time.Duration(rng.IntN(1000)) * time.Millisecond)
		}
		if at.After(dateTimeStart) && at.Before(dateTimeEnd) {
			out = append(out, at)
		}
	}
	if len(out) == 0 {
		out = append(out, anchors[0])
	}
	return out
}

// clockChange finds the n-th instant of a year at which the zone's clocks are
// set forward or back.
func clockChange(zone *time.Location, year, n int) (time.Time, bool) {
	var found []time.Time
	at := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
	_, before := at.In(zone).Zone()
	for ; at.Year() == year; at = at.Add(time.Hour) {
		if _, offset := at.In(zone).Zone(); offset != before {
			found, before = append(found, at), offset
		}
	}
	if len(found) == 0 {
		return time.Time{}, false
	}
	return found[n%len(found)], true
}
