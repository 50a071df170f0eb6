package proof

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/designer"
)

// model is a design as the workloads see it: which column plays which part, and
// what may change across the versions of one entity.
type model struct {
	design *designer.Design
	facts  *designer.Facts
	types  []designer.Type // per source column
	key    []int           // columns that identify an entity; none: every row is its own
	// keyExprs are entries of the key that are no plain columns: two rows that
	// differ in their columns may be the same to them.
	keyExprs []string
	// version, deleted, sign, clock and mark (the watermark) are columns, or -1.
	version, deleted, sign, time, mark int
	fixed                              map[int]bool // columns kept constant across versions
	steady                             []string     // paths of expressions whose value is kept constant
	bounded                            map[int]bool // columns that are added up
	ordering                           map[int]bool // columns that say which row is last
	mined                              map[int][]literal
	conditions                         map[int]bool // columns that a filter or a where depends on
	grain                              map[int]bool // columns that split answers
	zone                               *time.Location
	bucket                             designer.Interval
	now                                time.Time
	settles                            int64 // seconds; 0: nobody knows
}

func newModel(d *designer.Design, facts *designer.Facts) (*model, error) {
	m := &model{design: d, facts: facts, version: -1, deleted: -1, sign: -1, time: -1, mark: -1,
		fixed: map[int]bool{}, bounded: map[int]bool{}, ordering: map[int]bool{},
		mined: map[int][]literal{}, conditions: map[int]bool{}, grain: map[int]bool{}, zone: time.UTC}
	for _, c := range d.Source.Columns {
		m.types = append(m.types, designer.Type(c.Type))
	}
	m.version, m.deleted, m.sign = m.column(d.Source.Version), m.column(d.Source.Deleted), m.column(d.Source.Sign)
	m.mark = -1
	if d.Backfill.Mode == designer.BackfillWatermark {
		m.mark = m.column(d.Backfill.Column)
	}
	if t := d.Grain.Time; t != nil {
		m.time = m.column(t.Column)
		var err error
		if m.bucket, err = designer.ParseInterval(t.Bucket); err != nil {
			return nil, fmt.Errorf("grain.time.bucket: %w", err)
		}
		if m.zone, err = time.LoadLocation(t.Timezone); err != nil {
			return nil, fmt.Errorf("grain.time.timezone: %w", err)
		}
		if d.Stability.Time == designer.Stable {
			m.fixed[m.time] = true
		}
	}
	m.readKey()
	m.readExpressions()
	m.readSettles()
	return m, nil
}

func (m *model) column(name string) int {
	return slices.IndexFunc(m.design.Source.Columns, func(c designer.Column) bool { return c.Name == name && name != "" })
}

// columnsOf gives the columns an expression of the document depends on.
func (m *model) columnsOf(path string) []int {
	var out []int
	for _, name := range m.facts.Exprs[path].Columns {
		if i := m.column(name); i >= 0 {
			out = append(out, i)
		}
	}
	return out
}

// readKey finds the columns that identify an entity. An append-only source over
// an engine that merges rows of equal keys has its sorting key for identity.
func (m *model) readKey() {
	s := m.design.Source
	m.keyExprs = nil
	paths, entries := "source.key", s.Key
	if len(entries) == 0 && (s.Feed != designer.Append || designer.ParseEngine(s.Engine).Replacing()) {
		paths, entries = "source.order_by", s.OrderBy
	}
	for i, entry := range entries {
		if at := m.column(entry); at >= 0 {
			m.key = append(m.key, at)
			continue
		}
		m.key = append(m.key, m.columnsOf(fmt.Sprintf("%s[%d]", paths, i))...)
		m.keyExprs = append(m.keyExprs, entry)
	}
	slices.Sort(m.key)
	m.key = slices.Compact(m.key)
	m.key = slices.DeleteFunc(m.key, func(c int) bool { return c == m.version || c == m.deleted || c == m.sign })
	for _, c := range m.key {
		m.fixed[c] = true
	}
}

// readExpressions learns from the document's expressions what values make a
// difference, and which must not change.
func (m *model) readExpressions() {
	d := m.design
	for _, e := range d.Expressions() {
		columns := m.columnsOf(e.Path)
		switch e.Role {
		case designer.RoleFilter:
			for _, c := range columns {
				m.conditions[c] = true
				m.mined[c] = append(m.mined[c], mine(e.Text, m.types[c])...)
			}
		case designer.RoleDimension:
			for _, c := range columns {
				m.grain[c] = true
				m.mined[c] = append(m.mined[c], mine(e.Text, m.types[c])...)
			}
		case designer.RoleOrder:
			for _, c := range columns {
				m.ordering[c] = true
			}
		}
	}
	for i, metric := range d.Metrics {
		if metric.Kind == designer.Sum || metric.Kind == designer.Avg {
			for _, c := range m.columnsOf(fmt.Sprintf("metrics[%d].expr", i)) {
				m.bounded[c] = true
			}
		}
	}
	if d.Filter != "" && d.Stability.Filter == designer.Stable {
		m.hold("filter", d.Filter)
	}
	for i, x := range d.Grain.Dimensions {
		if d.Stability.Dimensions[x.Name] == designer.Stable {
			m.hold(fmt.Sprintf("grain.dimensions[%d].expr", i), x.Expr)
		}
	}
}

// hold keeps an expression's value constant: by its column where it is one, else
// by choosing among versions those that agree on it.
func (m *model) hold(path, text string) {
	text = strings.Trim(strings.TrimSpace(text), "`")
	if c := m.column(text); c >= 0 {
		m.fixed[c] = true
		return
	}
	m.steady = append(m.steady, path)
}

// changes reports whether entities of this feed have versions.
func (m *model) changes() bool {
	f := m.design.Source.Feed
	return f != designer.Append && f != designer.AtLeastOnce
}

// cancels reports whether a change is announced by the row it takes back.
func (m *model) cancels() bool {
	switch m.design.Source.Feed {
	case designer.Ledger, designer.Collapsing, designer.VersionedCollapsing:
		return true
	}
	return false
}

// inOrder reports whether an entity's rows must arrive in the order in which
// they were made.
func (m *model) inOrder() bool {
	switch m.design.Source.Feed {
	case designer.Ledger, designer.Collapsing:
		return true
	}
	return m.mark >= 0 && m.mark == m.version
}
