package hazard

import "strings"

// Engine is what stands after ENGINE in a table's definition.
type Engine struct {
	Name        string // as written: ReplicatedReplacingMergeTree
	Kind        string // without Replicated or Shared
	Replicated  bool
	args        []*Expr
	orderBy     []*Expr
	partitionBy *Expr
	ttl         []*Expr // the expressions of TTL
	ttlGroupBy  bool
	settings    map[string]string
}

// ParseEngine reads the engine of a table, as system.tables.engine_full gives it.
// What it cannot read it leaves out: an engine it does not know has no keys.
func ParseEngine(text string) Engine {
	p := newParser(text)
	return p.engine()
}

func (p *parser) engine() Engine {
	e := Engine{settings: map[string]string{}}
	e.Name = p.next().text
	e.Kind = e.Name
	for _, prefix := range []string{"Replicated", "Shared"} {
		if rest, ok := strings.CutPrefix(e.Kind, prefix); ok && strings.HasSuffix(rest, "MergeTree") {
			e.Kind, e.Replicated = rest, true
		}
	}
	if p.accept("(") {
		args, err := p.list(")")
		if err != nil {
			return e
		}
		e.args = args
	}
	if e.Replicated {
		e.args = withoutPaths(e.args)
	}
	p.engineClauses(&e)
	return e
}

// withoutPaths drops the Keeper path and the replica's name.
func withoutPaths(args []*Expr) []*Expr {
	for len(args) > 0 && args[0].kind == literalExpr && args[0].text {
		args = args[1:]
	}
	return args
}

func (p *parser) engineClauses(e *Engine) {
	var err error
	for err == nil {
		switch {
		case p.accept("PARTITION", "BY"):
			e.partitionBy, err = p.ternary()
		case p.accept("ORDER", "BY"):
			e.orderBy, err = p.keyList()
		case p.accept("PRIMARY", "KEY"), p.accept("SAMPLE", "BY"), p.accept("UNIQUE", "KEY"):
			_, err = p.ternary()
		case p.accept("TTL"):
			p.ttl(e)
		case p.accept("SETTINGS"):
			s := &Select{settings: e.settings}
			err = p.settings(s)
		default:
			return
		}
	}
}

// keyList reads a sorting key: one expression or a tuple of them.
func (p *parser) keyList() ([]*Expr, error) {
	if p.peek().is("(") {
		start := p.at
		p.next()
		var out []*Expr
		for !p.accept(")") {
			e, err := p.expr()
			if err != nil {
				return nil, err
			}
			if out = append(out, e); !p.accept("DESC") {
				p.accept("ASC")
			}
			if !p.accept(",") && !p.peek().is(")") {
				return nil, p.unexpected(")")
			}
		}
		if t := p.peek(); t.kind == endToken || t.kind == wordToken {
			return out, nil
		}
		p.at = start
	}
	e, err := p.ternary()
	if err != nil {
		return nil, err
	}
	if !p.accept("DESC") {
		p.accept("ASC")
	}
	return flatKey(e), nil
}

func flatKey(e *Expr) []*Expr {
	if e.isCall("tuple") {
		return e.args
	}
	return []*Expr{e}
}

// ttl reads the rules of a table's TTL.
func (p *parser) ttl(e *Engine) {
	for {
		x, err := p.ternary()
		if err != nil {
			return
		}
		e.ttl = append(e.ttl, x)
		for t := p.peek(); t.kind != endToken && !t.is(",") && !t.is("SETTINGS"); t = p.peek() {
			if t.is("GROUP") {
				e.ttlGroupBy = true
			}
			if t.is("(") {
				p.skipParens()
			} else {
				p.next()
			}
		}
		if e.ttlGroupBy { // SET a = max(a), b = … has commas of its own
			for t := p.peek(); t.kind != endToken && !t.is("SETTINGS"); t = p.peek() {
				p.next()
			}
		}
		if !p.accept(",") {
			return
		}
	}
}

// ParseKey reads a sorting key as system.tables gives it: "a, toDate(b)".
func ParseKey(text string) []*Expr {
	p := newParser("(" + text + ")")
	p.next()
	out, err := p.list(")")
	if err != nil {
		return nil
	}
	return out
}

// ParseExpr reads one expression; nil where it is none.
func ParseExpr(text string) *Expr {
	p := newParser(text)
	e, err := p.ternary()
	if err != nil || p.peek().kind != endToken {
		return nil
	}
	return e
}
