package hazard

import "strings"

// postfix reads an atom and what may hang on it: [i], .1, .name, ::Type.
func (p *parser) postfix() (*Expr, error) {
	e, err := p.atom()
	for err == nil {
		switch {
		case p.accept("["):
			var index *Expr
			if index, err = p.ternary(); err == nil {
				err = p.expect("]")
				e = call("arrayElement", e, index)
			}
		case p.accept("::"):
			e = call("CAST", e, &Expr{kind: literalExpr, text: true, name: p.typeName()})
		case p.peek().is(".") && (p.ahead(1).kind == numberToken || p.ahead(1).kind == wordToken || p.ahead(1).kind == quotedToken):
			p.next()
			e = call("tupleElement", e, &Expr{kind: literalExpr, name: p.next().text})
		case p.peek().is(".") && p.ahead(1).is("^"):
			p.next()
			p.next()
		default:
			return e, nil
		}
	}
	return nil, err
}

// typeName reads a type as it stands: Decimal(18, 2), Nullable(String).
func (p *parser) typeName() string {
	from := p.peek().from
	to := p.next().to
	if p.peek().is("(") {
		to = p.skipParens()
	}
	return p.sql[from:to]
}

// skipParens passes over a parenthesised text and gives its end.
func (p *parser) skipParens() int {
	depth := 0
	for {
		t := p.next()
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		}
		if depth == 0 || t.kind == endToken {
			return t.to
		}
	}
}

func (p *parser) atom() (*Expr, error) {
	t := p.peek()
	switch {
	case t.kind == numberToken:
		p.next()
		return &Expr{kind: literalExpr, name: t.text}, nil
	case t.kind == stringToken:
		p.next()
		return &Expr{kind: literalExpr, text: true, name: t.text}, nil
	case t.is("("):
		return p.parens()
	case t.is("["):
		p.next()
		args, err := p.list("]")
		return call("array", args...), err
	case t.is("{"):
		return p.braces()
	case t.is("*"):
		p.next()
		return p.star("*")
	case t.kind == wordToken:
		if e, err, ok := p.special(); ok {
			return e, err
		}
		if clauseWord(t.text) && !p.ahead(1).is("(") && !p.ahead(1).is(".") {
			return nil, p.unexpected("an expression")
		}
		return p.name()
	case t.kind == quotedToken:
		return p.name()
	}
	return nil, p.unexpected("an expression")
}

// braces reads a query parameter {name:Type}, or a JSON-like map literal.
func (p *parser) braces() (*Expr, error) {
	from := p.next().from
	for depth := 1; depth > 0; {
		t := p.next()
		switch {
		case t.is("{"):
			depth++
		case t.is("}"):
			depth--
		case t.kind == endToken:
			return nil, p.unexpected("}")
		}
	}
	return &Expr{kind: literalExpr, name: p.sql[from:p.toks[p.at-1].to]}, nil
}

func (p *parser) parens() (*Expr, error) {
	if t := p.ahead(1); t.is("SELECT") || t.is("WITH") || t.is("(") && p.selectInside() {
		p.next()
		q, err := p.union()
		if err != nil {
			return nil, err
		}
		return &Expr{kind: subqueryExpr, query: q}, p.expect(")")
	}
	p.next()
	args, err := p.list(")")
	if err != nil {
		return nil, err
	}
	if len(args) == 1 && !p.toks[p.at-2].is(",") {
		return args[0], nil
	}
	return call("tuple", args...), nil
}

// selectInside looks through opening parentheses for a SELECT.
func (p *parser) selectInside() bool {
	n := 1
	for p.ahead(n).is("(") {
		n++
	}
	return p.ahead(n).is("SELECT")
}

// list reads expressions up to the closing sign.
func (p *parser) list(end string) ([]*Expr, error) {
	var out []*Expr
	for !p.accept(end) {
		e, err := p.expr()
		if err != nil {
			return nil, err
		}
		out = append(out, e)
		if !p.accept(",") && !p.peek().is(end) {
			return nil, p.unexpected(end)
		}
	}
	return out, nil
}

