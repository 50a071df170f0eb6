// Package highlight splits ClickHouse SQL into coloured pieces. It is a lexer
// only: it never fails and never loses a byte, whatever it is given.
package highlight

import (
	"strings"
	"unicode/utf8"
)

// Kind says what a piece of SQL is; its value is the class that colours it.
type Kind string

const (
	Plain      Kind = ""
	Keyword    Kind = "hk"
	Type       Kind = "ht"
	Function   Kind = "hf"
	String     Kind = "hs"
	Number     Kind = "hn"
	Comment    Kind = "hc"
	Identifier Kind = "hi" // quoted
)

// Piece is a run of one kind.
type Piece struct {
	Kind Kind
	Text string
}

// Lines splits SQL into lines of pieces. Joined by newlines they are the input.
func Lines(sql string) [][]Piece {
	lines := [][]Piece{nil}
	for _, p := range Pieces(sql) {
		for i, text := range strings.Split(p.Text, "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			if text != "" {
				last := len(lines) - 1
				lines[last] = append(lines[last], Piece{p.Kind, text})
			}
		}
	}
	return lines
}

// Pieces splits SQL into pieces; joined they are the input.
func Pieces(sql string) []Piece {
	var out []Piece
	add := func(kind Kind, text string) {
		if n := len(out); n > 0 && out[n-1].Kind == kind {
			out[n-1].Text += text
			return
		}
		out = append(out, Piece{kind, text})
	}
	for i := 0; i < len(sql); {
		end, kind := next(sql, i)
		add(kind, sql[i:end])
		i = end
	}
	return out
}

// next gives the end and the kind of the piece that begins at i.
func next(sql string, i int) (int, Kind) {
	switch c := sql[i]; {
	case strings.HasPrefix(sql[i:], "--"), c == '#' && (strings.HasPrefix(sql[i:], "# ") || strings.HasPrefix(sql[i:], "#!")):
		if n := strings.IndexByte(sql[i:], '\n'); n >= 0 {
			return i + n, Comment
		}
		return len(sql), Comment
	case strings.HasPrefix(sql[i:], "/*"):
		if n := strings.Index(sql[i+2:], "*/"); n >= 0 {
			return i + 2 + n + 2, Comment
		}
		return len(sql), Comment
	case c == '\'':
		return quotedEnd(sql, i), String
	case c == '`' || c == '"':
		return quotedEnd(sql, i), Identifier
	case digit(c):
		return numberEnd(sql, i), Number
	case letter(c):
		end := i + 1
		for end < len(sql) && (letter(sql[end]) || digit(sql[end])) {
			end++
		}
		return end, kindOfWord(sql, i, end)
	}
	_, size := utf8.DecodeRuneInString(sql[i:])
	return i + size, Plain
}

func letter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// quotedEnd is the index after the quote that closes the one at i: a backslash
// escapes, and a doubled quote is one of the text.
func quotedEnd(sql string, i int) int {
	quote := sql[i]
	for j := i + 1; j < len(sql); j++ {
		switch {
		case sql[j] == '\\':
			j++
		case sql[j] == quote && j+1 < len(sql) && sql[j+1] == quote:
			j++
		case sql[j] == quote:
			return j + 1
		}
	}
	return len(sql)
}

// numberEnd is the index after a number: 1, 1.5e-3, 0xFF.
func numberEnd(sql string, i int) int {
	j := i
	for j < len(sql) {
		c := sql[j]
		exponent := (c == '+' || c == '-') && sql[j-1]|0x20 == 'e' && !strings.HasPrefix(sql[i:], "0x") && j > i
		if !digit(c) && c != '.' && !(c|0x20 >= 'a' && c|0x20 <= 'z') && !exponent {
			break
		}
		j++
	}
	return j
}

// kindOfWord tells keywords from types from functions. A word before an opening
// parenthesis is a function unless it is a type or a keyword.
func kindOfWord(sql string, start, end int) Kind {
	word := sql[start:end]
	call := end < len(sql) && sql[end] == '('
	if start > 0 && sql[start-1] == '.' {
		return Plain
	}
	if types[word] {
		return Type
	}
	if upper := strings.ToUpper(word); keywords[upper] && (word == upper || !call && word == strings.ToLower(word) && lowerToo[upper]) {
		return Keyword
	}
	if strings.HasSuffix(word, "MergeTree") || engines[word] {
		return Type
	}
	if call {
		return Function
	}
	return Plain
}
