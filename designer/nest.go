package designer

import (
	"fmt"
	"time"
	_ "time/tzdata" // zones must not depend on the machine
)

// Zone is what nesting needs to know of a time zone: its offsets from UTC.
type Zone struct {
	Name    string
	offsets []int64 // seconds, since 1970
}

// ParseZone reads an IANA name such as Asia/Kolkata.
func ParseZone(name string) (Zone, error) {
	loc, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return Zone{}, fmt.Errorf("%q is no time zone", name)
	}
	z := Zone{Name: name}
	for t := time.Unix(0, 0); t.Year() < 2100; {
		_, offset := t.In(loc).Zone()
		z.offsets = append(z.offsets, int64(offset))
		_, end := t.In(loc).ZoneBounds()
		if end.IsZero() {
			break
		}
		if !end.After(t) {
			// Beyond the file's last transition, Go's rules can end a period on the
			// very last second of a year, where the next one does not begin.
			end = t.AddDate(0, 0, 1)
		}
		t = end
	}
	return z, nil
}

// multiples reports whether all offsets are whole multiples of n seconds.
func (z Zone) multiples(n int64) bool {
	for _, o := range z.offsets {
		if o%n != 0 {
			return false
		}
	}
	return true
}

// wholeHourShifts reports whether the clocks only ever change by whole hours.
func (z Zone) wholeHourShifts() bool {
	for _, o := range z.offsets {
		if (o-z.offsets[0])%3600 != 0 {
			return false
		}
	}
	return true
}

// UTC reports whether the zone is always UTC.
func (z Zone) UTC() bool { return z.multiples(1 << 40) }

// Nests reports whether every bucket of i lies in one bucket of coarser, both
// taken in zone z, so that states of i can be merged into states of coarser
// (DESIGN §3.7). The rules are those of toStartOfInterval as measured: seconds
// and minutes are counted in UTC, hours from local midnight, several days from
// 1970-01-01, weeks from Monday, months within the calendar.
func (i Interval) Nests(coarser Interval, z Zone) bool {
	fineMonths, fine := i.months()
	coarseMonths, coarse := coarser.months()
	s, cs := i.Seconds(), coarser.Seconds()
	switch {
	case i == coarser, coarser.SubDay() && !i.SubDay():
		return false
	case fine:
		return coarse && coarseMonths > fineMonths && coarseMonths%fineMonths == 0
	case i.SubDay() && coarser.SubDay():
		return cs > s && cs%s == 0 && i.nestsInClock(coarser, z)
	case i.Unit == "hour":
		return 24%i.N == 0
	case i.SubDay():
		return 86400%s == 0 && z.multiples(s)
	case i.Unit == "day" && i.N == 1:
		return coarser.Unit != "day" || z.UTC()
	case i.Unit == "day":
		return coarser.Unit == "day" && cs > s && cs%s == 0 && z.UTC()
	case i.Unit == "week":
		return coarser.Unit == "week" && cs > s && cs%s == 0
	}
	return false
}

// nestsInClock judges buckets below a day whose lengths already divide.
func (i Interval) nestsInClock(coarser Interval, z Zone) bool {
	switch {
	case i.Unit == coarser.Unit && i.Unit != "hour":
		return true
	case coarser.Unit == "minute":
		return 60%i.Seconds() == 0
	case i.Unit == "hour":
		return 24%coarser.N == 0 && z.wholeHourShifts()
	}
	return 3600%i.Seconds() == 0 && z.multiples(i.Seconds()) &&
		(coarser.N == 1 || 24%coarser.N == 0 && z.wholeHourShifts())
}

// nestHint names buckets that fill the coarser one in zone z.
func nestHint(coarser Interval, z Zone) string {
	var fits []string
	for _, c := range []string{"1 minute", "5 minute", "15 minute", "1 hour", "1 day", "1 week", "1 month", "1 quarter"} {
		if iv, err := ParseInterval(c); err == nil && iv.Nests(coarser, z) {
			fits = append(fits, c)
		}
	}
	if len(fits) == 0 {
		return "no smaller bucket fills it; choose another coarse one"
	}
	return fmt.Sprintf("into %s go: %s", coarser, join(fits))
}
