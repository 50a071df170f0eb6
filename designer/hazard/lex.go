package hazard

import "strings"

// tokenKind sorts the words of a SQL text.
type tokenKind int

const (
	wordToken   tokenKind = iota // identifier or keyword, not quoted
	quotedToken                  // `identifier` or "identifier"
	stringToken                  // 'text'
	numberToken
	signToken // operator or punctuation
	endToken
)

// token is one word of a SQL text; text is unquoted for quoted kinds.
type token struct {
	kind tokenKind
	text string
	from int // where it begins in the text
	to   int // where it ends
}

// is tells whether the token is this keyword or sign, whatever its case.
func (t token) is(text string) bool {
	return (t.kind == wordToken || t.kind == signToken) && strings.EqualFold(t.text, text)
}

// longSigns are the operators of more than one character, longest first.
var longSigns = []string{"<=>", "::", "->", "<=", ">=", "<>", "!=", "==", "||"}

// lex cuts a SQL text into tokens and drops comments. Text that no token fits
// becomes a sign of one byte, so that it never fails.
func lex(sql string) []token {
	var out []token
	for i := 0; i < len(sql); {
		next := skipBlank(sql, i)
		if next > i {
			i = next
			continue
		}
		t := lexOne(sql, i)
		out = append(out, t)
		i = t.to
	}
	return append(out, token{kind: endToken, from: len(sql), to: len(sql)})
}

// skipBlank passes over one blank or comment at i, if there is one.
func skipBlank(sql string, i int) int {
	rest := sql[i:]
	switch {
	case strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "#!") || strings.HasPrefix(rest, "# "):
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			return i + n + 1
		}
		return len(sql)
	case strings.HasPrefix(rest, "/*"):
		if n := strings.Index(rest[2:], "*/"); n >= 0 {
			return i + n + 4
		}
		return len(sql)
	case rest[0] == ' ' || rest[0] == '\n' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\f' || rest[0] == '\v':
		return i + 1
	}
	return i
}

// lexOne reads the token that begins at i.
func lexOne(sql string, i int) token {
	c := sql[i]
	switch {
	case c == '\'':
		text, to := lexQuoted(sql, i)
		return token{stringToken, text, i, to}
	case c == '`' || c == '"':
		text, to := lexQuoted(sql, i)
		return token{quotedToken, text, i, to}
	case isWordStart(c):
		to := i + 1
		for to < len(sql) && (isWordStart(sql[to]) || isDigit(sql[to])) {
			to++
		}
		return token{wordToken, sql[i:to], i, to}
	case isDigit(c):
		to := lexNumber(sql, i)
		return token{numberToken, sql[i:to], i, to}
	}
	for _, sign := range longSigns {
		if strings.HasPrefix(sql[i:], sign) {
			return token{signToken, sign, i, i + len(sign)}
		}
	}
	return token{signToken, sql[i : i+1], i, i + 1}
}

// lexQuoted reads a quoted text whose quote stands at i; a missing end is the end of the text.
func lexQuoted(sql string, i int) (string, int) {
	quote := sql[i]
	var b strings.Builder
	for j := i + 1; j < len(sql); j++ {
		switch c := sql[j]; {
		case c == '\\' && j+1 < len(sql):
			j++
			b.WriteByte(unescape(sql[j]))
		case c == quote && j+1 < len(sql) && sql[j+1] == quote:
			j++
			b.WriteByte(quote)
		case c == quote:
			return b.String(), j + 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), len(sql)
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case '0':
		return 0
	}
	return c
}

func lexNumber(sql string, i int) int {
	to := i
	for to < len(sql) {
		c := sql[to]
		exponent := (c == '+' || c == '-') && (sql[to-1] == 'e' || sql[to-1] == 'E') && !strings.HasPrefix(sql[i:], "0x")
		point := c == '.' && to+1 < len(sql) && isDigit(sql[to+1])
		if !isDigit(c) && !isWordStart(c) && !exponent && !point {
			break
		}
		to++
	}
	return to
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// Split cuts a text of several statements at the semicolons outside quotes and comments.
func Split(sql string) []string {
	var out []string
	start := 0
	toks := lex(sql)
	for _, t := range toks {
		if t.kind == endToken || t.kind == signToken && t.text == ";" {
			if text := strings.TrimSpace(sql[start:t.from]); text != "" && hasTokens(text) {
				out = append(out, text)
			}
			start = t.to
		}
	}
	return out
}

// hasTokens tells a statement from blanks and comments alone.
func hasTokens(sql string) bool { return lex(sql)[0].kind != endToken }