// special reads what looks like a name but is not one.
func (p *parser) special() (*Expr, error, bool) {
	t, after := p.peek(), p.ahead(1)
	switch {
	case t.is("CASE") && !after.is("("):
		p.next()
		e, err := p.caseWhen()
		return e, err, true
	case t.is("CAST") && after.is("("):
		p.at += 2
		e, err := p.cast()
		return e, err, true
	case t.is("INTERVAL") && (after.kind == numberToken || after.kind == stringToken || after.is("(") || after.is("-") || after.kind == wordToken && !after.is("FROM")):
		p.next()
		e, err := p.interval()
		return e, err, true
	case (t.is("DATE") || t.is("TIMESTAMP")) && after.kind == stringToken:
		p.next()
		return call(pick(t.is("DATE"), "toDate", "toDateTime"), &Expr{kind: literalExpr, text: true, name: p.next().text}), nil, true
	case t.is("NULL") || t.is("TRUE") || t.is("FALSE"):
		p.next()
		return &Expr{kind: literalExpr, name: strings.ToUpper(t.text)}, nil, true
	case t.is("EXTRACT") && after.is("("):
		return p.extract()
	case t.is("COLUMNS") && after.is("("):
		p.next()
		p.skipParens()
		e, err := p.star("COLUMNS(…)")
		return e, err, true
	case t.is("EXISTS") && after.is("("):
		p.next()
		e, err := p.parens()
		return call("exists", e), err, true
	}
	return nil, nil, false
}

// extract reads EXTRACT(unit FROM x); another extract is a plain function.
func (p *parser) extract() (*Expr, error, bool) {
	if !p.ahead(3).is("FROM") {
		return nil, nil, false
	}
	p.at += 2
	unit := strings.ToLower(p.next().text)
	p.next()
	e, err := p.ternary()
	if err != nil {
		return nil, err, true
	}
	name := "to" + strings.ToUpper(unit[:1]) + unit[1:]
	return call(name, e), p.expect(")"), true
}

func (p *parser) caseWhen() (*Expr, error) {
	var subject *Expr
	var err error
	if !p.peek().is("WHEN") {
		if subject, err = p.ternary(); err != nil {
			return nil, err
		}
	}
	out := call("multiIf")
	for p.accept("WHEN") {
		when, err := p.ternary()
		if err != nil {
			return nil, err
		}
		if err := p.expect("THEN"); err != nil {
			return nil, err
		}
		then, err := p.ternary()
		if err != nil {
			return nil, err
		}
		if subject != nil {
			when = call("equals", subject, when)
		}
		out.args = append(out.args, when, then)
	}
	other := &Expr{kind: literalExpr, name: "NULL"}
	if p.accept("ELSE") {
		if other, err = p.ternary(); err != nil {
			return nil, err
		}
	}
	out.args = append(out.args, other)
	return out, p.expect("END")
}

func (p *parser) cast() (*Expr, error) {
	e, err := p.ternary()
	if err != nil {
		return nil, err
	}
	var to string
	switch {
	case p.accept("AS"):
		to = p.typeName()
	case p.accept(","):
		to = p.next().text
	default:
		return nil, p.unexpected("a type")
	}
	return call("CAST", e, &Expr{kind: literalExpr, text: true, name: to}), p.expect(")")
}

func (p *parser) interval() (*Expr, error) {
	if t := p.peek(); t.kind == stringToken && !isUnit(p.ahead(1).text) {
		p.next()
		words := strings.Fields(t.text)
		if len(words) != 2 || !isUnit(words[1]) {
			return nil, p.unexpected("an interval")
		}
		return call(unitFunction(words[1]), &Expr{kind: literalExpr, name: words[0]}), nil
	}
	e, err := p.sum()
	if err != nil {
		return nil, err
	}
	unit := p.next().text
	if !isUnit(unit) {
		return nil, p.unexpected("a unit of time")
	}
	return call(unitFunction(unit), e), nil
}

