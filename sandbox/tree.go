package sandbox

import (
	"regexp"
	"strings"
)

// node is a line of EXPLAIN AST or EXPLAIN QUERY TREE with the lines below it.
type node struct {
	text string
	kids []*node
}

// parseTree reads an indented listing; step is how many blanks one level takes.
func parseTree(lines []string, step int) *node {
	root := &node{}
	open := []*node{root} // open[i] is the last node at depth i
	for _, line := range lines {
		text := strings.TrimLeft(line, " ")
		depth := (len(line)-len(text))/step + 1
		if depth > len(open) {
			depth = len(open)
		}
		n := &node{text: text}
		open = append(open[:depth], n)
		open[depth-1].kids = append(open[depth-1].kids, n)
	}
	return root
}

// child is the first kid whose text begins so.
func (n *node) child(prefix string) *node {
	if n == nil {
		return nil
	}
	for _, k := range n.kids {
		if strings.HasPrefix(k.text, prefix) {
			return k
		}
	}
	return nil
}

// walk visits the node and all below it until visit says stop.
func (n *node) walk(visit func(*node) error) error {
	if err := visit(n); err != nil {
		return err
	}
	for _, k := range n.kids {
		if err := k.walk(visit); err != nil {
			return err
		}
	}
	return nil
}

// arguments are a function's, in a query tree.
func (n *node) arguments() []*node {
	list := n.child("ARGUMENTS").child("LIST")
	if list == nil {
		return nil
	}
	return list.kids
}

var (
	functionLine = regexp.MustCompile(`^FUNCTION id: \d+, function_name: ([^,]+), function_type: (\w+)`)
	sourceLine   = regexp.MustCompile(`^COLUMN id: \d+, column_name: (.*), result_type: .*, source_id: (\d+)`)
	tableLine    = regexp.MustCompile(`^TABLE_FUNCTION id: (\d+),`)
)

// function gives a function node's name and type (ordinary, aggregate, window).
func (n *node) function() (name, kind string) {
	if m := functionLine.FindStringSubmatch(n.text); m != nil {
		return m[1], m[2]
	}
	return "", ""
}

// resultType is the type the engine gives a node of a query tree.
func (n *node) resultType() string {
	mark := ", result_type: "
	if strings.HasPrefix(n.text, "CONSTANT ") {
		mark = ", constant_value_type: "
	}
	at := strings.LastIndex(n.text, mark)
	if at < 0 {
		return ""
	}
	text := n.text[at+len(mark):]
	if strings.HasPrefix(n.text, "COLUMN ") {
		text = text[:strings.LastIndex(text, ", source_id: ")]
	}
	return text
}

// constantText is the value of a constant that is a string.
func (n *node) constantText() (string, bool) {
	const mark = ", constant_value: '"
	at, end := strings.Index(n.text, mark), strings.LastIndex(n.text, "', constant_value_type: ")
	if !strings.HasPrefix(n.text, "CONSTANT ") || at < 0 || end < at+len(mark) {
		return "", false
	}
	return n.text[at+len(mark) : end], true
}

// identifier is what an identifier of a syntax tree names, and its alias if it
// has one; a column may be called "x (alias y)".
func (n *node) alias(columns map[string]bool) string {
	if name, ok := strings.CutPrefix(n.text, "Identifier "); ok && columns[name] {
		return ""
	}
	if m := aliasText.FindStringSubmatch(n.text); m != nil {
		return m[1]
	}
	return ""
}

var aliasText = regexp.MustCompile(`\(alias (.*)\)(?: \(children \d+\))?$`)
