package designer

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rollsmith/rollsmith/problem"
)

// Bounds of a document; a larger one is no design but an accident.
const (
	MaxMetrics    = 200
	MaxDimensions = 50
	MaxColumns    = 2000
	maxName       = 200
)

// Check refuses what no engine is needed to refuse: missing and unknown names,
// kinds, buckets and units. It gives the first problem in document order.
func (d *Design) Check() error {
	for _, step := range []func() error{d.checkHead, d.checkSource, d.checkGrain, d.checkMetrics, d.checkStability, d.checkTiers, d.checkDelivery} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (d *Design) checkHead() error {
	if d.Format != 1 {
		return problem.Field("unknown-format", "format", fmt.Sprint(d.Format), "the document's format is not known", `write "format": 1`)
	}
	if err := checkName("name", d.Name); err != nil {
		return err
	}
	return nil
}

// checkName refuses names that no table or column can have.
func checkName(field, name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return problem.Field("missing-name", field, name, "a name is missing", "give it one")
	case !utf8.ValidString(name) || strings.ContainsAny(name, "\x00\n\r"):
		return problem.Field("bad-name", field, name, "the name has characters that no ClickHouse name can have", "leave out line ends and control characters")
	case len(name) > maxName:
		return problem.Field("bad-name", field, name[:40]+"…", fmt.Sprintf("the name has %d bytes", len(name)), fmt.Sprintf("at most %d", maxName))
	}
	return nil
}

