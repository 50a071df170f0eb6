package hazard

import "strings"

// ParseSelect reads one query.
func ParseSelect(sql string) (*Select, error) {
	p := newParser(sql)
	s, err := p.union()
	if err != nil {
		return nil, err
	}
	p.accept(";")
	p.format()
	if p.peek().kind != endToken {
		return nil, p.unexpected("the end of the query")
	}
	return s, nil
}

// format passes over INTO OUTFILE, FORMAT and a second SETTINGS.
func (p *parser) format() {
	if p.peek().is("INTO") || p.peek().is("FORMAT") {
		for p.peek().kind != endToken {
			p.next()
		}
	}
}

// union reads SELECTs joined by UNION, INTERSECT or EXCEPT.
func (p *parser) union() (*Select, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return nil, errDeep
	}
	first, err := p.selectOrParens()
	if err != nil {
		return nil, err
	}
	for p.peek().is("UNION") || p.peek().is("INTERSECT") || p.peek().is("EXCEPT") {
		p.next()
		if !p.accept("ALL") {
			p.accept("DISTINCT")
		}
		branch, err := p.selectOrParens()
		if err != nil {
			return nil, err
		}
		if first.unionParts = true; len(branch.ctes) == 0 {
			branch.ctes = first.ctes
		}
		first.union = append(first.union, branch)
	}
	if p.accept("SETTINGS") {
		err = p.settings(first)
	}
	return first, err
}

func (p *parser) selectOrParens() (*Select, error) {
	if !p.accept("(") {
		return p.selectOne()
	}
	s, err := p.union()
	if err != nil {
		return nil, err
	}
	return s, p.expect(")")
}

func (p *parser) selectOne() (*Select, error) {
	s := &Select{with: map[string]*Expr{}, ctes: map[string]*Select{}, settings: map[string]string{}}
	if p.accept("WITH") {
		if err := p.with(s); err != nil {
			return nil, err
		}
	}
	fromFirst := p.accept("FROM")
	if fromFirst {
		if err := p.tables(s); err != nil {
			return nil, err
		}
	}
	if err := p.expect("SELECT"); err != nil {
		return nil, err
	}
	if err := p.items(s); err != nil {
		return nil, err
	}
	if !fromFirst && p.accept("FROM") {
		if err := p.tables(s); err != nil {
			return nil, err
		}
	}
	if err := p.clauses(s); err != nil {
		return nil, err
	}
	return s, nil
}

// with reads WITH name AS (SELECT …) and WITH expr AS name.
func (p *parser) with(s *Select) error {
	p.accept("RECURSIVE")
	for {
		name, after := p.peek(), p.ahead(1)
		if (name.kind == wordToken || name.kind == quotedToken) && after.is("AS") && (p.ahead(2).is("(") || p.ahead(2).is("MATERIALIZED")) {
			p.at += 2
			p.accept("MATERIALIZED")
			p.next()
			q, err := p.union()
			if err != nil {
				return err
			}
			s.ctes[name.text] = q
			if err := p.expect(")"); err != nil {
				return err
			}
		} else {
			e, err := p.expr()
			if err != nil {
				return err
			}
			if e.alias != "" {
				s.with[e.alias] = e
			}
		}
		if !p.accept(",") {
			return nil
		}
	}
}

func (p *parser) items(s *Select) error {
	if p.accept("DISTINCT") {
		s.distinct = true
		if p.accept("ON") {
			p.skipParens()
		}
	} else {
		p.accept("ALL")
	}
	if p.accept("TOP") {
		p.next()
		s.limit = true
	}
	for {
		e, err := p.expr()
		if err != nil {
			return err
		}
		s.items = append(s.items, e)
		if !p.accept(",") {
			return nil
		}
	}
}

// tables reads what stands after FROM: tables, joins and ARRAY JOIN.
func (p *parser) tables(s *Select) error {
	from, err := p.table()
	if err != nil {
		return err
	}
	s.from = from
	for {
		switch {
		case p.accept("ARRAY", "JOIN"), p.accept("LEFT", "ARRAY", "JOIN"), p.accept("INNER", "ARRAY", "JOIN"):
			if s.arrayJoin, err = p.expressions(); err != nil {
				return err
			}
		case p.accept(","):
			if err := p.join(s, "CROSS"); err != nil {
				return err
			}
		default:
			kind, ok := p.joinWords()
			if !ok {
				return nil
			}
			if err := p.join(s, kind); err != nil {
				return err
			}
		}
	}
}

var joinWord = strings.Fields("GLOBAL LOCAL ANY ALL ASOF SEMI ANTI INNER LEFT RIGHT FULL OUTER CROSS PASTE NATURAL")

// joinWords reads LEFT ANY JOIN and the like.
func (p *parser) joinWords() (string, bool) {
	n, kind := 0, ""
	for {
		t := p.ahead(n)
		if t.is("JOIN") {
			p.at += n + 1
			return strings.TrimSpace(kind), true
		}
		found := false
		for _, w := range joinWord {
			if t.is(w) {
				found, kind = true, kind+" "+w
			}
		}
		if !found {
			return "", false
		}
		n++
	}
}

func (p *parser) join(s *Select, kind string) error {
	from, err := p.table()
	if err != nil {
		return err
	}
	j := &Join{from: from, kind: kind}
	s.joins = append(s.joins, j)
	switch {
	case p.accept("ON"):
		j.on, err = p.ternary()
	case p.accept("USING"):
		var cols []*Expr
		if p.accept("(") {
			cols, err = p.list(")")
		} else {
			cols, err = p.expressions()
		}
		j.on = call("using", cols...)
	}
	return err
}

