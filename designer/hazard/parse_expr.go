package hazard

import (
	"errors"
	"strings"
)

// parser reads SQL as ClickHouse prints it, and most of what people type. What
// it does not know it refuses; it never guesses and never panics.
type parser struct {
	sql   string
	toks  []token
	at    int
	depth int
}

// errDeep bounds the recursion: no hand-written query nests deeper.
var errDeep = errors.New("the query nests too deeply")

const maxDepth = 200

func newParser(sql string) *parser { return &parser{sql: sql, toks: lex(sql)} }

func (p *parser) peek() token { return p.toks[p.at] }

func (p *parser) ahead(n int) token {
	if p.at+n < len(p.toks) {
		return p.toks[p.at+n]
	}
	return p.toks[len(p.toks)-1]
}

func (p *parser) next() token {
	t := p.toks[p.at]
	if t.kind != endToken {
		p.at++
	}
	return t
}

// accept takes the words if they come next, all of them.
func (p *parser) accept(words ...string) bool {
	for i, w := range words {
		if !p.ahead(i).is(w) {
			return false
		}
	}
	p.at += len(words)
	return true
}

func (p *parser) expect(word string) error {
	if p.accept(word) {
		return nil
	}
	return p.unexpected(word)
}

func (p *parser) unexpected(wanted string) error {
	t := p.peek()
	end := t.from + 30
	if end > len(p.sql) {
		end = len(p.sql)
	}
	return errors.New("expected " + wanted + " at: " + p.sql[t.from:end])
}

// binary is one level of operators, loosest first.
var binary = [][]struct {
	words []string
	name  string
}{
	{{[]string{"OR"}, "or"}},
	{{[]string{"AND"}, "and"}},
}

// expr reads one expression, with its alias if there is one.
func (p *parser) expr() (*Expr, error) {
	e, err := p.ternary()
	if err != nil {
		return nil, err
	}
	if p.accept("AS") {
		t := p.next()
		if t.kind != wordToken && t.kind != quotedToken {
			return nil, p.unexpected("an alias")
		}
		e = e.named(t.text)
	} else if t := p.peek(); t.kind == quotedToken || t.kind == wordToken && !reserved(t.text) {
		p.next()
		e = e.named(t.text)
	}
	return e, nil
}

// named gives a copy of the expression under an alias.
func (e *Expr) named(alias string) *Expr {
	c := *e
	c.alias = alias
	return &c
}

// reservedWords cannot be an alias without AS.
var reservedWords = strings.Fields(`FROM WHERE PREWHERE GROUP HAVING ORDER LIMIT OFFSET UNION INTERSECT EXCEPT SETTINGS FORMAT
 FINAL SAMPLE JOIN LEFT RIGHT INNER FULL CROSS ANY ALL ASOF SEMI ANTI GLOBAL ARRAY ON USING AS AND OR NOT IN LIKE ILIKE
 BETWEEN IS ASC DESC NULLS WITH WINDOW QUALIFY INTO BY INTERVAL THEN ELSE WHEN END DIV MOD TTL PARTITION PRIMARY ENGINE
 COLLATE FILL OVER FILTER PASTE INTERPOLATE APPLY REPLACE REGEXP SELECT SET DELETE RECOMPRESS TO COMMENT POPULATE EMPTY
 GRANULARITY ALIAS MATERIALIZED DEFAULT EPHEMERAL CODEC TYPE STEP STALENESS ROWS RANGE`)

// clauseWords cannot be a column where an expression begins, unless quoted.
var clauseWords = strings.Fields("SELECT FROM WHERE PREWHERE GROUP HAVING ORDER LIMIT UNION SETTINGS JOIN ON USING AS AND OR IN LIKE ILIKE BETWEEN THEN ELSE WHEN END INTO FORMAT")

func reserved(word string) bool { return oneOf(word, reservedWords) }

func clauseWord(word string) bool { return oneOf(word, clauseWords) }

func oneOf(word string, words []string) bool {
	for _, w := range words {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}

func (p *parser) ternary() (*Expr, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return nil, errDeep
	}
	e, err := p.binaryLevel(0)
	if err != nil || !p.accept("?") {
		return p.lambda(e, err)
	}
	yes, err := p.ternary()
	if err != nil {
		return nil, err
	}
	if err := p.expect(":"); err != nil {
		return nil, err
	}
	no, err := p.ternary()
	if err != nil {
		return nil, err
	}
	return call("if", e, yes, no), nil
}

func (p *parser) lambda(e *Expr, err error) (*Expr, error) {
	if err != nil || !p.accept("->") {
		return e, err
	}
	body, err := p.ternary()
	if err != nil {
		return nil, err
	}
	return &Expr{kind: lambdaExpr, name: e.String(), args: []*Expr{body}}, nil
}

