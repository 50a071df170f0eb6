package hazard

import "strings"

// action is what a statement of a script does.
type action string

const (
	insertAction   action = "insert"
	createAction   action = "create"
	dropAction     action = "drop" // DROP or DETACH
	attachAction   action = "attach"
	alterAction    action = "alter"
	mutateAction   action = "mutate" // UPDATE and DELETE statements
	truncateAction action = "truncate"
	optimizeAction action = "optimize"
	setAction      action = "set"
	otherAction    action = "other"
)

// Statement is one statement of a script.
type Statement struct {
	text     string
	does     action
	db, name string // the object it acts on
	columns  []string
	query    *Select // INSERT … SELECT
	flat     *flat
	view     *Definition // CREATE … VIEW
	verbs    []string    // the words after ALTER TABLE name, OPTIMIZE TABLE name, …
	settings map[string]string
}

// Script is a backfill or migration, in the order it runs.
type Script struct {
	cat   *Catalog
	steps []*Statement
}

// newScript parses statements and adds to the catalog what they create.
func newScript(c *Catalog, statements []string) *Script {
	s := &Script{cat: c}
	known := map[string]bool{}
	for _, t := range c.Tables {
		known[t.full()] = true
	}
	for _, d := range c.Definitions {
		known[d.DB+"."+d.Name] = true
	}
	for _, text := range statements {
		st := parseStatement(text, c.DefaultDB)
		s.steps = append(s.steps, st)
		s.learn(st, known)
	}
	return s
}

// learn adds a created table or view that the server does not have.
func (s *Script) learn(st *Statement, known map[string]bool) {
	if st.does != createAction || known[st.db+"."+st.name] {
		s.learnPopulate(st)
		return
	}
	if st.view != nil {
		st.view.fromScript = true
		s.cat.Definitions = append(s.cat.Definitions, st.view)
	} else if t, ok := ParseTable(st.text, s.cat.DefaultDB); ok {
		s.cat.Tables = append(s.cat.Tables, t)
	}
	known[st.db+"."+st.name] = true
}

// learnPopulate notes what the server forgets: how a view was created.
func (s *Script) learnPopulate(st *Statement) {
	if st.view == nil || !st.view.Populate {
		return
	}
	for _, d := range s.cat.Definitions {
		if d.DB == st.db && d.Name == st.name {
			d.Populate = true
		}
	}
}

// attach resolves the queries once the catalog is prepared.
func (s *Script) attach() {
	for _, st := range s.steps {
		if st.query != nil {
			st.flat = flatten(st.query, nil, 0)
		}
	}
}

// parseStatement reads one statement; what it does not know is otherAction.
func parseStatement(text, defaultDB string) *Statement {
	st := &Statement{text: text, does: otherAction, settings: map[string]string{}}
	if d, ok := ParseView(text, defaultDB); ok {
		st.does, st.view, st.db, st.name = createAction, d, d.DB, d.Name
		if strings.EqualFold(firstWord(text), "ATTACH") {
			st.does = attachAction
		}
		return st
	}
	if t, ok := ParseTable(text, defaultDB); ok {
		st.does, st.db, st.name = createAction, t.DB, t.Name
		if strings.EqualFold(firstWord(text), "ATTACH") {
			st.does = attachAction
		}
		return st
	}
	newParser(text).statement(st, defaultDB)
	return st
}

func firstWord(text string) string { return lex(text)[0].text }

func (p *parser) statement(st *Statement, defaultDB string) {
	switch {
	case p.accept("INSERT", "INTO"):
		st.does = insertAction
		p.insert(st, defaultDB)
	case p.accept("DROP") || p.accept("DETACH"):
		if p.accept("TABLE") || p.accept("VIEW") {
			st.does = dropAction
			st.db, st.name = p.objectName(defaultDB)
		}
	case p.accept("ALTER", "TABLE"):
		st.does = alterAction
		p.rest(st, defaultDB)
	case p.accept("UPDATE"), p.accept("DELETE", "FROM"):
		st.does = mutateAction
		p.rest(st, defaultDB)
	case p.accept("TRUNCATE"):
		p.accept("TABLE")
		st.does = truncateAction
		p.rest(st, defaultDB)
	case p.accept("OPTIMIZE", "TABLE"):
		st.does = optimizeAction
		p.rest(st, defaultDB)
	case p.accept("SET"):
		st.does = setAction
		s := &Select{settings: st.settings}
		if p.settings(s) != nil {
			st.does = otherAction
		}
	}
}

// rest reads the object's name and keeps the words that follow.
func (p *parser) rest(st *Statement, defaultDB string) {
	st.db, st.name = p.objectName(defaultDB)
	p.skipHead()
	for p.peek().kind != endToken {
		st.verbs = append(st.verbs, strings.ToUpper(p.next().text))
	}
}

func (p *parser) insert(st *Statement, defaultDB string) {
	p.accept("TABLE")
	st.db, st.name = p.objectName(defaultDB)
	if p.peek().is("(") && !p.ahead(1).is("SELECT") && !p.ahead(1).is("WITH") {
		p.next()
		for p.peek().kind != endToken && !p.accept(")") {
			if t := p.next(); t.kind == wordToken || t.kind == quotedToken {
				st.columns = append(st.columns, t.text)
			}
		}
	}
	if p.accept("SETTINGS") {
		s := &Select{settings: st.settings}
		if p.settings(s) != nil {
			return
		}
	}
	if p.peek().is("SELECT") || p.peek().is("WITH") || p.peek().is("(") || p.peek().is("FROM") {
		if q, err := p.union(); err == nil {
			st.query = q
			for name, value := range q.settings {
				st.settings[name] = value
			}
		}
	}
}

// says tells whether the words after the object's name hold these, in order.
func (st *Statement) says(words ...string) bool {
	for i := 0; i+len(words) <= len(st.verbs); i++ {
		found := true
		for j, w := range words {
			found = found && st.verbs[i+j] == w
		}
		if found {
			return true
		}
	}
	return false
}

func (st *Statement) full() string { return st.db + "." + st.name }

// short gives the beginning of the statement, for evidence.
func (st *Statement) short() string { return shorten(st.text) }

func shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 160 {
		return string(runes[:160]) + "…"
	}
	return text
}

// reads tells whether an INSERT … SELECT reads this table.
func (st *Statement) reads(c *Catalog, t *Table) bool {
	return st.flat != nil && st.flat.from != nil && t != nil && c.read(st.flat.from) == c.behind(t)
}

// computed gives, per target column, what an INSERT … SELECT computes for it.
func (st *Statement) computed(target *Table) map[string]*Expr {
	names := st.columns
	if len(names) == 0 && target != nil {
		for _, c := range target.Columns {
			if c.DefaultKind != "MATERIALIZED" && c.DefaultKind != "ALIAS" {
				names = append(names, c.Name)
			}
		}
	}
	if st.flat == nil || len(names) != len(st.flat.outputs) {
		return nil
	}
	out := map[string]*Expr{}
	for i, n := range names {
		out[n] = st.flat.outputs[i]
	}
	return out
}
