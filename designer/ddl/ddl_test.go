package ddl_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/sandbox"
)

var engine *sandbox.Engine

func TestMain(m *testing.M) {
	sandbox.Child()
	e, err := sandbox.Start(context.Background(), sandbox.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	engine = e
	code := m.Run()
	e.Close()
	os.Exit(code)
}

// odd are texts that break statements which quote badly.
var odd = []string{
	"a", "a b", "it's", `"`, "`", "``", `\`, `\\`, "\\`", `\'`, "a\nb", "tab\there", "\r\n", "ключ", "🙂", "a.b", "select", "--x", "/* x", "#", ";", "{p:String}", "?", "$1", "%s", "\x01", "\b\f\v\a", "\x7f", "' OR 1 --", "\u2028", "\\x41", "\\N",
	strings.Repeat("`'\\", 30),
}

// random gives texts of the characters that matter.
func random(n int) []string {
	rng := rand.New(rand.NewPCG(7, 7))
	letters := []rune("ab`'\"\\ \n\t.;-/*#{}?ü🙂\x00n0x")
	var out []string
	for range n {
		s := make([]rune, 1+rng.IntN(12))
		for i := range s {
			s[i] = letters[rng.IntN(len(letters))]
		}
		out = append(out, string(s))
	}
	return out
}

// TestLiteralsComeBack: the engine reads a literal as the text it was made of.
func TestLiteralsComeBack(t *testing.T) {
	texts := append(append([]string{"", "\x00"}, odd...), random(500)...)
	var literals []string
	for _, s := range texts {
		literals = append(literals, ddl.Literal(s))
	}
	var got []string
	if err := engine.Conn().QueryRow(t.Context(), "SELECT ["+strings.Join(literals, ", ")+"]").Scan(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(texts, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestIdentsComeBack: a column is called what its identifier was made of.
func TestIdentsComeBack(t *testing.T) {
	for _, name := range append(odd, random(200)...) {
		if strings.Contains(name, "\x00") {
			continue // no name of a design has one
		}
		rows, err := engine.Conn().Query(t.Context(), "SELECT 1 AS "+ddl.Ident(name))
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if got := rows.Columns(); len(got) != 1 || got[0] != name {
			t.Errorf("%q came back as %q", name, got)
		}
		rows.Close()
	}
}

// TestTablesOfOddNames: what the printer quotes is made, described, and dropped.
func TestTablesOfOddNames(t *testing.T) {
	db, drop, err := engine.Scratch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer drop()
	names := []string{"a b", "it's", `"quo"ted`, "we`ird", `back\slash`, "ключ", "🙂", "select", "--x", "a.b"}
	table := ddl.CreateTable{Database: db, Name: "odd `t'able\\", Engine: "MergeTree", OrderBy: []string{ddl.Ident(names[0])}, Comment: "it's `odd` \\ 🙂"}
	for _, n := range names {
		table.Columns = append(table.Columns, ddl.ColumnDef{Name: n, Type: "UInt8", Comment: "of " + n})
	}
	view := ddl.CreateView{Database: db, Name: "the view's", Select: ddl.Select{From: ddl.Table(db, table.Name)}}
	for _, n := range names {
		view.Select.Items = append(view.Select.Items, ddl.Col(n))
	}
	for _, sql := range []string{table.SQL(), view.SQL(), ddl.Insert(ddl.Table(db, table.Name), names, ddl.Select{Items: items(names), From: "system.one"})} {
		if err := engine.Conn().Exec(t.Context(), sql); err != nil {
			t.Fatalf("%v\n%s", err, sql)
		}
	}
	var got, comments []string
	if err := engine.Conn().QueryRow(t.Context(), "SELECT groupArray(name), groupArray(comment) FROM (SELECT * FROM system.columns WHERE database = ? AND table = ? ORDER BY position)", db, table.Name).Scan(&got, &comments); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(names, got); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	if comments[1] != "of it's" {
		t.Errorf("comment %q", comments[1])
	}
	var n uint64
	if err := engine.Conn().QueryRow(t.Context(), "SELECT count() FROM "+ddl.Table(db, view.Name)).Scan(&n); err != nil || n != 1 {
		t.Errorf("%d rows through the view: %v", n, err)
	}
}

func items(names []string) []ddl.Item {
	var out []ddl.Item
	for i := range names {
		out = append(out, ddl.Item{Expr: fmt.Sprint(i)})
	}
	return out
}

// TestCommentsStayComments: no text ends a comment early.
func TestCommentsStayComments(t *testing.T) {
	for _, text := range append(append([]string{"one\nDROP TABLE x", "one\r\nSELECT 2", "one\rSELECT 2", "a\x00\nSELECT 2", ""}, odd...), random(100)...) {
		var n uint8
		if err := engine.Conn().QueryRow(t.Context(), ddl.Comment(text)+"SELECT 1").Scan(&n); err != nil || n != 1 {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestOlder compares versions by their numbers.
func TestOlder(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"24.8", "24.10", true}, {"24.10", "24.8", false}, {"24.8", "24.8", false}, {"24.8", "24.8.1", true}, {"26.7.2.1", "24.8", false}, {"", "24.8", true}, {"24.8", "", false}, {"24.8.3.1", "24.8", false},
	} {
		if got := ddl.Older(c.a, c.b); got != c.want {
			t.Errorf("%q is older than %q: %v", c.a, c.b, got)
		}
	}
}

// FuzzIdent: an identifier is one token, whatever name it is made of.
func FuzzIdent(f *testing.F) {
	for _, s := range odd {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, quoted := range []string{ddl.Ident(s), ddl.Literal(s)} {
			quote := quoted[0]
			for i := 1; i < len(quoted)-1; i++ {
				switch quoted[i] {
				case '\\':
					i++
					if i == len(quoted)-1 {
						t.Fatalf("%q: %q does not end", s, quoted)
					}
				case quote:
					t.Fatalf("%q: %q ends at %d", s, quoted, i)
				}
			}
			if len(quoted) < 2 || quoted[len(quoted)-1] != quote {
				t.Fatalf("%q: %q is not closed", s, quoted)
			}
		}
	})
}
