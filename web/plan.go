package web

import "strings"

// Plans are two plans side by side.
type Plans struct {
	ID, Name       string
	N              int
	Source, Rollup PlanView
	Ratio          string
}

// PlanView is how one query would be answered.
type PlanView struct {
	Title, Where, SQL string
	Trouble           *Trouble
	Tree              *PlanStep
	Facts             []Fact
	Raw, Pipeline     string
	Missing           []string
}

// PlanStep is one step of a plan; rows flow up from its children.
type PlanStep struct {
	Type, Says string
	Read       *ReadView
	Children   []*PlanStep
}

// ReadView is what a step reads of a table.
type ReadView struct {
	Table, Projection     string
	Parts, PartsAll       uint64
	Granules, GranulesAll uint64
	Share                 int // of the granules
	Indexes               []IndexView
}

// IndexView is what one index kept.
type IndexView struct {
	Name, Condition               string
	GranulesBefore, GranulesAfter uint64
	PartsBefore, PartsAfter       uint64
}

// planWords leaves out of a step's description what only the planner needs.
func planWords(says string) string {
	var kept []string
	for _, part := range strings.FieldsFunc(says, func(r rune) bool { return r == '+' || r == '(' || r == ')' }) {
		part = strings.TrimSpace(part)
		switch part {
		case "", "Change column names to column identifiers", "Project names", "Projection", "Convert VIEW subquery result to VIEW table structure":
		default:
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, ", ")
}

// words is what an index was asked for; the server's "true" asks for nothing.
func (i IndexView) words() string {
	switch i.Condition {
	case "":
		return ""
	case "true":
		return ", no condition on it"
	}
	return ": " + i.Condition
}