func (p *parser) binaryLevel(level int) (*Expr, error) {
	if level == len(binary) {
		return p.not()
	}
	e, err := p.binaryLevel(level + 1)
	if err != nil {
		return nil, err
	}
	for {
		name := ""
		for _, op := range binary[level] {
			if p.accept(op.words...) {
				name = op.name
				break
			}
		}
		if name == "" {
			return e, nil
		}
		right, err := p.binaryLevel(level + 1)
		if err != nil {
			return nil, err
		}
		e = call(name, e, right)
	}
}

func (p *parser) not() (*Expr, error) {
	if p.peek().is("NOT") && !p.ahead(1).is(",") {
		p.next()
		p.depth++
		defer func() { p.depth-- }()
		if p.depth > maxDepth {
			return nil, errDeep
		}
		e, err := p.not()
		if err != nil {
			return nil, err
		}
		return call("not", e), nil
	}
	return p.comparison()
}

var comparisons = map[string]string{
	"=": "equals", "==": "equals", "!=": "notEquals", "<>": "notEquals", "<": "less", ">": "greater",
	"<=": "lessOrEquals", ">=": "greaterOrEquals", "<=>": "isNotDistinctFrom",
}

func (p *parser) comparison() (*Expr, error) {
	e, err := p.sum()
	for err == nil {
		t := p.peek()
		if name, ok := comparisons[t.text]; ok && t.kind == signToken {
			p.next()
			e, err = p.rightOf(name, e)
			continue
		}
		done := false
		if e, done, err = p.wordComparison(e); done {
			break
		}
	}
	return e, err
}

func (p *parser) rightOf(name string, left *Expr) (*Expr, error) {
	right, err := p.sum()
	if err != nil {
		return nil, err
	}
	return call(name, left, right), nil
}

// wordComparison reads IN, LIKE, BETWEEN and IS, with their negations.
func (p *parser) wordComparison(e *Expr) (_ *Expr, done bool, err error) {
	start := p.at
	p.accept("GLOBAL")
	negated := p.accept("NOT")
	switch {
	case p.accept("IN"):
		e, err = p.rightOf(pick(negated, "notIn", "in"), e)
	case p.accept("LIKE"):
		e, err = p.rightOf(pick(negated, "notLike", "like"), e)
	case p.accept("ILIKE"):
		e, err = p.rightOf(pick(negated, "notILike", "ilike"), e)
	case p.accept("REGEXP"):
		e, err = p.rightOf("match", e)
	case p.accept("BETWEEN"):
		e, err = p.between(e, negated)
	case !negated && p.accept("IS"):
		e, err = p.is(e)
	default:
		p.at = start
		return e, true, nil
	}
	return e, false, err
}

func (p *parser) between(e *Expr, negated bool) (*Expr, error) {
	low, err := p.sum()
	if err != nil {
		return nil, err
	}
	if err := p.expect("AND"); err != nil {
		return nil, err
	}
	high, err := p.sum()
	if err != nil {
		return nil, err
	}
	if negated {
		return call("or", call("less", e, low), call("greater", e, high)), nil
	}
	return call("and", call("greaterOrEquals", e, low), call("lessOrEquals", e, high)), nil
}

func (p *parser) is(e *Expr) (*Expr, error) {
	negated := p.accept("NOT")
	if p.accept("NULL") {
		return call(pick(negated, "isNotNull", "isNull"), e), nil
	}
	if p.accept("DISTINCT", "FROM") {
		return p.rightOf(pick(negated, "isNotDistinctFrom", "isDistinctFrom"), e)
	}
	return nil, p.unexpected("NULL")
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

func (p *parser) sum() (*Expr, error) {
	e, err := p.product()
	for err == nil {
		switch {
		case p.accept("+"):
			e, err = p.term("plus", e)
		case p.accept("-"):
			e, err = p.term("minus", e)
		case p.accept("||"):
			e, err = p.term("concat", e)
		default:
			return e, nil
		}
	}
	return nil, err
}

func (p *parser) term(name string, left *Expr) (*Expr, error) {
	right, err := p.product()
	if err != nil {
		return nil, err
	}
	return call(name, left, right), nil
}

func (p *parser) product() (*Expr, error) {
	e, err := p.unary()
	for err == nil {
		name := ""
		switch {
		case p.accept("*"):
			name = "multiply"
		case p.accept("/"):
			name = "divide"
		case p.accept("%") || p.accept("MOD"):
			name = "modulo"
		case p.accept("DIV"):
			name = "intDiv"
		default:
			return e, nil
		}
		var right *Expr
		if right, err = p.unary(); err == nil {
			e = call(name, e, right)
		}
	}
	return nil, err
}

func (p *parser) unary() (*Expr, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return nil, errDeep
	}
	if p.accept("-") {
		e, err := p.unary()
		if err != nil {
			return nil, err
		}
		if e.kind == literalExpr && !e.text && !strings.HasPrefix(e.name, "-") {
			return &Expr{kind: literalExpr, name: "-" + e.name}, nil
		}
		return call("negate", e), nil
	}
	if p.accept("+") {
		return p.unary()
	}
	return p.postfix()
}
