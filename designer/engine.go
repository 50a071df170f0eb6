package designer

import (
	"slices"
	"strings"
)

// Engine is a table engine with its arguments; the paths that Replicated and
// Shared engines take are left off, and so are those prefixes.
type Engine struct {
	Name string
	Args []string
}

// ParseEngine reads an engine clause such as
// "ReplicatedReplacingMergeTree('/t/{shard}', '{replica}', _version)". What
// follows the closing parenthesis (ORDER BY, SETTINGS) is not read.
func ParseEngine(s string) Engine {
	s = strings.TrimSpace(s)
	open := strings.IndexByte(s, '(')
	word := strings.IndexAny(s, " \t\n")
	if open < 0 || (word >= 0 && word < open) {
		if word >= 0 {
			s = s[:word]
		}
		return Engine{Name: plainEngine(s)}
	}
	e := Engine{Name: plainEngine(s[:open])}
	e.Args = splitTop(balanced(s[open+1:]))
	if e.Name != s[:open] && len(e.Args) >= 2 && strings.HasPrefix(e.Args[0], "'") && strings.HasPrefix(e.Args[1], "'") {
		e.Args = e.Args[2:]
	}
	for i, a := range e.Args {
		e.Args[i] = unquoteIdent(a)
	}
	return e
}

func plainEngine(name string) string {
	name = strings.TrimSpace(name)
	for _, prefix := range []string{"Replicated", "Shared"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && strings.HasSuffix(rest, "MergeTree") {
			return rest
		}
	}
	return name
}

// Replacing reports whether merges keep one row per sorting key.
func (e Engine) Replacing() bool { return e.Name == "ReplacingMergeTree" }

// CollapsingKind reports whether merges cancel rows by a sign column.
func (e Engine) CollapsingKind() bool {
	return e.Name == "CollapsingMergeTree" || e.Name == "VersionedCollapsingMergeTree"
}

// Folding reports whether merges add rows up, so that rows are no events.
func (e Engine) Folding() bool {
	return slices.Contains([]string{"SummingMergeTree", "AggregatingMergeTree", "GraphiteMergeTree", "CoalescingMergeTree"}, e.Name)
}

// Arg gives the i-th argument, or "" where there is none.
func (e Engine) Arg(i int) string {
	if i < len(e.Args) {
		return e.Args[i]
	}
	return ""
}

// balanced gives the text up to the parenthesis that closes the one before it.
func balanced(s string) string {
	depth := 1
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\'', '`', '"':
			i = skipQuoted(s, i)
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth == 0 {
				return s[:i]
			}
		}
	}
	return s
}

// splitTop splits at the commas outside quotes and parentheses.
func splitTop(s string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\'', '`', '"':
			i = skipQuoted(s, i)
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	if rest := strings.TrimSpace(s[min(from, len(s)):]); rest != "" {
		out = append(out, rest)
	}
	return out
}

// skipQuoted gives the index of the quote that closes the one at i.
func skipQuoted(s string, i int) int {
	q := s[i]
	for i++; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == q {
			return i
		}
	}
	return len(s)
}

func unquoteIdent(s string) string {
	if len(s) >= 2 && (s[0] == '`' || s[0] == '"') && s[len(s)-1] == s[0] {
		r := strings.NewReplacer("\\\\", "\\", "\\`", "`", "\\\"", "\"", "``", "`")
		return r.Replace(s[1 : len(s)-1])
	}
	return s
}
