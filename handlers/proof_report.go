package handlers

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/proof"
	"github.com/rollsmith/rollsmith/store"
	"github.com/rollsmith/rollsmith/web"
)

// report shows what is kept of one proof.
func report(doc *designer.Design, p store.Proof) (*web.Report, error) {
	record, err := readRecord(p)
	if err != nil {
		return nil, err
	}
	r := &web.Report{State: p.State, Pattern: p.Pattern, Engine: p.Engine, Name: doc.Name, RevisionURL: revisionAt(p.DesignID, p.N), N: p.N,
		Revision: record.Revision, Seed: p.Seed, Rounds: p.Rounds, Rows: record.Rows, Created: p.Created, Error: record.Error}
	r.Replay = replayCommand(p.Seed, p.Rounds, record.Rows, "")
	if record.Result == nil {
		return r, nil
	}
	r.PerSecond, r.Compared, r.Checkpoints = record.RoundsPerSecond, len(record.Checkpoints), checkpointRows(record.Checkpoints)
	if c := record.Counterexample; c != nil {
		r.Own = timeline("own-story", doc, c)
	}
	if n := record.Naive; n != nil {
		r.Naive = &web.NaiveReport{Pattern: n.Pattern, Failed: n.Failed, Round: n.Round}
		if n.Counterexample != nil {
			r.Naive.Story = timeline("naive-story", doc, n.Counterexample)
			r.Naive.Replay = replayCommand(p.Seed, p.Rounds, record.Rows, n.Pattern)
		}
	}
	return r, nil
}

// reportLine is what stands of a revision's proofs, or nil.
func reportLine(kept []store.Proof, n int) (*web.Report, error) {
	best := standing(kept)
	if best == nil {
		return nil, nil
	}
	record, err := readRecord(*best)
	if err != nil {
		return nil, err
	}
	r := &web.Report{State: best.State, Pattern: best.Pattern, Engine: best.Engine, N: n, Seed: best.Seed, Rounds: best.Rounds, Error: record.Error}
	if record.Result != nil {
		r.Compared = len(record.Checkpoints)
	}
	return r, nil
}

// whyNotReport shows what the search for a counterexample came to.
func whyNotReport(doc *designer.Design, row store.Job) (*web.WhyNotReport, error) {
	var record whyNotRecord
	if err := json.Unmarshal(row.Result, &record); err != nil {
		return nil, fmt.Errorf("result of job %s: %w", row.ID, err)
	}
	w := &web.WhyNotReport{Reason: record.Reason, Title: patternTitle(row.Pattern), Seed: row.Seed, Rounds: record.Result.Rounds,
		Compared: len(record.Result.Checkpoints), Engine: record.Result.Engine, Replay: replayCommand(row.Seed, row.Rounds, row.Rows, row.Pattern),
		NoBackfill: doc.Backfill.Mode != designer.BackfillNone && doc.Backfill.Mode != ""}
	if c := record.Result.Counterexample; c != nil {
		w.Story = timeline("why-not-story", doc, c)
	}
	return w, nil
}

// replayCommand is what makes the same histories at a command line.
func replayCommand(seed int64, rounds, rows int, force string) string {
	command := fmt.Sprintf("rollsmith prove design.json --seed %d --rounds %d", seed, rounds)
	if rows > 0 {
		command += fmt.Sprintf(" --rows %d", rows)
	}
	if force != "" {
		command += " --pattern " + force + " --force"
	}
	return command
}

// checkpointRows counts checkpoints by what they are, in the order in which
// they first come.
func checkpointRows(all []proof.Checkpoint) []web.CheckpointRow {
	at := map[string]int{}
	var rows []web.CheckpointRow
	for _, c := range all {
		name := checkpointWords(c.Name)
		i, ok := at[name]
		if !ok {
			i = len(rows)
			at[name] = i
			rows = append(rows, web.CheckpointRow{Name: name})
		}
		rows[i].Times++
		rows[i].Rows += c.Rows
		rows[i].Wrong += c.Mismatches
	}
	return rows
}

