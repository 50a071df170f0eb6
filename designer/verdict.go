package designer

import "github.com/rollsmith/rollsmith/designer/ddl"

// Reason is a short stable code and a sentence in the reader's own names.
type Reason struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Verdict is what a pattern says of a design: For where it fits, Against where
// it cannot be right. It fits when nothing is against it.
type Verdict struct {
	For     []Reason
	Against []Reason
}

// Fits reports whether the pattern answers rightly.
func (v Verdict) Fits() bool { return len(v.Against) == 0 }

// Pattern is a way for target, view and read query to work together.
type Pattern struct {
	ID    string // as in SPEC §1: document value, URL, folder name
	Title string
	// Price says in a sentence what reading and keeping it costs.
	Price string
	// Judge says whether the pattern answers the design rightly, and why.
	Judge func(*Rollup) Verdict
	// Plan gives the statements, also for a design that Judge is against: so
	// that its counterexample can be shown.
	Plan func(*Rollup) *ddl.Plan
}

// Rejection is a pattern that was not chosen, and why.
type Rejection struct {
	Pattern string `json:"pattern"`
	Code    string `json:"code"`
	Text    string `json:"text"`
	// Right is set where the pattern would answer rightly but costs more.
	Right bool `json:"-"`
}

// Decision is a chosen pattern with everything that was weighed.
type Decision struct {
	Rollup    *Rollup
	Pattern   string
	Title     string
	Reasons   []Reason
	Rejected  []Rejection
	Warnings  []Reason
	Questions []Reason
	Plan      *ddl.Plan
}
