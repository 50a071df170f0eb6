package web

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rollsmith/rollsmith/problem"
)

func TestNumbersAndSentencesReadWell(t *testing.T) {
	for got, want := range map[string]string{
		Count(0):                           "0",
		Count(1234567):                     "1\u202f234\u202f567",
		Count(-1234):                       "-1\u202f234",
		Bytes(999):                         "999 B",
		Bytes(1536):                        "1.5 KiB",
		Bytes(300 << 20):                   "300 MiB",
		Plural(1, "entity"):                "1 entity",
		Plural(2, "entity"):                "2 entities",
		Plural(0, "row"):                   "0 rows",
		Sentence("not a time zone"):        "Not a time zone.",
		Sentence("_version is no column."): "_version is no column.",
		Sentence("created_at is missing"):  "created_at is missing.",
		Sentence(""):                       "",
		FieldID("metrics[2].expr"):         "metrics-2-expr",
		FieldID("grain.time.bucket"):       "grain-time-bucket",
		planWords("(Before ORDER BY + (Change column names to column identifiers + (Project names + Projection)))"): "Before ORDER BY",
		anchor("up/01_a b'.sql"): "up-01_ab-sql",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestOnlyAProblemIsToldToAPerson(t *testing.T) {
	told := TroubleOf(&problem.Error{Kind: problem.Down, Code: "network", Message: "no answer", Hint: "try again", Err: errors.New("dial tcp 10.0.0.1")})
	if told.Message != "No answer." || told.Hint != "Try again." || told.Code != "network" {
		t.Errorf("%+v", told)
	}
	secret := TroubleOf(errors.New("password is hunter2"))
	if strings.Contains(secret.Message+secret.Hint, "hunter2") {
		t.Errorf("%+v", secret)
	}
}

func TestLineageStandsInColumns(t *testing.T) {
	nodes := []LineageNode{{ID: "a"}, {ID: "b"}, {ID: "c"}}
	levels := []int{-1, 0, 0}
	l := LayOut(nodes, func(i int) int { return levels[i] }, []LineageEdge{{From: "a", To: "b"}, {From: "a", To: "gone"}})
	if len(l.Edges) != 1 || l.Nodes[0].X >= l.Nodes[1].X || l.Nodes[1].X != l.Nodes[2].X || l.Nodes[1].Y >= l.Nodes[2].Y {
		t.Errorf("%+v", l)
	}
	if l.Width < l.Nodes[1].X+nodeWidth || l.Height < l.Nodes[2].Y+nodeHeight {
		t.Errorf("%d by %d is too small", l.Width, l.Height)
	}
}

// Whatever is shown as code comes out as text, with its lines numbered.
func TestCodeIsTextWithNumberedLines(t *testing.T) {
	var b bytes.Buffer
	c := Code{ID: "x", Title: `<b>"`, Text: "SELECT '<script>'\n-- \"&\n"}
	if err := CodePanel(c).Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{`id="x-L1"`, `id="x-L2"`, `href="#x-L2"`, "&lt;script&gt;", "&lt;b&gt;"} {
		if !strings.Contains(page, want) {
			t.Errorf("it lacks %s:\n%s", want, page)
		}
	}
	if strings.Contains(page, "x-L3") || strings.Contains(page, "<script>") || strings.Contains(page, "<b>") {
		t.Errorf("it has what it should not:\n%s", page)
	}
}
