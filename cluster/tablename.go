package cluster

import (
	"strings"

	"github.com/rollsmith/rollsmith/problem"
)

// ParseTableName splits "database.table". A name with a dot or a space in it
// stands in backticks: `my shop`.`all orders`.
func ParseTableName(text string) (database, table string, err error) {
	wrong := problem.Field("table-name", "table", text, "This is not database.table.", "Write shop.orders; put names with dots or spaces in backticks.")
	if !strings.ContainsAny(text, "`\"") {
		database, table, found := strings.Cut(text, ".")
		if !found || database == "" || table == "" {
			return "", "", wrong
		}
		return database, table, nil
	}
	words := scanWords(text, 4)
	if len(words) != 3 || words[1].quoted || words[1].text != "." || words[0].text == "" || words[2].text == "" {
		return "", "", wrong
	}
	return words[0].text, words[2].text, nil
}
