package highlight

import "strings"

// clauses begin a line of their own in a definition, outside parentheses.
var clauses = set("ENGINE PARTITION PRIMARY ORDER SAMPLE TTL SETTINGS COMMENT AS SELECT FROM WHERE GROUP HAVING LIMIT UNION TO REFRESH")

// Format breaks a definition that the server gives on one line into lines: the
// columns, and the clauses. It adds white space and changes nothing else.
func Format(sql string) string {
	if strings.Contains(sql, "\n") {
		return sql
	}
	var b strings.Builder
	depth, columns := 0, false
	for i := 0; i < len(sql); {
		end, kind := next(sql, i)
		text := sql[i:end]
		i = end
		switch {
		case kind == Keyword && depth == 0 && clauses[text] && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n"):
			trimmed := strings.TrimRight(b.String(), " ")
			b.Reset()
			b.WriteString(trimmed + "\n" + text)
		case kind == Plain && text == "(":
			depth++
			columns = columns || depth == 1 && isColumnList(b.String())
			if columns && depth == 1 {
				trimmed := strings.TrimRight(b.String(), " ")
				b.Reset()
				b.WriteString(trimmed)
				text = "\n(\n    "
			}
			b.WriteString(text)
		case kind == Plain && text == ")":
			depth--
			if columns && depth == 0 {
				columns, text = false, "\n)"
			}
			b.WriteString(text)
		case kind == Plain && text == "," && columns && depth == 1:
			b.WriteString(",\n    ")
			for i < len(sql) && sql[i] == ' ' {
				i++
			}
		default:
			b.WriteString(text)
		}
	}
	return b.String()
}

// isColumnList reports whether the parenthesis that follows opens the columns.
func isColumnList(before string) bool {
	return strings.HasPrefix(before, "CREATE") && !strings.Contains(before, "\n")
}
