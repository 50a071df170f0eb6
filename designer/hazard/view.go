package hazard

// Output is one column that a view writes.
type Output struct {
	name string
	typ  string // as the server resolved it, or as far as we can tell
	expr *Expr  // over the columns of the source
}

// View is a materialized view with everything around it resolved.
type View struct {
	cat     *Catalog
	def     *Definition
	query   *Select
	flat    *flat
	source  *Table // what its inserts trigger it from; nil where it is not a table we know
	target  *Table // where its rows end, behind Distributed and Buffer
	outputs []Output
	err     error // why the view is not understood
	feed    string

	writers  []*View // views that fill the source
	readers  []*View // views that read the target
	siblings []*View // other views that fill the same target
}

func (v *View) full() string { return v.def.DB + "." + v.def.Name }

// incremental tells whether inserts fire the view.
func (v *View) incremental() bool { return !v.def.Refreshable }

// sourceName is the table's name as the view has it.
func (v *View) sourceName() string {
	switch {
	case v.source != nil:
		return v.source.full()
	case v.flat != nil && v.flat.from != nil:
		return v.flat.from.String()
	}
	return ""
}

func (v *View) targetName() string {
	if v.target != nil {
		return v.target.full()
	}
	return v.def.TargetDB + "." + v.def.TargetName
}

// targetSQL is the target's name as a statement would have it.
func (v *View) targetSQL() string {
	if v.target == nil {
		return v.targetName()
	}
	return v.target.DB + "." + quoted(v.target.Name)
}

// quoted puts a name that is not a plain word into backticks.
func quoted(name string) string {
	for i := 0; i < len(name); i++ {
		if !isWordStart(name[i]) && !(i > 0 && isDigit(name[i])) {
			return "`" + name + "`"
		}
	}
	return name
}

// implicit tells whether the view keeps its rows in a table of its own.
func (v *View) implicit() bool { return v.def.Inner != nil || v.def.TargetName == "" }

// targetLabel names the target in a sentence.
func (v *View) targetLabel() string {
	if v.implicit() {
		return "the storage of " + v.def.Name
	}
	return v.target.Name
}

// aggregated tells whether the view groups or aggregates, itself or further in.
func (v *View) aggregated() bool {
	for f := v.flat; f != nil; f = f.inner {
		if f.aggregated() {
			return true
		}
	}
	return false
}

func (f *flat) aggregated() bool {
	if len(f.group) > 0 {
		return true
	}
	for _, o := range f.outputs {
		if hasAggregate(o) {
			return true
		}
	}
	return false
}

// group lists the GROUP BY expressions over source columns.
func (v *View) group() []*Expr {
	for f := v.flat; f != nil; f = f.inner {
		if f.aggregated() {
			return f.group
		}
	}
	return nil
}

// aggs lists the aggregates of the outputs.
func (v *View) aggs() []Agg {
	var out []Agg
	for _, o := range v.outputs {
		out = append(out, aggregates(o.expr)...)
	}
	return out
}

// output finds the output of this name.
func (v *View) output(name string) *Output {
	for i := range v.outputs {
		if v.outputs[i].name == name {
			return &v.outputs[i]
		}
	}
	return nil
}

// typeOf infers a type over the columns of the source.
func (v *View) typeOf(e *Expr) string { return typeOf(e, v.columnType) }

func (v *View) columnType(name string) string {
	if c := v.source.column(name); c != nil {
		return c.Type
	}
	return ""
}

// groupedBy tells whether each of these columns is a GROUP BY key as it stands.
func (v *View) groupedBy(cols []string) bool {
	if len(cols) == 0 {
		return false
	}
	for _, c := range cols {
		found := false
		for _, g := range v.group() {
			found = found || g.kind == columnExpr && g.name == c
		}
		if !found {
			return false
		}
	}
	return true
}

// reads tells whether an output, a key, a filter or HAVING uses the column.
func (v *View) reads(col string) bool {
	for f := v.flat; f != nil; f = f.inner {
		if contains(f.having.columns(), col) {
			return true
		}
	}
	return v.carries(col) || v.filters(col)
}

// carries tells whether an output or a key of the view uses the column.
func (v *View) carries(col string) bool {
	for _, o := range v.outputs {
		if contains(o.expr.columns(), col) {
			return true
		}
	}
	return v.groupsBy(col)
}

