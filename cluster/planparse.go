package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
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
