package cluster

import (
	"embed"
	"strings"
)

//go:embed query/*.sql
var queries embed.FS

// query gives the text of query/<name>.sql.
func query(name string) string {
	text, err := queries.ReadFile("query/" + name + ".sql")
	if err != nil {
		panic("no embedded query " + name) // a misspelt name is our bug, found by the first test
	}
	return strings.TrimSpace(string(text))
}

// ident quotes a name for ClickHouse; it escapes backslash and backtick.
func ident(name string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(name) + "`"
}

// idents quotes several names, with commas between.
func idents(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = ident(n)
	}
	return strings.Join(quoted, ", ")
}

// literal quotes a string for ClickHouse.
func literal(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}

// tableName is database.table, quoted.
func tableName(database, table string) string { return ident(database) + "." + ident(table) }
