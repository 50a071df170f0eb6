// Package ddl holds ClickHouse statements as values; only its printer writes
// commas and indents, and only its types quote.
package ddl

import "strings"

var identEscape = strings.NewReplacer("\\", "\\\\", "`", "\\`")

// Ident gives a name as a ClickHouse identifier, always in backticks.
func Ident(name string) string { return "`" + identEscape.Replace(name) + "`" }

// Table gives database.table, both quoted.
func Table(database, table string) string { return Ident(database) + "." + Ident(table) }

// Idents quotes every name.
func Idents(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = Ident(n)
	}
	return out
}

var textEscape = strings.NewReplacer("\\", "\\\\", "'", "\\'", "\n", "\\n", "\r", "\\r", "\t", "\\t", "\x00", "\\0")

// Literal gives a string as a ClickHouse literal.
func Literal(s string) string { return "'" + textEscape.Replace(s) + "'" }

// Comment gives text as SQL comment lines, whatever line ends it holds.
func Comment(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "").Replace(text)
	return "-- " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n-- ") + "\n"
}
