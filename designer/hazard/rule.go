package hazard

// Severity is how bad a finding is. Only an error makes a verdict wrong.
type Severity string

const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Finding is one hazard found. With a Condition it holds only if that does.
type Finding struct {
	Code      string   `json:"code"`
	Severity  Severity `json:"severity"`
	Text      string   `json:"text"`
	Evidence  string   `json:"evidence"`
	Repair    string   `json:"repair"`
	Condition string   `json:"condition,omitempty"`
}

// Rule is one hazard: what it is called, what it says about itself, how it is
// found. A rule has whichever of View, Reading and Script it can be seen in.
type Rule struct {
	Code     string // as in the catalog of hazards; stable
	Title    string
	Doc      string
	Severity Severity
	Hides    []string // codes that say the same with less when both are found on one view
	View     func(*View) []Finding
	Reading  func(*Reading) []Finding
	Script   func(*Script) []ScriptFinding
}

// ScriptFinding is a finding in a script, about the view it harms.
type ScriptFinding struct {
	View *View
	Finding
}

// one makes a list of a single finding.
func one(text, evidence, repair string) []Finding {
	return []Finding{{Text: text, Evidence: evidence, Repair: repair}}
}

// when makes a single finding that holds only under a condition.
func when(condition, text, evidence, repair string) []Finding {
	return []Finding{{Text: text, Evidence: evidence, Repair: repair, Condition: condition}}
}

// complete fills in what every finding of the rule shares.
func (r *Rule) complete(f Finding) Finding {
	f.Code = r.Code
	if f.Severity == "" {
		f.Severity = r.Severity
	}
	return f
}
