package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ParsePlan reads EXPLAIN PLAN, as JSON or as the indented text of servers that
// know no JSON. It keeps what it does not know of as plain steps.
func ParsePlan(raw string) (*PlanNode, error) {
	if strings.HasPrefix(strings.TrimSpace(raw), "[") {
		return parseJSONPlan(raw)
	}
	return parseTextPlan(raw)
}

// jsonNode is a step as EXPLAIN json = 1 writes it; older servers leave out
// what they do not know.
type jsonNode struct {
	Type        string     `json:"Node Type"`
	Description string     `json:"Description"`
	Plans       []jsonNode `json:"Plans"`
	Indexes     []struct {
		Type          string   `json:"Type"`
		Name          string   `json:"Name"`
		Description   string   `json:"Description"`
		Keys          []string `json:"Keys"`
		Condition     string   `json:"Condition"`
		InitialParts  uint64   `json:"Initial Parts"`
		Parts         uint64   `json:"Selected Parts"`
		InitialGrains uint64   `json:"Initial Granules"`
		Grains        uint64   `json:"Selected Granules"`
	} `json:"Indexes"`
}

// deepest bounds how far a plan may nest; a deeper one is no plan.
const deepest = 200

var errTooDeep = errors.New("the plan nests deeper than any plan does")

func parseJSONPlan(raw string) (*PlanNode, error) {
	var plans []struct {
		Plan jsonNode `json:"Plan"`
	}
	if err := json.Unmarshal([]byte(raw), &plans); err != nil {
		return nil, fmt.Errorf("read the plan's JSON: %w", err)
	}
	if len(plans) == 0 {
		return nil, errors.New("the plan is empty")
	}
	return plans[0].Plan.node(0)
}

func (j jsonNode) node(depth int) (*PlanNode, error) {
	if depth > deepest {
		return nil, errTooDeep
	}
	n := &PlanNode{Type: j.Type, Description: j.Description}
	for _, i := range j.Indexes {
		n.use(IndexUse{Type: i.Type, Name: i.Name, Description: i.Description, Keys: i.Keys, Condition: i.Condition,
			PartsBefore: i.InitialParts, PartsAfter: i.Parts, GranulesBefore: i.InitialGrains, GranulesAfter: i.Grains})
	}
	n.nameRead()
	for _, child := range j.Plans {
		c, err := child.node(depth + 1)
		if err != nil {
			return nil, err
		}
		n.Children = append(n.Children, c)
	}
	return n, nil
}

// use adds an index to a reading step. The first index sees everything, the
// last one leaves what is read.
func (n *PlanNode) use(i IndexUse) {
	if n.Read == nil {
		n.Read = &Read{}
	}
	if len(n.Read.Indexes) == 0 {
		n.Read.PartsAll, n.Read.GranulesAll = i.PartsBefore, i.GranulesBefore
	}
	n.Read.Indexes = append(n.Read.Indexes, i)
	n.Read.Parts, n.Read.Granules = i.PartsAfter, i.GranulesAfter
}

// nameRead tells a table ("shop.orders") from a projection, whose name stands
// alone.
func (n *PlanNode) nameRead() {
	if !strings.HasPrefix(n.Type, "ReadFrom") {
		return
	}
	if n.Read == nil {
		n.Read = &Read{}
	}
	if strings.Contains(n.Description, ".") || n.Type != "ReadFromMergeTree" {
		n.Read.Table = n.Description
	} else {
		n.Read.Projection = n.Description
	}
}

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
