package hazard

import (
	"time"
	_ "time/tzdata" // zones are known wherever the program runs
)

var grainCoarserThanOffset = &Rule{
	Code:     "grain-coarser-than-timezone-offset",
	Title:    "Buckets of one zone are read as days of another",
	Doc:      "Hours kept in UTC do not make up days of a zone whose offset is no whole number of hours, and days of one zone never make up days of another.",
	Severity: Error,
	View:     checkGrainOffset,
	Reading:  checkGrainOffsetRead,
}

func checkGrainOffset(v *View) []Finding {
	exprs := append([]*Expr{}, v.group()...)
	for _, o := range v.outputs {
		exprs = append(exprs, o.expr)
	}
	for _, w := range v.writers {
		for _, e := range exprs {
			if f := splitBucket(e, w, v.columnType, v.def.Name); w.err == nil && f != nil {
				return f
			}
		}
	}
	return nil
}

func checkGrainOffsetRead(r *Reading) []Finding {
	for _, s := range r.scopes {
		if s.flat == nil || s.table == nil {
			continue
		}
		of := func(name string) string {
			if c := s.table.column(name); c != nil {
				return c.Type
			}
			return ""
		}
		for _, e := range append(append([]*Expr{}, s.flat.outputs...), append(s.flat.group, s.flat.filters...)...) {
			for _, w := range s.views {
				if f := splitBucket(e, w, of, "The query"); f != nil {
					return f
				}
			}
		}
	}
	return nil
}

// splitBucket finds a rounding, in another zone, of a bucket that the view
// below wrote and that the zone's edges cut.
func splitBucket(e *Expr, lower *View, of func(string) string, who string) []Finding {
	var found []Finding
	e.walk(func(x *Expr) {
		b := bucketOf(x)
		if b.base == nil || found != nil {
			return
		}
		zone := b.zone
		if zone == "" {
			zone, _ = zoneOf(typeOf(b.base, of))
		}
		for _, c := range b.base.columns() {
			o := lower.output(c)
			if o == nil {
				continue
			}
			low := bucketOf(o.expr)
			own := lower.bucketZone(low, of(c))
			if low.base == nil || zone == "" || own == zone || !cuts(own, zone, low.seconds()) {
				continue
			}
			found = one(
				sentence("%s reads buckets of %s, kept in %s, as %s: the edges there cut through buckets.", who, c, own, x.String()),
				sentence("%s in %s; %s", o.shown(), lower.full(), x.String()),
				sentence("Keep a tier bucketed in %s, or one of 15 minutes.", zone))
		}
	})
	return found
}

// bucketZone is the zone a view's bucket is cut in.
func (v *View) bucketZone(b bucket, stored string) string {
	if b.base == nil {
		return ""
	}
	if b.zone != "" {
		return b.zone
	}
	if zone, ok := zoneOf(v.typeOf(b.base)); ok {
		return zone
	}
	if zone, ok := zoneOf(stored); ok {
		return zone
	}
	return "UTC"
}

// cuts tells whether the offset between two zones is, at some time of the
// years 2015 to 2027, no multiple of a bucket of so many seconds.
func cuts(a, b string, seconds int) bool {
	za, errA := time.LoadLocation(a)
	zb, errB := time.LoadLocation(b)
	if errA != nil || errB != nil || seconds == 0 {
		return false
	}
	for t := time.Date(2015, 1, 15, 0, 0, 0, 0, time.UTC); t.Year() < 2028; t = t.AddDate(0, 1, 0) {
		_, offA := t.In(za).Zone()
		_, offB := t.In(zb).Zone()
		if (offA-offB)%seconds != 0 {
			return true
		}
	}
	return false
}
