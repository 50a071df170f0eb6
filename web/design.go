package web

import "time"

// StepRow is one statement of a plan.
type StepRow struct {
	File       string `json:"file"`
	Name       string `json:"name"`
	SQL        string `json:"sql"`
	Why        string `json:"why"`
	Undo       string `json:"undo"`
	MinVersion string `json:"min_version"`
}

// Script is one of a bundle's files.
type Script struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Design is the page of one revision.
type Design struct {
	ID, Name, Source, Cluster string
	SourceURL                 string
	N, Newest                 int
	Latest                    bool // the page of the design, not of a revision
	Author, Note, Hash        string
	Created                   time.Time
	MinVersion                string
	Decision                  DecisionView
	Summary                   []Fact // the question in words
	Metrics                   []Fact
	Up                        []StepRow
	Scripts                   []Script
	Rests                     string // HTML that was made safe
	Document                  string
	Cost                      Cost
	History                   []RevisionRow
	Comments                  []CommentRow
	Approvals                 []ApprovalRow
	Proofs                    []ProofRow
	Proved                    *Report // what stands of them
	Reader                    string  // the reader's name, as last typed
	Errors                    Errors
	Typed                     string // a comment that was refused
}

func (d Design) url() string { return "/d/" + d.ID }

// RevisionRow is one revision in a list.
type RevisionRow struct {
	N                           int
	Pattern, Author, Note, Hash string
	Created                     time.Time
}

// CommentRow is one comment; HTML was made safe.
type CommentRow struct {
	ID             int64
	N              int
	Anchor, Author string
	HTML           string
	Created        time.Time
	Resolved       bool
	ResolvedBy     string
}

// ApprovalRow is one approval; Stale where a newer revision exists.
type ApprovalRow struct {
	N                  int
	Author, Note, Hash string
	Created            time.Time
	Stale              bool
}

// ProofRow is what one run showed.
type ProofRow struct {
	State, Pattern, Engine string
	Seed                   int64
	Rounds                 int
	Created                time.Time
	URL                    string
}

// Conflict is a save that came second.
type Conflict struct {
	Trouble          Trouble
	Draft, DesignURL string
	Newest           int
	Author, Note     string
	Diff             FileDiff
}

// Diff compares two revisions.
type Diff struct {
	ID, Name     string
	A, B, Newest int
	Changes      []Change
	Files        []FileDiff
}

// Change is one difference in meaning.
type Change struct{ What, From, To string }

// FileDiff is a unified diff of one file.
type FileDiff struct {
	Path  string
	Lines []DiffLine
}

// DiffLine is one line and its mark: "+", "-", " " or "@".
type DiffLine struct{ Mark, Text string }

// ID makes an anchor of a path.
func (f FileDiff) id() string { return anchor(f.Path) }

// anchor makes an id of a file's path: up/01_x.sql is up-01_x.
func anchor(path string) string {
	var b []rune
	for _, r := range path {
		switch {
		case r == '/' || r == '.':
			b = append(b, '-')
		case r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			b = append(b, r)
		}
	}
	return string(b)
}