var insertNumber = regexp.MustCompile(`insert (\d+)`)

// checkpointWords says in words when a comparison was made, whichever insert it
// followed.
func checkpointWords(name string) string {
	switch plain := insertNumber.ReplaceAllString(name, "an insert"); {
	case plain == "an insert, merges stopped":
		return "After an insert, while nothing merges"
	case plain == "audit":
		return "audit.sql finds no difference"
	case plain == "down":
		return "After down.sql: the source alone is left"
	case plain == "up":
		return "After the rollup was made"
	default:
		return strings.ToUpper(plain[:1]) + plain[1:]
	}
}

// timeline tells a counterexample in the order in which things were done.
func timeline(id string, doc *designer.Design, c *proof.Counterexample) *web.Timeline {
	t := &web.Timeline{ID: id, Columns: storyColumns(doc, c.Events), Events: len(c.Events), Checkpoint: c.Checkpoint, Complaint: c.Complaint, SQL: strings.Join(c.SQL, "\n")}
	if c.Reader != "" {
		t.Settings = append(t.Settings, web.Fact{Term: "Settings of who reads", Text: c.Reader, Code: true})
	}
	if c.Writer != "" {
		t.Settings = append(t.Settings, web.Fact{Term: "Settings of who inserts", Text: c.Writer, Code: true})
	}
	last := map[string]proof.Event{}
	left := c.Events
	for i, step := range c.Steps {
		batch := insertNumber.FindStringSubmatch(step)
		if batch == nil {
			t.Rows = append(t.Rows, web.TimelineRow{Act: actWords(step)})
			continue
		}
		n := arrivals(left, c.Steps[i+1:], batch[1])
		if n == 0 {
			t.Rows = append(t.Rows, web.TimelineRow{Act: "insert " + batch[1] + " holds no row"})
		}
		for _, e := range left[:n] {
			t.Rows = append(t.Rows, timelineRow(doc, t.Columns, e, last, len(c.Events)-len(left)+1))
			left = left[1:]
		}
		if strings.HasPrefix(step, "after correction") {
			t.Rows = append(t.Rows, web.TimelineRow{Act: "the views were away during this insert; now correct.sql runs"})
		}
	}
	t.Grain, t.Metrics = answerColumns(doc)
	t.Answers = answerRows(t.Grain, t.Metrics, c)
	return t
}

// arrivals is how many of the next events belong to an insert. Where the same
// insert is sent again at once, half of them are the second time.
func arrivals(left []proof.Event, later []string, batch string) int {
	n := 0
	for n < len(left) && strconv.Itoa(left[n].Insert) == batch {
		n++
	}
	times := 1
	for _, step := range later {
		next := insertNumber.FindStringSubmatch(step)
		if next == nil {
			continue
		}
		if next[1] != batch {
			break
		}
		times++
	}
	return n / times
}

func actWords(step string) string {
	words := map[string]string{"up": "the rollup is made", "after backfill": "backfill.sql fills in what was there", "after background merges": "background merges run",
		"after OPTIMIZE FINAL": "OPTIMIZE TABLE … FINAL merges everything", "after the tables were loaded again": "the server starts again", "audit": "audit.sql is asked",
		"after a refresh": "the scheduled view runs", "after everything settled": "time passes until everything has settled", "after the TTL of a finer tier": "the TTL of a finer tier passes"}
	if w := words[step]; w != "" {
		return w
	}
	return step
}

func timelineRow(doc *designer.Design, columns []string, e proof.Event, last map[string]proof.Event, n int) web.TimelineRow {
	row := web.TimelineRow{N: n, Insert: e.Insert, Kind: e.Kind}
	entity := entityOf(doc, e)
	before, known := last[entity]
	for _, c := range columns {
		row.Cells = append(row.Cells, web.TimelineCell{Text: e.Columns[c], Changed: known && before.Columns[c] != e.Columns[c]})
	}
	if entity != "" {
		last[entity] = e
	}
	for _, w := range e.Wrote {
		row.Wrote = append(row.Wrote, w.Table+": "+written(doc, w.Row))
	}
	return row
}

