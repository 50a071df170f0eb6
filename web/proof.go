package web

// Proof is the page of a revision's proofs.
type Proof struct {
	Name    string
	N       int
	URL     string // of the revision
	Running *ProofProgress
	Results []ProofResult
}

// ProofProgress is how far a proof is.
type ProofProgress struct {
	Phase                      string
	Round, Rounds, Checkpoints int
	Failed                     bool
	Took                       string
}

// ProofResult is what one run showed.
type ProofResult struct {
	ProofRow
	Error       string
	Checkpoints int
	Speed       float64
	Story       *Story
	Naive       string // the pattern that was tried beside it
	NaiveFailed bool
	NaiveStory  *Story
}

// Story is a counterexample, event by event.
type Story struct {
	Pattern, Checkpoint string
	Seed                uint64
	Events              []StoryEvent
	Steps               []string
	Read, Truth         Grid
	Mismatches          []string
	Complaint           string
	SQL                 string
}

// StoryEvent is one row that arrived, and what the views wrote for it.
type StoryEvent struct {
	Insert        int
	Kind, Columns string
	Wrote         []string
}

// Grid is a small table.
type Grid struct {
	Head []string
	Rows [][]string
}

// WhyNot is the page that shows what goes wrong with a pattern.
type WhyNot struct {
	Name           string
	N              int
	URL            string
	Pattern, Title string
	Reason         ReasonRow
	Story          *Story
	Trouble        *Trouble
}
