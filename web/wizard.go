package web

import (
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/designer"
)

// Wizard is the frame around one question of a draft.
type Wizard struct {
	ID, URL    string // of the draft
	Slug       string // of this step
	Version    int
	Source     string // database.table
	Cluster    string
	ClusterURL string // empty where the cluster is not connected
	Revises    string // address of the saved design it would revise
	Steps      []WizardStep
	Errors     Errors
	Document   string   // as it is now, for the side
	Truth      string   // what is asked so far, as SQL of the source
	Conflict   string   // the document another window saved meanwhile
	Differs    []Change // from that document to what was typed here
	Columns    []designer.Column
	Names      []string // columns as SQL, quoted where they must be
}

// WizardStep is one entry of the rail.
type WizardStep struct {
	Slug, Title, Answer string
	Open                bool // it lacks an answer
}

func (w Wizard) number() int {
	for i, s := range w.Steps {
		if s.Slug == w.Slug {
			return i + 1
		}
	}
	return 0
}

func (w Wizard) title() string {
	for _, s := range w.Steps {
		if s.Slug == w.Slug {
			return s.Title
		}
	}
	return ""
}

func (w Wizard) previous() string {
	if n := w.number(); n > 1 {
		return w.URL + "/" + w.Steps[n-2].Slug
	}
	return ""
}

// FieldID turns a path of the document into the id of its input.
func FieldID(path string) string {
	return strings.Trim(strings.NewReplacer("[", "-", "]", "", ".", "-").Replace(path), "-")
}

// Choice is one radio button with what it means.
type Choice struct {
	Value, Label, Hint string
	Tag, TagKind       string
}

// FeedStep asks how changes arrive.
type FeedStep struct {
	Wizard
	Source   designer.Source
	Feeds    []Choice
	Evidence []EvidenceRow
}

func (s FeedStep) key() string { return strings.Join(s.Source.Key, "\n") }

// MetricsStep asks what the rollup must answer.
type MetricsStep struct {
	Wizard
	Metrics []MetricRow
	Kinds   []Choice
}

// MetricRow is one metric as typed.
type MetricRow struct {
	Name, Kind, Expr, Where, Level, OrderBy, K, Numerator, Denominator string
	Approximate                                                        bool
}

// GrainStep asks what one answer row stands for.
type GrainStep struct {
	Wizard
	TimeColumn, Bucket, Timezone, TimeName string
	TimeColumns                            []string
	Dimensions                             []designer.Dimension
	Probes                                 []Probe
}

// FilterStep asks which rows count.
type FilterStep struct {
	Wizard
	Filter string
}

// StabilityStep asks what may change across the versions of one entity.
type StabilityStep struct {
	Wizard
	Never   string // set where the feed lets nothing change
	Items   []StabilityItem
	Settles string
	Probes  []Probe
}

// StabilityItem is one value that may or may not change.
type StabilityItem struct {
	ID, Name, Expr, Value, Says string
}

// Probe is a bounded measurement that the reader may run.
type Probe struct {
	ID, Name    string // the button says probe-NAME
	Title, Says string
	Ran         bool
	At          time.Time
	Trouble     *Trouble
	Results     []EvidenceRow
	Rows        []ProbeRow
}

// ProbeRow is one line of a measurement.
type ProbeRow struct {
	Name, Value, Note string
	Share             int
}

// DeliveryStep asks how fresh, how history arrives, and where it goes.
type DeliveryStep struct {
	Wizard
	Name                          string
	FreshMode, FreshText          string
	BackfillMode                  string
	BackfillColumn, BackfillValue string
	Database, Prefix              string
	OnCluster, ShardingKey        string
	Replicated                    bool
	Tiers                         string
	Modes                         []Choice
	SourceRows                    int64 // below zero where it is not known
}

// historyHint says why it matters how history gets in.
func (s DeliveryStep) historyHint() string {
	if s.SourceRows <= 0 {
		return "A view only sees what is inserted after it was made."
	}
	return "A view only sees what is inserted after it was made, and " + s.Source + " holds " + Count(s.SourceRows) + " rows already."
}

// ChoiceStep shows what was decided and why.
type ChoiceStep struct {
	Wizard
	Decision *DecisionView
	NotWorth *ReasonRow // why no rollup at all
	LeftOut  int64      // rows the source holds already and no answer would
	Pattern  string     // as asked: auto or a name
	Options  []Choice
	Open     []WizardStep // what must be answered first
	Trouble  *Trouble     // the sandbox failed
	Author   string
	Note     string
	Newest   int // of the design it revises
	Up       []StepRow
	Query    string
}

// DecisionView is a decision as a page shows it.
type DecisionView struct {
	Pattern, Title, Price string
	Targets               []TargetRow
	Reasons               []ReasonRow
	Rejected              []ReasonRow
	Warnings              []ReasonRow
	Questions             []ReasonRow
	Engine                string
}

// TargetRow is a table that would be made.
type TargetRow struct{ Pattern, Table, Metrics string }

// ReasonRow is a code and a sentence; Right marks a pattern that would answer
// rightly but costs more.
type ReasonRow struct {
	Pattern, Code, Text string
	Right               bool
}

// exprLabel is how a metric's value is asked for; a count may do without one.
func exprLabel(kind string) string {
	if kind == "count" {
		return "Of which value (may be empty)"
	}
	return "Of which value"
}
