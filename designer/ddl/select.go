package ddl

import (
	"fmt"
	"strings"
)

// Item is one output column of a SELECT. An empty alias leaves the expression
// as it is.
type Item struct{ Expr, Alias string }

// Setting is one name and value of a SETTINGS clause.
type Setting struct{ Name, Value string }

// Select is a query. From is a quoted table or table function; where Sub is
// set, the query reads that instead, and where Union is set, all of those.
type Select struct {
	Items    []Item
	From     string
	Final    bool
	Sub      *Select
	Union    []Select
	Where    []string
	GroupBy  []string
	Having   []string
	OrderBy  []string
	LimitBy  string
	Settings []Setting
}

// Col gives a column under its own name.
func Col(name string) Item { return Item{Expr: Ident(name)} }

// As gives an expression a quoted name.
func As(expr, name string) Item { return Item{Expr: expr, Alias: name} }

// SQL prints the query without a semicolon.
func (s Select) SQL() string {
	var b strings.Builder
	s.print(&b, "")
	return strings.TrimRight(b.String(), "\n")
}

// Statement prints the query with its semicolon and a line end.
func (s Select) Statement() string { return s.SQL() + ";\n" }

func (s Select) print(b *strings.Builder, in string) {
	b.WriteString(in + "SELECT\n")
	for i, it := range s.Items {
		b.WriteString(in + "    " + it.Expr)
		if it.Alias != "" && it.Expr != Ident(it.Alias) {
			b.WriteString(" AS " + Ident(it.Alias))
		}
		if i < len(s.Items)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	s.printFrom(b, in)
	s.printList(b, in, "WHERE ", "\n"+in+"  AND ", s.Where)
	s.printList(b, in, "GROUP BY ", ", ", s.GroupBy)
	s.printList(b, in, "HAVING ", "\n"+in+"   AND ", s.Having)
	s.printList(b, in, "ORDER BY ", ", ", s.OrderBy)
	if s.LimitBy != "" {
		b.WriteString(in + "LIMIT 1 BY " + s.LimitBy + "\n")
	}
	s.printList(b, in, "SETTINGS\n"+in+"    ", ",\n"+in+"    ", settingText(s.Settings))
}

func (s Select) printFrom(b *strings.Builder, in string) {
	switch {
	case len(s.Union) > 0:
		b.WriteString(in + "FROM\n" + in + "(\n")
		for i, u := range s.Union {
			if i > 0 {
				b.WriteString(in + "    UNION ALL\n")
			}
			u.print(b, in+"    ")
		}
		b.WriteString(in + ")\n")
	case s.Sub != nil:
		b.WriteString(in + "FROM\n" + in + "(\n")
		s.Sub.print(b, in+"    ")
		b.WriteString(in + ")\n")
	case s.From != "":
		b.WriteString(in + "FROM " + s.From)
		if s.Final {
			b.WriteString(" FINAL")
		}
		b.WriteByte('\n')
	}
}

func (s Select) printList(b *strings.Builder, in, word, sep string, list []string) {
	if len(list) > 0 {
		b.WriteString(in + word + strings.Join(list, sep) + "\n")
	}
}

func settingText(settings []Setting) []string {
	out := make([]string, len(settings))
	for i, s := range settings {
		out[i] = s.Name + " = " + s.Value
	}
	return out
}

// Paren puts an expression that a person typed in parentheses, so that it stays
// one expression wherever it is put. A line end keeps a comment from eating the
// closing one.
func Paren(expr string) string {
	if isWord(expr) {
		return expr
	}
	if strings.Contains(expr, "--") || strings.Contains(expr, "#") {
		return "(" + expr + "\n)"
	}
	return "(" + expr + ")"
}

// isWord reports whether the expression is a name or a number.
func isWord(s string) bool {
	if len(s) > 2 && s[0] == '`' && strings.IndexByte(s[1:], '`') == len(s)-2 {
		return true
	}
	for _, c := range s {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return s != ""
}

// Call prints a function call.
func Call(name string, args ...string) string {
	return fmt.Sprintf("%s(%s)", name, strings.Join(args, ", "))
}