// checkNames takes pairs of a field and the name in it.
func checkNames(pairs ...string) error {
	for i := 0; i < len(pairs); i += 2 {
		if err := checkName(pairs[i], pairs[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func oneOf[T ~string](code, field string, value T, allowed []T) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	words := make([]string, len(allowed))
	for i, a := range allowed {
		words[i] = string(a)
	}
	return problem.Field(code, field, string(value), "not one of the known values", "one of: "+strings.Join(words, ", "))
}

func (d *Design) checkSource() error {
	s := d.Source
	if err := checkNames("source.database", s.Database, "source.table", s.Table); err != nil {
		return err
	}
	if err := oneOf("unknown-feed", "source.feed", s.Feed, Feeds); err != nil {
		return err
	}
	if len(s.Columns) == 0 {
		return problem.Field("missing-columns", "source.columns", "", "the source has no columns", "list them as rollsmith introspect does")
	}
	if len(s.Columns) > MaxColumns {
		return problem.Field("too-many-columns", "source.columns", fmt.Sprint(len(s.Columns)), "the source has too many columns", fmt.Sprintf("list at most %d: those that the design uses", MaxColumns))
	}
	seen := map[string]bool{}
	for i, c := range s.Columns {
		field := fmt.Sprintf("source.columns[%d].name", i)
		if err := checkName(field, c.Name); err != nil {
			return err
		}
		if seen[c.Name] {
			return problem.Field("repeated-name", field, c.Name, "two columns have this name", "list each column once")
		}
		seen[c.Name] = true
		if strings.TrimSpace(c.Type) == "" {
			return problem.Field("missing-type", fmt.Sprintf("source.columns[%d].type", i), "", "the column has no type", "write it as ClickHouse does, such as UInt64")
		}
	}
	return d.checkFeed()
}

// checkFeed refuses a feed without the columns it is told by, or over an
// engine whose merges would destroy it.
func (d *Design) checkFeed() error {
	s := d.Source
	for _, c := range []struct{ field, name string }{{"source.version", s.Version}, {"source.deleted", s.Deleted}, {"source.sign", s.Sign}} {
		if c.name != "" && s.Column(c.name) == nil {
			return problem.Field("unknown-column", c.field, c.name, "the source has no such column", "columns: "+columnNames(s))
		}
	}
	if err := s.checkFlags(); err != nil {
		return err
	}
	need := func(field, name, what string) error {
		if name != "" {
			return nil
		}
		return problem.Field("missing-"+strings.TrimPrefix(field, "source."), field, "", fmt.Sprintf("feed %s needs %s", s.Feed, what), "name the column, or choose the feed that fits")
	}
	var errs []error
	switch s.Feed {
	case Upsert:
		errs = append(errs, need("source.version", s.Version, "a version column: without one nothing says which row of a key is the latest"))
	case Ledger:
		errs = append(errs, need("source.version", s.Version, "a version column"), need("source.deleted", s.Deleted, "a delete flag that marks its cancel rows"))
	case Collapsing:
		errs = append(errs, need("source.sign", s.Sign, "a sign column"))
	case VersionedCollapsing:
		errs = append(errs, need("source.sign", s.Sign, "a sign column"), need("source.version", s.Version, "a version column"))
	}
	if s.Tombstones != "" {
		if s.Feed != Upsert {
			errs = append(errs, problem.Field("tombstones-without-upsert", "source.tombstones", s.Tombstones, fmt.Sprintf("feed %s has no tombstones", s.Feed), "leave the field out"))
		}
		errs = append(errs, oneOf("unknown-tombstones", "source.tombstones", s.Tombstones, []string{"old_values", "defaults", Unknown}))
	}
	if s.Feed != Append && len(s.Key) == 0 {
		errs = append(errs, problem.Field("missing-key", "source.key", "", fmt.Sprintf("feed %s over %s needs the entity key: its sorting key does not say which rows are the same one", s.Feed, s.Engine), "list the columns that identify one logical row"))
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return d.checkEngine()
}

// rowless are engines that pass rows on and keep none.
var rowless = []string{"Null", "Kafka", "RabbitMQ", "NATS", "S3Queue", "AzureQueue", "FileLog", "Buffer", "View", "MaterializedView", "Dictionary"}

// checkFlags refuses columns whose type cannot tell what they are there to tell.
func (s Source) checkFlags() error {
	bad := func(field, name, why, hint string) error {
		return problem.Field(field+"-type", "source."+field, name, fmt.Sprintf("it is %s: %s", s.Column(name).Type, why), hint)
	}
	if s.Feed == Append || s.Feed == AtLeastOnce {
		return nil // events have no use for them
	}
	if t := s.typeOf(s.Deleted); t != "" && (!t.Integer() || t.Nullable()) {
		return bad("deleted", s.Deleted, "a delete flag is 0 in rows that live, and never NULL", "a UInt8 or Bool column; add one to the source, such as deleted UInt8 MATERIALIZED ifNull("+s.Deleted+" = 'true', 0)")
	}
	if t := s.typeOf(s.Sign); t != "" && (!t.Integer() || t.Nullable() || t.Signed() != t || t.Family() == "Bool") {
		return bad("sign", s.Sign, "a sign is 1 in state rows and -1 in cancel rows", "an Int8 column")
	}
	if t := s.typeOf(s.Version); t.Nullable() {
		return bad("version", s.Version, "a row whose version is NULL is neither older nor newer than another", "a column that is never NULL")
	}
	return nil
}

// typeOf gives the type of a column, or "" where there is none.
func (s Source) typeOf(name string) Type {
	if c := s.Column(name); c != nil && name != "" {
		return Type(c.Type)
	}
	return ""
}

func (d *Design) checkEngine() error {
	s, engine := d.Source, ParseEngine(d.Source.Engine)
	collapsing := s.Feed == Collapsing || s.Feed == VersionedCollapsing
	wrong := func(why, hint string) error {
		return problem.Field("engine-contradicts-feed", "source.feed", string(s.Feed), fmt.Sprintf("the source is a %s: %s", engine.Name, why), hint)
	}
	switch {
	case engine.Name == "Distributed":
		local := bareArg(engine, 1) + "." + bareArg(engine, 2)
		return problem.Field("source-is-distributed", "source.engine", s.Engine, "a view on a Distributed table sees only what is inserted through it, not what reaches the shards", fmt.Sprintf("design on the local table %s, with deployment.on_cluster %q", local, bareArg(engine, 0)))
	case slices.Contains(rowless, engine.Name):
		return problem.Field("source-keeps-no-rows", "source.engine", s.Engine, fmt.Sprintf("a %s table keeps no rows to compare with", engine.Name), "design on the table that its rows are stored in")
	case engine.CollapsingKind() && !collapsing:
		return wrong("its merges cancel rows by sign", "feed collapsing or versioned_collapsing")
	case engine.Replacing() && collapsing:
		return wrong("its merges keep one row per key and lose the cancel rows", "feed ledger or upsert")
	case engine.Folding():
		return wrong("its merges add rows up, so its rows are no events", "design the rollup on the table that feeds it")
	}
	if (engine.Replacing() || engine.CollapsingKind()) && len(s.Key) > 0 {
		for i, k := range s.Key {
			if !slices.Contains(s.OrderBy, k) {
				return problem.Field("key-finer-than-sorting-key", fmt.Sprintf("source.key[%d]", i), k, fmt.Sprintf("the sorting key (%s) lacks it, so merges of the source take rows of different entities for one", strings.Join(s.OrderBy, ", ")), "the key can be the sorting key, or a part of it")
			}
		}
	}
	return nil
}

func columnNames(s Source) string {
	var names []string
	for i, c := range s.Columns {
		if i == 12 {
			names = append(names, "…")
			break
		}
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

func (d *Design) checkGrain() error {
	if t := d.Grain.Time; t != nil {
		if err := checkName("grain.time.name", t.Name); err != nil {
			return err
		}
		if err := d.checkTime(); err != nil {
			return err
		}
		iv, err := ParseInterval(t.Bucket)
		if err != nil {
			return problem.Field("unknown-bucket", "grain.time.bucket", t.Bucket, "not a bucket", "a number and a unit: "+join(unitNames))
		}
		if _, err := ParseZone(t.Timezone); err != nil {
			return problem.Field("unknown-timezone", "grain.time.timezone", t.Timezone, "not a time zone", "an IANA name, such as UTC or Europe/Berlin")
		}
		if c := d.Source.Column(t.Column); c != nil && Type(c.Type).DateOnly() && iv.SubDay() {
			return problem.Field("bucket-finer-than-column", "grain.time.bucket", t.Bucket, fmt.Sprintf("%s is a %s: it has no time of day", t.Column, c.Type), "a bucket of a day or longer")
		}
	}
	if n := len(d.Grain.Dimensions); n > MaxDimensions {
		return problem.Field("too-many-dimensions", "grain.dimensions", fmt.Sprint(n), "too many dimensions", fmt.Sprintf("at most %d", MaxDimensions))
	}
	for i, x := range d.Grain.Dimensions {
		if err := checkName(fmt.Sprintf("grain.dimensions[%d].name", i), x.Name); err != nil {
			return err
		}
		if strings.TrimSpace(x.Expr) == "" {
			return problem.Field("missing-expr", fmt.Sprintf("grain.dimensions[%d].expr", i), "", "the dimension has no expression", "a column or an expression over columns")
		}
	}
	return d.checkAnswer()
}

// checkAnswer refuses answers with two columns of one name.
func (d *Design) checkAnswer() error {
	seen := map[string]string{}
	take := func(field, name string) error {
		if other, ok := seen[name]; ok {
			return problem.Field("repeated-name", field, name, "the name is taken by "+other, "columns of an answer need different names")
		}
		seen[name] = field
		return nil
	}
	if t := d.Grain.Time; t != nil {
		if err := take("grain.time.name", t.Name); err != nil {
			return err
		}
	}
	for i, x := range d.Grain.Dimensions {
		if err := take(fmt.Sprintf("grain.dimensions[%d].name", i), x.Name); err != nil {
			return err
		}
	}
	for i, m := range d.Metrics {
		if err := take(fmt.Sprintf("metrics[%d].name", i), m.Name); err != nil {
			return err
		}
	}
	return nil
}

func (d *Design) checkStability() error {
	s := d.Stability
	values := []string{Stable, Mutable, Unknown}
	if s.Time != "" {
		if err := oneOf("unknown-stability", "stability.time", s.Time, values); err != nil {
			return err
		}
	}
	if s.Filter != "" {
		if err := oneOf("unknown-stability", "stability.filter", s.Filter, values); err != nil {
			return err
		}
	}
	names := make([]string, 0, len(s.Dimensions))
	for name := range s.Dimensions {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		field := "stability.dimensions." + name
		if !slices.ContainsFunc(d.Grain.Dimensions, func(x Dimension) bool { return x.Name == name }) {
			return problem.Field("unknown-dimension", field, name, "the grain has no such dimension", "name one of grain.dimensions")
		}
		if err := oneOf("unknown-stability", field, s.Dimensions[name], values); err != nil {
			return err
		}
	}
	return checkInterval("stability.settles", s.Settles, "")
}

// checkInterval accepts "", the word and an interval.
func checkInterval(field, value, word string) error {
	if value == "" || value == word {
		return nil
	}
	if _, err := ParseInterval(value); err != nil {
		hint := `a number and a unit, such as "7 day"`
		if word != "" {
			hint = fmt.Sprintf("%q, or %s", word, hint)
		}
		return problem.Field("unknown-interval", field, value, "not a length of time", hint)
	}
	return nil
}

func (d *Design) checkDelivery() error {
	if err := checkInterval("freshness", d.Freshness, "insert"); err != nil {
		return err
	}
	if err := checkNames("target.database", d.Target.Database, "target.prefix", d.Target.Prefix); err != nil {
		return err
	}
	if n := fileLength(d.Target.Prefix); n > maxPrefix {
		return problem.Field("bad-name", "target.prefix", d.Target.Prefix, fmt.Sprintf("a server's files would be named after it in %d bytes, each of a character outside a-z, A-Z, 0-9 and _ taking three", n), fmt.Sprintf("at most %d", maxPrefix))
	}
	if d.Target.Database == d.Source.Database && d.Target.Prefix == d.Source.Table {
		return problem.Field("target-is-source", "target.prefix", d.Target.Prefix, "the read view would have the source's own name", "another prefix, or another database")
	}
	return d.checkBackfill()
}

func (d *Design) checkBackfill() error {
	b := d.Backfill
	if err := oneOf("unknown-backfill", "backfill.mode", b.Mode, []string{BackfillNone, BackfillOverlap, BackfillWatermark, BackfillPause}); err != nil {
		return err
	}
	if b.Mode != BackfillWatermark {
		if b.Column != "" || b.Value != "" {
			return problem.Field("watermark-not-used", "backfill.mode", b.Mode, "column and value belong to mode watermark", `write "mode": "watermark", or leave them out`)
		}
		return nil
	}
	c := d.Source.Column(b.Column)
	switch {
	case c == nil:
		return problem.Field("unknown-column", "backfill.column", b.Column, "the source has no such column", "a column that grows with arrival: "+columnNames(d.Source))
	case b.Value == "":
		return problem.Field("missing-watermark", "backfill.value", "", "the watermark has no value", "the last value that the backfill takes, in the column's text form")
	case Type(c.Type).Nullable():
		return problem.Field("watermark-nullable", "backfill.column", b.Column, "rows whose watermark is NULL are on neither side of it", "a column that is never NULL")
	case !Type(c.Type).reads(b.Value):
		return problem.Field("watermark-value", "backfill.value", b.Value, fmt.Sprintf("it is no value of %s, which is %s", c.Name, c.Type), "the last value that the backfill takes, in the column's text form, such as 1000 or 2026-01-31 12:00:00")
	}
	return nil
}

// maxPrefix leaves room for what is put behind a prefix in the 200 or so bytes
// that servers allow the name of a table's folder.
const maxPrefix = 160

// fileLength gives how long a table's name is as a server's folder.
func fileLength(name string) int {
	n := 0
	for i := range len(name) {
		if c := name[i]; c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			n++
		} else {
			n += len("%FF")
		}
	}
	return n
}

func join(words []string) string { return strings.Join(words, ", ") }

// bareArg gives an engine argument without the quotes of a string.
func bareArg(e Engine, i int) string { return strings.Trim(e.Arg(i), "'") }