// table reads one table, table function or subquery with its alias.
func (p *parser) table() (*From, error) {
	f := &From{}
	t := p.peek()
	switch {
	case t.is("("):
		p.next()
		q, err := p.union()
		if err != nil {
			return nil, err
		}
		f.query = q
		if err := p.expect(")"); err != nil {
			return nil, err
		}
	case t.kind == wordToken && p.ahead(1).is("("):
		p.next()
		e, err := p.call(t.text)
		if err != nil {
			return nil, err
		}
		f.call = e
	case t.kind == wordToken || t.kind == quotedToken:
		p.tableName(f)
	default:
		return nil, p.unexpected("a table")
	}
	p.tableTail(f)
	return f, nil
}

func (p *parser) tableName(f *From) {
	f.name = p.next().text
	if p.peek().is(".") && (p.ahead(1).kind == wordToken || p.ahead(1).kind == quotedToken) {
		p.next()
		f.db, f.name = f.name, p.next().text
	}
}

// tableTail reads alias, FINAL and SAMPLE, in either order.
func (p *parser) tableTail(f *From) {
	for {
		t := p.peek()
		switch {
		case t.is("FINAL"):
			p.next()
			f.final = true
		case t.is("SAMPLE"):
			p.next()
			f.sample = true
			p.sampleSize()
		case t.is("AS"):
			p.next()
			f.alias = p.next().text
		case f.alias == "" && (t.kind == quotedToken || t.kind == wordToken && !reserved(t.text)):
			f.alias = p.next().text
		default:
			return
		}
	}
}

func (p *parser) sampleSize() {
	for p.peek().kind == numberToken || p.peek().is("/") || p.peek().is("OFFSET") {
		p.next()
	}
}

func (p *parser) expressions() ([]*Expr, error) {
	var out []*Expr
	for {
		e, err := p.expr()
		if err != nil {
			return nil, err
		}
		out = append(out, e)
		if !p.accept(",") {
			return out, nil
		}
	}
}

// clauses reads what follows FROM.
func (p *parser) clauses(s *Select) (err error) {
	for err == nil {
		switch {
		case p.accept("PREWHERE"):
			s.prewhere, err = p.ternary()
		case p.accept("WHERE"):
			s.where, err = p.ternary()
		case p.accept("GROUP", "BY"):
			err = p.groupBy(s)
		case p.accept("WITH", "TOTALS"), p.accept("WITH", "ROLLUP"), p.accept("WITH", "CUBE"):
		case p.accept("HAVING"), p.accept("QUALIFY"):
			s.having, err = p.ternary()
		case p.accept("WINDOW"):
			p.next()
			p.accept("AS")
			p.skipParens()
		case p.accept("ORDER", "BY"):
			err = p.orderBy(s)
		case p.accept("LIMIT"), p.accept("OFFSET"), p.accept("FETCH"):
			err = p.limits(s)
		case p.accept("SETTINGS"):
			err = p.settings(s)
		default:
			return nil
		}
	}
	return err
}

func (p *parser) groupBy(s *Select) (err error) {
	if p.accept("ALL") {
		s.groupAll = true
		return nil
	}
	if p.accept("GROUPING", "SETS") {
		p.skipParens()
		return nil
	}
	wrapped := (p.peek().is("ROLLUP") || p.peek().is("CUBE")) && p.ahead(1).is("(")
	if wrapped {
		p.at += 2
		s.group, err = p.list(")")
		return err
	}
	s.group, err = p.expressions()
	return err
}

func (p *parser) orderBy(s *Select) error {
	if p.accept("ALL") {
		return nil
	}
	for {
		e, err := p.expr()
		if err != nil {
			return err
		}
		s.orderBy = append(s.orderBy, e)
		if p.accept("DESC") || p.accept("DESCENDING") {
			s.orderBy[len(s.orderBy)-1] = call("desc", e)
		} else if !p.accept("ASC") {
			p.accept("ASCENDING")
		}
		if p.accept("NULLS") {
			p.next()
		}
		if p.accept("COLLATE") {
			p.next()
		}
		for p.peek().is("WITH") && p.ahead(1).is("FILL") || p.peek().is("FROM") || p.peek().is("TO") || p.peek().is("STEP") || p.peek().is("STALENESS") {
			if !p.accept("WITH", "FILL") {
				p.next()
				if _, err := p.ternary(); err != nil {
					return err
				}
			}
		}
		if p.accept("INTERPOLATE") && p.peek().is("(") {
			p.skipParens()
		}
		if !p.accept(",") {
			return nil
		}
	}
}

// limits reads LIMIT n [OFFSET m] [BY columns].
func (p *parser) limits(s *Select) error {
	for {
		if _, err := p.ternary(); err != nil {
			return err
		}
		if !p.accept(",") && !p.accept("OFFSET") {
			break
		}
	}
	if p.accept("BY") {
		cols, err := p.expressions()
		s.limitBy = cols
		return err
	}
	for _, w := range []string{"ROWS", "ROW", "ONLY"} {
		p.accept(w)
	}
	p.accept("WITH", "TIES")
	s.limit = true
	return nil
}

func (p *parser) settings(s *Select) error {
	for {
		name, value, err := p.setting()
		if err != nil {
			return err
		}
		if s.settings[name] = value; !p.accept(",") {
			return nil
		}
	}
}

// setting reads name = value.
func (p *parser) setting() (string, string, error) {
	name := p.next()
	if name.kind != wordToken && name.kind != quotedToken {
		return "", "", p.unexpected("a setting")
	}
	if err := p.expect("="); err != nil {
		return "", "", err
	}
	value := p.next().text
	if value == "-" {
		value += p.next().text
	}
	for p.peek().is("(") { // disk(…) and the like
		p.skipParens()
	}
	return name.text, value, nil
}