// groupsBy tells whether the column is part of a GROUP BY key.
func (v *View) groupsBy(col string) bool {
	for _, g := range v.group() {
		if contains(g.columns(), col) {
			return true
		}
	}
	return false
}

// filters tells whether WHERE uses the column.
func (v *View) filters(col string) bool {
	for _, c := range v.flat.filters {
		if contains(c.columns(), col) {
			return true
		}
	}
	return false
}

// prepare links tables, views and targets; it is called once.
func (c *Catalog) prepare() {
	c.tables = map[string]*Table{}
	for _, t := range c.Tables {
		c.tables[t.full()] = t
	}
	c.views = nil
	for _, d := range c.Definitions {
		if d.Materialized {
			c.views = append(c.views, c.view(d))
		}
	}
	c.link()
}

func (c *Catalog) link() {
	bySource, byTarget := map[string][]*View{}, map[string][]*View{}
	for _, v := range c.views {
		if v.source != nil {
			bySource[v.source.full()] = append(bySource[v.source.full()], v)
		}
		byTarget[v.targetName()] = append(byTarget[v.targetName()], v)
	}
	for _, v := range c.views {
		if v.source != nil {
			v.writers = byTarget[v.source.full()]
		}
		v.readers = bySource[v.targetName()]
		for _, w := range byTarget[v.targetName()] {
			if w != v {
				v.siblings = append(v.siblings, w)
			}
		}
	}
}

// view resolves one definition.
func (c *Catalog) view(d *Definition) *View {
	v := &View{cat: c, def: d, target: c.behind(c.table(d.TargetDB, d.TargetName))}
	if v.target == nil && d.Inner != nil {
		v.target = &Table{DB: d.DB, Name: d.Name, Engine: *d.Inner, Columns: d.Columns}
	}
	v.query, v.err = ParseSelect(d.Select)
	if v.err != nil {
		return v
	}
	v.flat = flatten(v.query, nil, 0)
	if from := v.flat.from; from != nil && from.name != "" {
		db := from.db
		if db == "" {
			db = d.DB
		}
		v.source = c.source(db, from.name)
		v.feed = c.Feeds[db+"."+from.name]
	}
	v.resolveOutputs()
	return v
}

// source finds a table by name; a materialized view stands for its storage.
func (c *Catalog) source(db, name string) *Table {
	if t := c.table(db, name); t != nil {
		return t
	}
	for _, d := range c.Definitions {
		if d.Materialized && d.DB == db && d.Name == name {
			return c.table(d.TargetDB, d.TargetName)
		}
	}
	return nil
}

// behind follows Distributed and Buffer to the table that keeps the rows.
func (c *Catalog) behind(t *Table) *Table {
	for n := 0; n < 3 && t.is("Distributed", "Buffer"); n++ {
		args := t.Engine.args
		at := map[string]int{"Distributed": 1, "Buffer": 0}[t.Engine.Kind]
		if len(args) < at+2 {
			return t
		}
		local := c.table(args[at].name, args[at+1].name)
		if local == nil {
			return t
		}
		t = local
	}
	return t
}

// resolveOutputs pairs the query's outputs with the columns the server gave the view.
func (v *View) resolveOutputs() {
	for i, e := range v.flat.outputs {
		if e.kind != starExpr {
			v.outputs = append(v.outputs, Output{name: v.flat.names[i], expr: e})
			continue
		}
		for _, name := range v.starColumns(i) {
			v.outputs = append(v.outputs, Output{name: name, expr: column(name)})
		}
	}
	same := len(v.outputs) == len(v.def.Columns)
	for i := range v.outputs {
		o := &v.outputs[i]
		if same {
			o.name, o.typ = v.def.Columns[i].Name, v.def.Columns[i].Type
			continue
		}
		o.typ = v.typeOf(o.expr)
	}
}

// starColumns lists what an asterisk at this place stands for.
func (v *View) starColumns(at int) []string {
	var out []string
	if n := len(v.def.Columns) - len(v.flat.outputs) + 1; n > 0 && at+n <= len(v.def.Columns) {
		for _, c := range v.def.Columns[at : at+n] {
			out = append(out, c.Name)
		}
		return out
	}
	if v.flat.inner != nil {
		return v.flat.inner.names
	}
	if v.source != nil {
		for _, c := range v.source.Columns {
			if c.DefaultKind != "ALIAS" && c.DefaultKind != "MATERIALIZED" {
				out = append(out, c.Name)
			}
		}
	}
	return out
}
