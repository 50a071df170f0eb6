package web

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/a-h/templ"

	"github.com/rollsmith/rollsmith/web/highlight"
)

// Code is a text with numbered lines that can be linked to.
type Code struct {
	ID    string // lines are ID-L1, ID-L2, …
	Title string
	Why   string
	Text  string
	Plain bool // no SQL: not coloured
}

// numbered writes the lines. It is written by hand because white space counts
// within <pre>.
func (c Code) numbered() templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var b strings.Builder
		b.WriteString("<code>")
		id := templ.EscapeString(c.ID)
		for i, line := range c.lines() {
			fmt.Fprintf(&b, `<span class="ln" id="%s-L%d"><a href="#%s-L%d" aria-label="Line %d">%d</a>`, id, i+1, id, i+1, i+1, i+1)
			writePieces(&b, line)
			b.WriteString("\n</span>")
		}
		b.WriteString("</code>")
		_, err := io.WriteString(w, b.String())
		return err
	})
}

func (c Code) lines() [][]highlight.Piece {
	text := strings.TrimRight(strings.ReplaceAll(c.Text, "\r\n", "\n"), "\n")
	if !c.Plain {
		return highlight.Lines(text)
	}
	var lines [][]highlight.Piece
	for _, l := range strings.Split(text, "\n") {
		lines = append(lines, []highlight.Piece{{Text: l}})
	}
	return lines
}

func pieces(sql string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var b strings.Builder
		writePieces(&b, highlight.Pieces(sql))
		_, err := io.WriteString(w, b.String())
		return err
	})
}

func writePieces(b *strings.Builder, line []highlight.Piece) {
	for _, p := range line {
		if p.Kind == highlight.Plain {
			b.WriteString(templ.EscapeString(p.Text))
			continue
		}
		fmt.Fprintf(b, `<span class="%s">%s</span>`, p.Kind, templ.EscapeString(p.Text))
	}
}

// marked writes the lines of a diff, each with its mark.
func (f FileDiff) marked() templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var b strings.Builder
		b.WriteString("<code>")
		for _, l := range f.Lines {
			class := map[string]string{"+": "ln add", "-": "ln del", "@": "ln hunk"}[l.Mark]
			if class == "" {
				class = "ln"
			}
			fmt.Fprintf(&b, `<span class="%s"><i>%s</i>`, class, templ.EscapeString(l.Mark))
			if l.Mark == "@" {
				b.WriteString(templ.EscapeString(l.Text))
			} else {
				writePieces(&b, highlight.Pieces(l.Text))
			}
			b.WriteString("\n</span>")
		}
		b.WriteString("</code>")
		_, err := io.WriteString(w, b.String())
		return err
	})
}

func writeSQL(b *strings.Builder, sql string) { writePieces(b, highlight.Pieces(sql)) }
