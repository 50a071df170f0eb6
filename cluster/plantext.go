package cluster

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// drawing are the characters that draw a tree before a step.
const drawing = " │├└─|`-"

// parseTextPlan reads the indented form: a step is "Type (Description)", and
// its indexes follow below it as "Type", "Condition:", "Parts:", "Granules:".
func parseTextPlan(raw string) (*PlanNode, error) {
	type open struct {
		node  *PlanNode
		depth int
	}
	var stack []open
	var root *PlanNode
	var index *IndexUse
	flush := func() {
		if index != nil && len(stack) > 0 {
			stack[len(stack)-1].node.use(*index)
		}
		index = nil
	}
	inIndexes := false
	for _, line := range strings.Split(raw, "\n") {
		text := strings.TrimLeft(line, drawing)
		if text == "" || strings.HasPrefix(text, "Output:") && root == nil {
			continue
		}
		depth := len([]rune(line)) - len([]rune(text))
		name, value, isField := strings.Cut(text, ":")
		switch {
		case text == "Indexes:":
			inIndexes = true
		case inIndexes && indexTypes[strings.TrimSpace(text)]:
			flush()
			index = &IndexUse{Type: strings.TrimSpace(text)}
		case inIndexes && index != nil && isField && strings.TrimSpace(name) != "":
			index.field(strings.TrimSpace(name), strings.TrimSpace(value))
		case inIndexes && index != nil && !startsStep(text):
			index.Keys = append(index.Keys, strings.TrimSpace(text))
		case startsStep(text):
			flush()
			inIndexes = false
			step := newStep(text)
			for len(stack) > 0 && stack[len(stack)-1].depth >= depth {
				stack = stack[:len(stack)-1]
			}
			if len(stack) > deepest {
				return nil, errTooDeep
			}
			if len(stack) > 0 {
				parent := stack[len(stack)-1].node
				parent.Children = append(parent.Children, step)
			} else if root == nil {
				root = step
			}
			stack = append(stack, open{step, depth})
		}
	}
	flush()
	if root == nil {
		return nil, errors.New("there is no step in it that could be read")
	}
	return root, nil
}

var indexTypes = map[string]bool{"MinMax": true, "Min-Max": true, "Partition": true, "PrimaryKey": true, "Skip": true, "PrimaryKeyExpand": true, "Statistics": true}

// startsStep tells a step from a line about one: its first word is a name in
// capitals, and no colon follows before a bracket.
func startsStep(text string) bool {
	if text == "" || text[0] < 'A' || text[0] > 'Z' {
		return false
	}
	word := text
	if at := strings.IndexByte(text, ' '); at >= 0 {
		if word = text[:at]; !strings.HasPrefix(text[at+1:], "(") {
			return false
		}
	}
	return !strings.ContainsAny(word, ":=")
}

func newStep(text string) *PlanNode {
	kind, description, _ := strings.Cut(text, " (")
	n := &PlanNode{Type: kind, Description: strings.TrimSuffix(description, ")")}
	n.nameRead()
	return n
}

// field reads one line about an index, such as "Parts: 3/4".
func (i *IndexUse) field(name, value string) {
	switch name {
	case "Name":
		i.Name = value
	case "Description":
		i.Description = value
	case "Condition":
		i.Condition = value
	case "Parts":
		i.PartsAfter, i.PartsBefore = fraction(value)
	case "Granules":
		i.GranulesAfter, i.GranulesBefore = fraction(value)
	}
}

func fraction(text string) (part, whole uint64) {
	a, b, _ := strings.Cut(text, "/")
	part, _ = strconv.ParseUint(strings.TrimSpace(a), 10, 64)
	whole, _ = strconv.ParseUint(strings.TrimSpace(b), 10, 64)
	return part, whole
}

// String draws the tree in text, one step a line, for people and for tests.
func (n *PlanNode) String() string {
	var b strings.Builder
	n.draw(&b, 0)
	return b.String()
}

func (n *PlanNode) draw(b *strings.Builder, depth int) {
	if n == nil {
		return
	}
	fmt.Fprintf(b, "%s%s", strings.Repeat("  ", depth), n.Type)
	if n.Description != "" {
		fmt.Fprintf(b, " (%s)", n.Description)
	}
	if r := n.Read; r != nil {
		fmt.Fprintf(b, " parts %d/%d granules %d/%d", r.Parts, r.PartsAll, r.Granules, r.GranulesAll)
	}
	b.WriteString("\n")
	for _, child := range n.Children {
		child.draw(b, depth+1)
	}
}
