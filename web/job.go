package web

import (
	"fmt"
	"strconv"
	"time"
)

// Job is the page of work that takes a while: while it runs, and for ever after.
type Job struct {
	ID, Kind, State string
	Name            string // of the design
	About           Link   // where it was asked for
	Pattern         string // that is on trial, where one is
	Seed            int64
	Rounds, Rows    int
	Progress        JobProgress
	Message, Hint   string
	Created         time.Time
	Report          *Report // of a proof that is done
	WhyNot          *WhyNotReport
}

// URL is the job's own address.
func (j Job) URL() string { return "/jobs/" + j.ID }

// Over reports whether nothing more will happen.
func (j Job) Over() bool { return j.State != "queued" && j.State != "running" }

// Title is the heading, which says at once what became of it.
func (j Job) Title() string {
	if j.Kind == "why-not" {
		return "Why not " + j.Pattern + "?"
	}
	return "Does " + j.Name + " answer as its source does?"
}

// JobProgress is how far a job is, in the words of the page.
type JobProgress struct {
	Phase       string // "", engine, rounds, shrink, naive
	Engine      string
	Round       int
	Rounds      int
	Checkpoints int
	PerSecond   float64
	Wrong       bool
	NaiveRound  int
	NaiveWrong  bool
	Ahead       int // jobs that come first
	Took        time.Duration
}

// announcement changes four times on the way, and no more often: it is read out.
func (j Job) announcement() string {
	p := j.Progress
	switch {
	case j.State == "queued":
		return "Waiting for its turn."
	case p.Wrong:
		return "A wrong answer was found. Looking for the shortest history that shows it."
	case p.Phase == "naive" && p.NaiveWrong:
		return "Every round held. The naive view gave a wrong answer."
	case p.Phase == "naive":
		return "Every round held."
	case p.Rounds == 0 || p.Round == 0:
		return "Started."
	}
	if quarter := p.Round * 4 / p.Rounds; quarter > 0 {
		return fmt.Sprintf("%d percent, every answer right so far.", quarter*25)
	}
	return "The first round held."
}

// Report is what one proof showed.
type Report struct {
	State, Pattern, Engine string
	Name                   string
	RevisionURL            string
	N                      int
	Revision               string // hash of what was proved
	Seed                   int64
	Rounds, Rows           int
	PerSecond              float64
	Compared               int
	Checkpoints            []CheckpointRow
	Created                time.Time
	Error                  string
	Replay                 string
	Own                    *Timeline // what breaks the design
	Naive                  *NaiveReport
}

// Line is the verdict in one line.
func (r Report) Line() string {
	tail := fmt.Sprintf("%s, %s, seed %d, on ClickHouse %s", Plural(r.Rounds, "round"), Plural(r.Compared, "checkpoint"), r.Seed, r.Engine)
	switch r.State {
	case "proven":
		return "Proved: " + tail
	case "refuted":
		return "Disproved: " + tail
	}
	return "Not proven: " + Sentence(r.Error)
}

// CheckpointRow is one kind of checkpoint over all rounds.
type CheckpointRow struct {
	Name        string
	Times, Rows int
	Wrong       int
}

// NaiveReport is how the plain view fared on the same histories.
type NaiveReport struct {
	Pattern string
	Failed  bool
	Round   int
	Story   *Timeline
	Replay  string
}

// WhyNotReport is what the search for a counterexample came to.
type WhyNotReport struct {
	Reason   ReasonRow
	Title    string
	Seed     int64
	Rounds   int // that were tried
	Compared int
	Engine   string
	Story    *Timeline
	Replay   string
	// NoBackfill is set where the design fills in history and the search did not.
	NoBackfill bool
}

// Timeline is a counterexample, event by event.
type Timeline struct {
	ID         string
	Columns    []string
	Rows       []TimelineRow
	Events     int
	Checkpoint string
	Complaint  string
	Settings   []Fact
	Grain      []string
	Metrics    []string
	Answers    []AnswerRow
	SQL        string
}

// TimelineRow is something that was done (Act), or a row that arrived and what
// the views wrote when its insert was complete.
type TimelineRow struct {
	Act    string
	N      int
	Insert int
	Kind   string
	Cells  []TimelineCell
	Wrote  []string
}

// TimelineCell is a value; Changed where the entity's last row held another.
type TimelineCell struct {
	Text    string
	Changed bool
}

// AnswerRow is one grain: what the rollup reads, and the truth.
type AnswerRow struct {
	Grain       []string
	Read, Truth []AnswerCell // nil: there is no row
}

// AnswerCell is one metric's value.
type AnswerCell struct {
	Text  string
	Wrong bool
}

func (t Timeline) width() string { return strconv.Itoa(len(t.Columns) + 3) }
