package cluster

import "strings"

// word is a token of a statement as ClickHouse prints it: a name, a number, a
// quoted name or string, or one sign.
type word struct {
	text   string // unquoted
	quoted bool   // it stood in backticks, double or single quotes
	start  int    // where it stands in the statement
	end    int
}

// scanWords splits the beginning of a statement that ClickHouse itself printed
// into at most most words. It is no parser: it finds clauses, and leaves what an
// expression means to the server.
func scanWords(sql string, most int) []word {
	var words []word
	for i := 0; i < len(sql) && len(words) < most; {
		switch c := sql[i]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
		case c == '`' || c == '"' || c == '\'':
			end := quotedEnd(sql, i)
			words = append(words, word{unquote(sql[i:end]), true, i, end})
			i = end
		case isNameByte(c):
			end := i
			for end < len(sql) && isNameByte(sql[end]) {
				end++
			}
			words = append(words, word{sql[i:end], false, i, end})
			i = end
		default:
			words = append(words, word{sql[i : i+1], false, i, i + 1})
			i++
		}
	}
	return words
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// quotedEnd is the index after the quoted piece that begins at start.
func quotedEnd(sql string, start int) int {
	quote := sql[start]
	for i := start + 1; i < len(sql); i++ {
		switch {
		case sql[i] == '\\':
			i++
		case sql[i] == quote && i+1 < len(sql) && sql[i+1] == quote:
			i++
		case sql[i] == quote:
			return i + 1
		}
	}
	return len(sql)
}

// unquote gives what a quoted name or string stands for.
func unquote(s string) string {
	if len(s) < 2 || s[0] != s[len(s)-1] {
		return s
	}
	quote, body := s[0], s[1:len(s)-1]
	var b strings.Builder
	for i := 0; i < len(body); i++ {
		if (body[i] == '\\' || body[i] == quote) && i+1 < len(body) {
			i++
			switch {
			case body[i-1] == '\\' && body[i] == 'n':
				b.WriteByte('\n')
				continue
			case body[i-1] == '\\' && body[i] == 't':
				b.WriteByte('\t')
				continue
			}
		}
		b.WriteByte(body[i])
	}
	return b.String()
}

// splitTop splits a list at the commas outside brackets and quotes.
func splitTop(list string) []string {
	var parts []string
	depth, from := 0, 0
	for i := 0; i < len(list); i++ {
		switch c := list[i]; c {
		case '`', '"', '\'':
			i = quotedEnd(list, i) - 1
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(list[from:i]))
				from = i + 1
			}
		}
	}
	if last := strings.TrimSpace(list[from:]); last != "" {
		parts = append(parts, last)
	}
	return parts
}

// bracketed gives what stands between the bracket at open and its counterpart.
func bracketed(sql string, open int) string {
	depth := 0
	for i := open; i < len(sql); i++ {
		switch sql[i] {
		case '`', '"', '\'':
			i = quotedEnd(sql, i) - 1
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return sql[open+1 : i]
			}
		}
	}
	return sql[open+1:]
}
