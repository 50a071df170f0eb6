package sandbox

import (
	"fmt"
	"strings"
)

// guard refuses the few characters that would let one expression reach into the
// next when several are sent in one statement: comments, statement ends, heredocs
// and typographic quotes, wherever they stand outside a string or a quoted name.
// Everything else is left to the engine's own parser.
func guard(text string) error {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c == '\'' || c == '"' || c == '`' {
			end := endOfQuote(text, i)
			if end < 0 {
				return fmt.Errorf("the quote %c at position %d is not closed", c, i+1)
			}
			i = end
			continue
		}
		for mark, what := range forbiddenMarks {
			if strings.HasPrefix(text[i:], mark) {
				return fmt.Errorf("%s at position %d", what, i+1)
			}
		}
	}
	return nil
}

var forbiddenMarks = map[string]string{
	"--": "a comment", "/*": "a comment", "#": "a comment",
	";": "the end of a statement", "$": "an unquoted $", "\x00": "a zero byte",
	"‘": "a typographic quote", "’": "a typographic quote",
	"“": "a typographic quote", "”": "a typographic quote",
}

// endOfQuote finds where the quote that opens at start closes; a backslash takes
// the next byte with it, and a doubled quote simply opens again.
func endOfQuote(text string, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[start]:
			return i
		}
	}
	return -1
}
