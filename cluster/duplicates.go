package cluster

import (
	"context"
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
)

// Duplicates is the duplicate factor by the age of the data: rows for each
// distinct entity. Fresh data of a replacing table is full of copies, and merges
// take them away with time.
type Duplicates struct {
	By      string      `json:"by"`                // the time column, or "part modification time"
	ByParts bool        `json:"by_parts"`          // merging makes a part young again, so ages are too low
	Key     []string    `json:"key,omitempty"`     // of an entity; empty where whole rows were compared
	Buckets []AgeBucket `json:"buckets"`           // from young to old
	Settled string      `json:"settled,omitempty"` // the age from which on the factor is under 1.01; empty if none
	Advice  string      `json:"advice,omitempty"`
	Basis   Basis       `json:"basis"`
}

// AgeBucket is the data of one range of ages.
type AgeBucket struct {
	Label  string  `json:"label"` // "under 10 minutes", …
	From   uint64  `json:"from_seconds"`
	Until  uint64  `json:"until_seconds"` // 0: no end
	Rows   uint64  `json:"rows"`
	Keys   uint64  `json:"keys"`
	Factor float64 `json:"factor"`
}

// alarmFactor is the duplicate factor above which old data is worth an alert.
const alarmFactor = 1.01

// ages are the buckets' beginnings in seconds, with what comes before each.
var ages = []struct {
	from  uint64
	label string
}{
	{0, "under 10 minutes"}, {600, "10 minutes to 1 hour"}, {3600, "1 to 6 hours"}, {6 * 3600, "6 hours to 1 day"},
	{86400, "1 to 2 days"}, {2 * 86400, "2 to 3 days"}, {3 * 86400, "3 to 7 days"}, {7 * 86400, "7 to 30 days"}, {30 * 86400, "over 30 days"},
}

// importTimes are columns that tell when a row was written here, by convention.
var importTimes = []string{"_peerdb_synced_at", "_fivetran_synced", "_airbyte_extracted_at", "_sdc_batched_at", "inserted_at", "_inserted_at", "ingested_at",
	"_ingested_at", "ingest_time", "insert_time", "import_time", "imported_at", "loaded_at", "_loaded_at", "received_at", "synced_at", "_synced_at", "arrived_at"}

// importTime finds the column that tells when a row was written.
func importTime(s designer.Source) string {
	for _, name := range importTimes {
		for _, c := range s.Columns {
			if c.Name == name && isTime(c.Type) {
				return name
			}
		}
	}
	return ""
}

func isTime(typ string) bool {
	t := strings.TrimPrefix(strings.TrimPrefix(typ, "LowCardinality("), "Nullable(")
	return strings.HasPrefix(t, "DateTime")
}

const duplicatesSQL = `SELECT toUInt8(__age) AS age, toUInt64(count()) AS rows, toUInt64(uniqExact(__k)) AS keys
FROM (
    SELECT %s AS __k, %s AS __age
    FROM %s
    WHERE %s
)
GROUP BY age
ORDER BY age`

func (c *Cluster) measureDuplicates(ctx context.Context, m *Measurement) error {
	s := m.Source
	d := &Duplicates{By: importTime(s), Key: s.Key}
	key := keyTuple(s)
	if !hasKey(s) {
		d.Key, key = nil, hashOf(told(s))
	} else if len(d.Key) == 0 {
		d.Key = s.OrderBy
	}
	sample := m.wideSample(key)
	if !hasKey(s) && !sample.Whole {
		var err error
		if sample, err = c.sampleYoung(ctx, s); err != nil {
			return err
		}
	}
	age := ""
	if d.By != "" {
		age = ageOf("dateDiff('second', " + ident(d.By) + ", now())")
	} else {
		by, err := c.partAges(ctx, s)
		if err != nil {
			return err
		}
		d.By, d.ByParts, age = "part modification time", true, by
		d.Advice = "Merging makes a part young again, so these ages are too low. A column such as inserted_at DateTime DEFAULT now() would tell the age of a row itself."
	}
	ask := Ask{For: "duplicate probe", Limit: Probe, SQL: fmt.Sprintf(duplicatesSQL, key, age, tableName(s.Database, s.Table), sample.Where)}
	type bucket struct {
		Age  uint8  `ch:"age"`
		Rows uint64 `ch:"rows"`
		Keys uint64 `ch:"keys"`
	}
	found, cost, err := Rows[bucket](ctx, c, ask)
	if err != nil {
		return err
	}
	d.Basis = m.measured(ask, cost, sample)
	if d.ByParts && d.Basis.Confidence == High {
		d.Basis.Confidence = Medium
	}
	for _, b := range found {
		a := AgeBucket{Label: ages[b.Age].label, From: ages[b.Age].from, Rows: b.Rows, Keys: b.Keys, Factor: float64(b.Rows) / float64(b.Keys)}
		if int(b.Age)+1 < len(ages) {
			a.Until = ages[b.Age+1].from
		}
		d.Buckets = append(d.Buckets, a)
	}
	d.settle()
	m.Duplicates = d
	return nil
}

// ageOf sorts an age in seconds into the buckets.
func ageOf(seconds string) string {
	var b strings.Builder
	b.WriteString("multiIf(")
	for i := len(ages) - 1; i > 0; i-- {
		fmt.Fprintf(&b, "%s >= %d, %d, ", seconds, ages[i].from, i)
	}
	return b.String() + "0)"
}

// mostPartAges bounds how many parts go into one expression.
const mostPartAges = 2000

// partAges maps the virtual column _part to an age bucket.
func (c *Cluster) partAges(ctx context.Context, s designer.Source) (string, error) {
	type part struct {
		Name string `ch:"name"`
		Age  int64  `ch:"age"`
	}
	parts, _, err := Rows[part](ctx, c, Ask{For: "choose a sample", SQL: query("part_ages"), Params: map[string]any{"database": s.Database, "table": s.Table, "most": mostPartAges}})
	if err != nil {
		return "", err
	}
	if len(parts) == 0 {
		return "0", nil
	}
	var from, to []string
	for _, p := range parts {
		bucket := 0
		for i, a := range ages {
			if p.Age >= int64(a.from) {
				bucket = i
			}
		}
		from, to = append(from, literal(p.Name)), append(to, fmt.Sprint(bucket))
	}
	return fmt.Sprintf("transform(toString(_part), [%s], [%s], %d)", strings.Join(from, ", "), strings.Join(to, ", "), len(ages)-1), nil
}

// settle finds the age from which on every older bucket is all but free of copies.
func (d *Duplicates) settle() {
	for i := len(d.Buckets) - 1; i >= 0; i-- {
		if d.Buckets[i].Factor > alarmFactor {
			return
		}
		switch from := d.Buckets[i].From; {
		case from == 0:
			d.Settled = "0 second"
		case from%86400 == 0:
			d.Settled = fmt.Sprintf("%d day", from/86400)
		case from%3600 == 0:
			d.Settled = fmt.Sprintf("%d hour", from/3600)
		default:
			d.Settled = fmt.Sprintf("%d minute", from/60)
		}
	}
}
