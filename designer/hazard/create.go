package hazard

import "strings"

// ParseTable reads a CREATE TABLE as far as rules need it: columns, defaults,
// indexes and engine. The second result is false where it is something else.
func ParseTable(sql, defaultDB string) (*Table, bool) {
	p := newParser(sql)
	p.accept("ATTACH")
	p.accept("CREATE")
	p.accept("OR", "REPLACE")
	p.accept("TEMPORARY")
	if !p.accept("TABLE") {
		return nil, false
	}
	t := &Table{}
	t.DB, t.Name = p.objectName(defaultDB)
	p.skipHead()
	if p.peek().is("(") {
		p.next()
		p.columnList(t)
	}
	for !p.peek().is("ENGINE") && p.peek().kind != endToken {
		p.next()
	}
	if p.accept("ENGINE") {
		p.accept("=")
		t.Engine = p.engine()
	}
	if p.accept("COMMENT") {
		t.Comment = p.next().text
	}
	return t, true
}

// objectName reads [IF [NOT] EXISTS] [db.]name.
func (p *parser) objectName(defaultDB string) (string, string) {
	if p.accept("IF") {
		p.accept("NOT")
		p.accept("EXISTS")
	}
	f := &From{}
	p.tableName(f)
	if f.db == "" {
		f.db = defaultDB
	}
	return f.db, f.name
}

// skipHead passes over UUID '…' and ON CLUSTER name.
func (p *parser) skipHead() {
	for {
		switch {
		case p.peek().is("UUID") && p.ahead(1).kind == stringToken:
			p.at += 2
		case p.peek().is("ON") && p.ahead(1).is("CLUSTER"):
			p.at += 3
		default:
			return
		}
		if p.at >= len(p.toks) {
			p.at = len(p.toks) - 1
			return
		}
	}
}

// columnList reads the columns and indexes of a table up to its closing parenthesis.
func (p *parser) columnList(t *Table) {
	for p.peek().kind != endToken && !p.accept(")") {
		switch {
		case p.peek().is("INDEX"):
			p.next()
			t.Indexes = append(t.Indexes, p.index())
		case p.peek().is("CONSTRAINT") || p.peek().is("PROJECTION") || p.peek().is("PRIMARY"):
		default:
			t.Columns = append(t.Columns, p.column())
		}
		p.skipToComma()
	}
}

func (p *parser) index() Index {
	x := Index{Name: p.next().text}
	if e, err := p.ternary(); err == nil {
		x.expr = e
	}
	return x
}

func (p *parser) column() Column {
	c := Column{Name: p.next().text}
	for p.peek().is(".") {
		p.next()
		c.Name += "." + p.next().text
	}
	if !isDefaultKind(p.peek()) {
		c.Type = p.typeName()
	}
	for {
		t := p.peek()
		switch {
		case isDefaultKind(t):
			p.next()
			c.DefaultKind = strings.ToUpper(t.text)
			from := p.peek().from
			if _, err := p.ternary(); err != nil {
				return c
			}
			c.Default = strings.TrimSpace(p.sql[from:p.peek().from])
		case t.is("COMMENT"):
			p.next()
			c.Comment = p.next().text
		case t.is("NULL"):
			p.next()
			c.Type = "Nullable(" + c.Type + ")"
		case t.is("NOT"), t.is("CODEC") && !p.ahead(1).is("("):
			p.next()
		default:
			return c
		}
	}
}

func isDefaultKind(t token) bool {
	return t.is("DEFAULT") || t.is("MATERIALIZED") || t.is("ALIAS") || t.is("EPHEMERAL")
}

// skipToComma passes over the rest of one entry of a list, its parentheses whole.
func (p *parser) skipToComma() {
	for {
		t := p.peek()
		switch {
		case t.kind == endToken || t.is(")"):
			return
		case t.is(","):
			p.next()
			return
		case t.is("("):
			p.skipParens()
		default:
			p.next()
		}
	}
}

// ParseView reads CREATE MATERIALIZED VIEW and CREATE VIEW; the second result
// is false where it is something else.
func ParseView(sql, defaultDB string) (*Definition, bool) {
	p := newParser(sql)
	p.accept("ATTACH")
	p.accept("CREATE")
	p.accept("OR", "REPLACE")
	d := &Definition{}
	if d.Materialized = p.accept("MATERIALIZED"); !p.accept("VIEW") {
		return nil, false
	}
	d.DB, d.Name = p.objectName(defaultDB)
	p.viewHead(d, defaultDB)
	if p.accept("AS") {
		d.Select = p.viewSelect()
	}
	return d, true
}

// viewHead reads everything between a view's name and its AS.
func (p *parser) viewHead(d *Definition, defaultDB string) {
	for p.peek().kind != endToken && !p.peek().is("AS") {
		switch {
		case p.accept("REFRESH"):
			d.Refreshable = true
		case p.accept("APPEND"):
			d.Append = true
		case p.accept("POPULATE"):
			d.Populate = true
		case p.accept("TO"):
			d.TargetDB, d.TargetName = p.objectName(defaultDB)
		case p.peek().is("INNER") && p.ahead(1).is("ENGINE"):
			p.next()
		case p.accept("ENGINE"):
			p.accept("=")
			e := p.engine()
			d.Inner = &e
		case p.peek().is("(") && len(d.Columns) == 0 && !d.Refreshable || p.peek().is("(") && d.TargetName != "":
			p.next()
			t := &Table{}
			p.columnList(t)
			d.Columns = t.Columns
		default:
			p.next()
		}
	}
}

// viewSelect gives the text of the query after AS, without a closing COMMENT.
func (p *parser) viewSelect() string {
	from := p.peek().from
	if _, err := p.union(); err == nil {
		return strings.TrimSpace(p.sql[from:p.peek().from])
	}
	return strings.TrimSpace(p.sql[from:])
}
