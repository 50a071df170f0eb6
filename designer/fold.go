package designer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer/ddl"
)

// Mode says how a fold over inserted rows takes back what a cancel row cancels.
type Mode int

const (
	Plain  Mode = iota // nothing is ever taken back
	ByFlag             // kept apart by the deleted flag, subtracted at read
	BySign             // weighted by the sign column when inserted
)

// Component is one stored column of a fold: what the view computes per inserted
// block, and how a coarser tier merges it.
type Component struct {
	Name  string
	Type  Type   // of the value; of the state where State is set
	Add   string // sum, min or max: how values of one group combine; "" for states
	State string // the aggregate function with its parameters; "" for plain values
	View  string // what the view computes
	Bare  string // the same as a finished value
}

// ColumnType gives the column's type in an AggregatingMergeTree.
func (c Component) ColumnType() string {
	if c.State != "" {
		return string(c.Type)
	}
	return fmt.Sprintf("SimpleAggregateFunction(%s, %s)", c.Add, c.Type)
}

// Merge gives the expression by which a coarser tier takes the column over.
func (c Component) Merge() string {
	if c.State == "" {
		return ddl.Call(c.Add, ddl.Ident(c.Name))
	}
	return mergeCall(c.State, "MergeState", c.Name)
}

// mergeCall prints uniqExactMerge(c), quantileExactMergeState(0.5)(c).
func mergeCall(state, combinator, column string) string {
	for i := range state {
		if state[i] == '(' {
			return state[:i] + combinator + state[i:] + "(" + ddl.Ident(column) + ")"
		}
	}
	return state + combinator + "(" + ddl.Ident(column) + ")"
}

// Fold is the design's question split into what a view can add up block by
// block, and how the sum is read.
type Fold struct {
	r    *Rollup
	Mode Mode
	Rows *Rows
	// Flag is the stored column that tells cancelled contributions (ByFlag).
	Flag string
	// Count is the hidden row count: a grain whose rows have all been taken
	// back has none, and vanishes from the answer. It is empty where nothing is
	// ever taken back and every stored row stands for at least one of the source.
	Count      string
	Components []Component
	Reads      []ddl.Item // the metrics, by their names, over the stored columns
	sign       string
	taken      []string
}

// NewFold splits the design's metrics over rows taken from source. counted adds
// the hidden row count: a SummingMergeTree drops rows whose totals are all zero,
// and a cancelled grain must be told from a live one.
func (r *Rollup) NewFold(mode Mode, counted bool, source ddl.Select) *Fold {
	return r.foldOver(mode, counted, r.NewRows(source))
}

// FlatFold splits them over rows without inner names.
func (r *Rollup) FlatFold() *Fold { return r.foldOver(Plain, false, r.NewFlatRows(ddl.Select{})) }

func (r *Rollup) foldOver(mode Mode, counted bool, rows *Rows) *Fold {
	f := &Fold{r: r, Mode: mode, Rows: rows}
	f.taken = append(r.GrainNames(), r.MetricNames()...)
	if mode == ByFlag {
		f.Flag = f.free("cancelled")
	}
	if mode == BySign {
		f.sign = ddl.Ident(r.Inner("sign"))
		f.Rows.Add(r.Inner("sign"), ddl.Ident(r.Source.Sign))
	}
	if counted {
		f.Count = f.count("rows", "")
	}
	for _, m := range r.Measures {
		if m.Kind != Ratio {
			f.Reads = append(f.Reads, ddl.As(f.measure(m), m.Name))
		}
	}
	reads := f.Reads
	f.Reads = nil
	for _, m := range r.Measures {
		if m.Kind == Ratio {
			f.Reads = append(f.Reads, ddl.As(Divide(exprOf(reads, m.Numerator), exprOf(reads, m.Denominator)), m.Name))
		} else {
			f.Reads = append(f.Reads, ddl.As(exprOf(reads, m.Name), m.Name))
		}
	}
	return f
}

func exprOf(items []ddl.Item, name string) string {
	for _, it := range items {
		if it.Alias == name {
			return it.Expr
		}
	}
	return "NULL"
}

// free gives a column name that neither the answer nor another column has.
func (f *Fold) free(name string) string {
	for slices.Contains(f.taken, name) {
		name += "_"
	}
	f.taken = append(f.taken, name)
	return name
}

// add stores a component once, however many metrics need it.
func (f *Fold) add(c Component) string {
	for _, have := range f.Components {
		if have.View == c.View && have.Type == c.Type {
			return have.Name
		}
	}
	// SummingMergeTree takes a dot for a nested column's.
	c.Name = f.free(strings.ReplaceAll(c.Name, ".", "_"))
	if c.Bare == "" {
		c.Bare = c.View
	}
	f.Components = append(f.Components, c)
	return c.Name
}

