package designer

import (
	"fmt"

	"github.com/rollsmith/rollsmith/problem"
)

func (d *Design) checkTiers() error {
	if len(d.Tiers) == 0 {
		return nil
	}
	if d.Grain.Time == nil {
		return problem.Field("tiers-without-time", "tiers", "", "tiers are buckets of time, and the grain has none", "add grain.time, or leave the tiers out")
	}
	column := d.Source.Column(d.Grain.Time.Column)
	zone, _ := ParseZone(d.Grain.Time.Timezone)
	var finer *Interval
	for i, t := range d.Tiers {
		at := fmt.Sprintf("tiers[%d].", i)
		iv, err := ParseInterval(t.Bucket)
		if err != nil {
			return problem.Field("unknown-bucket", at+"bucket", t.Bucket, "not a bucket", `a number and a unit, such as "5 minute"`)
		}
		d.Tiers[i].Bucket = iv.String()
		if iv.SubDay() && column != nil && Type(column.Type).DateOnly() {
			return problem.Field("bucket-finer-than-column", at+"bucket", t.Bucket, fmt.Sprintf("%s is a %s: it has no time of day", column.Name, column.Type), "a bucket of a day or longer")
		}
		if err := checkInterval(at+"ttl", t.TTL, ""); err != nil {
			return err
		}
		if finer != nil && !finer.Nests(iv, zone) {
			return problem.Field("tiers-do-not-nest", at+"bucket", t.Bucket, fmt.Sprintf("buckets of %s do not fill buckets of %s: some lie in two of them (zone %s)", finer, iv, zone.Name), nestHint(iv, zone))
		}
		finer = &iv
	}
	last, _ := ParseInterval(d.Tiers[len(d.Tiers)-1].Bucket)
	if grain, err := ParseInterval(d.Grain.Time.Bucket); err == nil && grain != last {
		return problem.Field("last-tier-is-not-grain", fmt.Sprintf("tiers[%d].bucket", len(d.Tiers)-1), last.String(), "the last tier is the grain's bucket", fmt.Sprintf("end with %q", grain))
	}
	return nil
}