var units = []string{"nanosecond", "microsecond", "millisecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year"}

func isUnit(word string) bool { return unitOf(word) != "" }

// unitOf gives the unit a word names, in the singular.
func unitOf(word string) string {
	w := strings.TrimSuffix(strings.ToLower(word), "s")
	if contains(units, w) {
		return w
	}
	return ""
}

func unitFunction(unit string) string {
	u := unitOf(unit)
	return "toInterval" + strings.ToUpper(u[:1]) + u[1:]
}

// name reads a column, a dotted name, or a call.
func (p *parser) name() (*Expr, error) {
	t := p.next()
	if t.kind == wordToken && p.peek().is("(") {
		return p.call(t.text)
	}
	parts := []string{t.text}
	for p.peek().is(".") && !(p.ahead(1).kind == numberToken) {
		after := p.ahead(1)
		if after.is("*") {
			p.at += 2
			return p.star(strings.Join(parts, ".") + ".*")
		}
		if after.kind != wordToken && after.kind != quotedToken {
			break
		}
		p.at += 2
		parts = append(parts, after.text)
	}
	return &Expr{kind: columnExpr, name: strings.Join(parts, "."), parts: parts}, nil
}

// star reads the transformers after an asterisk.
func (p *parser) star(name string) (*Expr, error) {
	e := &Expr{kind: starExpr, name: name}
	for p.peek().is("EXCEPT") || p.peek().is("REPLACE") || p.peek().is("APPLY") {
		if p.peek().is("EXCEPT") && (p.ahead(1).is("SELECT") || p.ahead(1).is("(") && p.ahead(2).is("SELECT")) {
			break
		}
		e.name += " " + strings.ToUpper(p.next().text)
		p.accept("STRICT")
		if p.peek().is("(") {
			p.skipParens()
		} else {
			p.next()
		}
	}
	return e, nil
}

func (p *parser) call(name string) (*Expr, error) {
	p.next()
	e := &Expr{kind: callExpr, name: name}
	e.distinct = p.accept("DISTINCT")
	args, err := p.arguments()
	if err != nil {
		return nil, err
	}
	if p.accept("(") { // f(params)(args)
		e.params = args
		e.distinct = p.accept("DISTINCT")
		if args, err = p.arguments(); err != nil {
			return nil, err
		}
	}
	e.args = args
	return p.afterCall(e)
}

// arguments reads what stands between the parentheses; a lone * counts rows,
// a lone SELECT is a subquery.
func (p *parser) arguments() ([]*Expr, error) {
	if p.peek().is("*") && p.ahead(1).is(")") {
		p.at += 2
		return nil, nil
	}
	if p.peek().is("SELECT") || p.peek().is("WITH") {
		q, err := p.union()
		if err != nil {
			return nil, err
		}
		return []*Expr{{kind: subqueryExpr, query: q}}, p.expect(")")
	}
	return p.list(")")
}

// afterCall reads FILTER, RESPECT NULLS and OVER.
func (p *parser) afterCall(e *Expr) (*Expr, error) {
	if p.accept("RESPECT", "NULLS") {
		e.name += "_respect_nulls"
	}
	p.accept("IGNORE", "NULLS")
	if p.peek().is("FILTER") && p.ahead(1).is("(") {
		p.at += 2
		if err := p.expect("WHERE"); err != nil {
			return nil, err
		}
		cond, err := p.ternary()
		if err != nil {
			return nil, err
		}
		if err := p.expect(")"); err != nil {
			return nil, err
		}
		e.name += "If"
		e.args = append(e.args, cond)
	}
	if p.accept("OVER") {
		e.window = true
		if p.peek().is("(") {
			p.skipParens()
		} else {
			p.next()
		}
	}
	return e, nil
}