// entityOf names the entity of a row; empty where rows have no identity.
func entityOf(doc *designer.Design, e proof.Event) string {
	var key []string
	for _, c := range doc.Source.Key {
		key = append(key, c+" = "+e.Columns[c])
	}
	return strings.Join(key, ", ")
}

// storyColumns lists the columns that events show: the key first, then as the
// source has them, with what only the feed needs at the end.
func storyColumns(doc *designer.Design, events []proof.Event) []string {
	if len(events) == 0 {
		return nil
	}
	s := doc.Source
	place := func(name string) int {
		switch {
		case slices.Contains(s.Key, name):
			return 0
		case name == s.Version || name == s.Deleted || name == s.Sign:
			return 2
		}
		return 1
	}
	var columns []string
	for _, c := range s.Columns {
		if _, ok := events[0].Columns[c.Name]; ok {
			columns = append(columns, c.Name)
		}
	}
	slices.SortStableFunc(columns, func(a, b string) int { return place(a) - place(b) })
	return columns
}

// answerColumns are the columns of an answer: the grain, then the metrics.
func answerColumns(doc *designer.Design) (grain, metrics []string) {
	if t := doc.Grain.Time; t != nil {
		grain = append(grain, t.Name)
	}
	for _, x := range doc.Grain.Dimensions {
		grain = append(grain, x.Name)
	}
	for _, m := range doc.Metrics {
		metrics = append(metrics, m.Name)
	}
	return grain, metrics
}

// written is a row of a target: the grain first, the rest by name.
func written(doc *designer.Design, row map[string]string) string {
	grain, metrics := answerColumns(doc)
	first := append(grain, metrics...)
	var names []string
	for _, name := range first {
		if _, ok := row[name]; ok {
			names = append(names, name)
		}
	}
	var rest []string
	for name := range row {
		if !slices.Contains(first, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	var parts []string
	for _, name := range append(names, rest...) {
		parts = append(parts, name+" = "+row[name])
	}
	return strings.Join(parts, ", ")
}

// answerRows puts what was read beside the truth, grain by grain. A cell is
// wrong where the proof says so: approximate ones may differ and be right.
func answerRows(grain, metrics []string, c *proof.Counterexample) []web.AnswerRow {
	var rows []web.AnswerRow
	used := make([]bool, len(c.Read))
	for _, want := range c.Truth {
		row := web.AnswerRow{Grain: valuesOf(grain, want), Truth: answerCells(grain, metrics, want, c.Mismatches)}
		for i, got := range c.Read {
			if !used[i] && slices.Equal(valuesOf(grain, got), row.Grain) {
				used[i] = true
				row.Read = answerCells(grain, metrics, got, c.Mismatches)
				break
			}
		}
		rows = append(rows, row)
	}
	for i, got := range c.Read {
		if used[i] {
			continue
		}
		row := web.AnswerRow{Grain: valuesOf(grain, got), Read: answerCells(grain, metrics, got, nil)}
		for j := range row.Read {
			row.Read[j].Wrong = true // a row that should not be there
		}
		rows = append(rows, row)
	}
	return rows
}

func answerCells(grain, metrics []string, row map[string]string, mismatches []string) []web.AnswerCell {
	where := "(" + strings.Join(valuesOf(grain, row), ", ") + ") "
	cells := []web.AnswerCell{}
	for _, m := range metrics {
		wrong := slices.ContainsFunc(mismatches, func(said string) bool { return strings.HasPrefix(said, where+m+": ") })
		cells = append(cells, web.AnswerCell{Text: row[m], Wrong: wrong})
	}
	return cells
}

func valuesOf(names []string, row map[string]string) []string {
	values := []string{}
	for _, name := range names {
		values = append(values, row[name])
	}
	return values
}