// count stores how many rows meet cond.
func (f *Fold) count(name, cond string) string {
	if f.Mode == BySign {
		return f.add(Component{Name: name, Type: "Int64", Add: "sum", View: call("sum", "", cond, "toInt64("+f.sign+")")})
	}
	return f.add(Component{Name: name, Type: "UInt64", Add: "sum", View: call("count", "", cond)})
}

// sum stores a total of values of type t.
func (f *Fold) sum(name string, t Type, value, cond string) string {
	total := t.Sum()
	if f.Mode == BySign {
		return f.add(Component{Name: name, Type: total.Signed(), Add: "sum", View: call("sum", "", cond, value+" * "+f.sign)})
	}
	return f.add(Component{Name: name, Type: total, Add: "sum", View: call("sum", "", cond, value)})
}

// Total reads an added-up column as type t: what was added less what was taken
// back. The cast undoes the sign that a difference of unsigned totals has.
func (f *Fold) Total(column string, t Type) string {
	c := ddl.Ident(column)
	switch f.Mode {
	case ByFlag:
		flag := ddl.Ident(f.Flag)
		return fmt.Sprintf("CAST(sumIf(%s, %s = 0) - sumIf(%s, %s != 0), %s)", c, flag, c, flag, ddl.Literal(string(t)))
	case BySign:
		if t.Signed() != t {
			return fmt.Sprintf("CAST(sum(%s), %s)", c, ddl.Literal(string(t)))
		}
	}
	return "sum(" + c + ")"
}

// measure stores what a metric needs and gives how it is read.
func (f *Fold) measure(m Measure) string {
	v, cond, order := f.Rows.parts(m)
	bare := m.Type.Bare()
	number := func() string { return f.Total(f.count(m.Name+"_count", cond), "UInt64") }
	unlessNone := func(expr string) string {
		if cond == "" {
			return expr
		}
		return fmt.Sprintf("if(%s = 0, NULL, %s)", number(), expr)
	}
	switch m.Kind {
	case Count:
		return number()
	case Sum:
		total := f.Total(f.sum(m.Name+"_sum", m.Type, v, cond), bare.Sum())
		if m.Type.Nullable() {
			return unlessNone(total)
		}
		return total
	case Avg:
		return average(f.Total(f.sum(m.Name+"_sum", m.Type, v, cond), bare.Sum()), number(), cond)
	case Min, Max:
		fn, t := m.Kind, bare
		if cond != "" {
			fn, t = fn+"OrNull", bare.OrNull()
		}
		column := f.add(Component{Name: m.Name + "_" + m.Kind, Type: t, Add: m.Kind, View: call(fn, "", cond, v)})
		// Alone, min and max would answer with the column's SimpleAggregateFunction.
		return fmt.Sprintf("CAST(%s(%s), %s)", m.Kind, ddl.Ident(column), ddl.Literal(string(t)))
	case CountDistinct:
		return f.state(m, distinctFunc(m.IsExact()), cond, string(bare), v)
	case Quantile:
		fn, params := m.quantileFunc(m.IsExact())
		if bare == "Bool" {
			bare = "UInt8"
		}
		return unlessNone(f.state(m, fn+"("+params+")", cond, string(bare), v))
	case Last:
		types := fmt.Sprintf("Tuple(%s), Tuple(%s, %[1]s)", m.Type.Full(), m.OrderType.Bare())
		return unlessNone("tupleElement(" + f.state(m, "argMax", cond, types, "tuple("+v+")", latest(order, v)) + ", 1)")
	default: // TopK
		return f.r.topK(f.state(m, "sumMap", cond, fmt.Sprintf("Array(%s), Array(UInt64)", bare), "["+v+"]", "[toUInt64(1)]"), m.K)
	}
}

// state stores an aggregation state and gives its merge.
func (f *Fold) state(m Measure, fn, cond, types string, args ...string) string {
	name, params := fn, ""
	for i := range fn {
		if fn[i] == '(' {
			name, params = fn[:i], fn[i+1:len(fn)-1]
			break
		}
	}
	suffix := "_state"
	if !m.IsExact() {
		suffix = "_approx_state"
	}
	column := f.add(Component{
		Name: m.Name + suffix, State: fn,
		Type: Type(fmt.Sprintf("AggregateFunction(%s, %s)", fn, types)),
		View: call(name+"State", params, cond, args...),
		Bare: call(name, params, cond, args...),
	})
	return mergeCall(fn, "Merge", column)
}
