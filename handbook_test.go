package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rollsmith/rollsmith/designer/hazard"
	"github.com/rollsmith/rollsmith/designer/pattern"
	"github.com/rollsmith/rollsmith/sandbox"
	"github.com/rollsmith/rollsmith/web"
)

// block is one fenced block of a page: its tag, its text, its line.
type block struct {
	tag, text string
	line      int
	adjoins   bool // only blank lines lie between it and the block before
}

// blocks reads the fenced blocks of a page, in order.
func blocks(page string) []block {
	var out []block
	var open *block
	adjoins := false
	for i, line := range strings.Split(page, "\n") {
		fence, tag := strings.HasPrefix(line, "```"), strings.TrimPrefix(line, "```")
		switch {
		case fence && open == nil:
			open = &block{tag: tag, line: i + 1, adjoins: adjoins}
		case fence:
			out = append(out, *open)
			open, adjoins = nil, true
		case open != nil:
			open.text += line + "\n"
		case strings.TrimSpace(line) != "":
			adjoins = false
		}
	}
	return out
}

// statements splits SQL at its semicolons and drops its comments.
func statements(sql string) []string {
	var out []string
	var b strings.Builder
	for i := 0; i < len(sql); i++ {
		rest := sql[i:]
		switch c := sql[i]; {
		case strings.HasPrefix(rest, "--"):
			i += max(strings.IndexByte(rest, '\n'), 0) - 1
		case c == '\'' || c == '`':
			end := 1 + strings.IndexByte(rest[1:], c)
			b.WriteString(rest[:end+1])
			i += end
		case c == ';':
			out = append(out, b.String())
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	out = append(out, b.String())
	return slices.DeleteFunc(out, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// handbookPages gives the pages' Markdown by their names.
func handbookPages(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("web/handbook/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	out := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(f), ".md")] = string(text)
	}
	return out
}

// TestHandbookSQL runs the SQL of every page, each page in a database of its
// own. A block tagged "sql" must succeed, "sql error" must fail, "sql parse"
// must parse; "sql text" is only shown. A "text" block right after one of them is
// what its last statement answers, or a part of the error.
func TestHandbookSQL(t *testing.T) {
	engine, err := sandbox.Start(t.Context(), sandbox.Options{Logs: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	for slug, page := range handbookPages(t) {
		t.Run(slug, func(t *testing.T) {
			t.Parallel()
			database, drop, err := engine.Scratch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(drop)
			c := client{engine.HTTPPort(), database}
			last, at := "", "" // the last answer or error, and where it came from
			for _, b := range blocks(page) {
				where := fmt.Sprintf("web/handbook/%s.md:%d", slug, b.line)
				switch b.tag {
				case "sql", "sql error", "sql parse":
					last, at = c.run(t, where, b), where
				case "text":
					if b.adjoins && at != "" {
						compare(t, where, last, b.text)
					}
				}
				if b.tag == "text" || b.tag == "sql text" {
					at = ""
				}
			}
		})
	}
}

func compare(t *testing.T, where, got, want string) {
	t.Helper()
	got, want = strings.TrimSpace(got), strings.TrimSpace(want)
	if strings.HasPrefix(got, "Code: ") && strings.Contains(got, want) {
		return
	}
	if got != strings.ReplaceAll(want, "    ", "\t") {
		t.Errorf("%s: (-want +got)\n-%s\n+%s", where, strings.ReplaceAll(want, "\n", "\n-"), strings.ReplaceAll(got, "\n", "\n+"))
	}
}

// client speaks HTTP to the engine.
type client struct {
	port     int
	database string
}

// run runs a block's statements and gives the last answer, or the error.
func (c client) run(t *testing.T, where string, b block) (last string) {
	t.Helper()
	for _, s := range statements(b.text) {
		if b.tag == "sql parse" {
			s = "EXPLAIN AST " + strings.TrimSpace(s)
		}
		answer, ok := c.ask(t, s)
		if !ok {
			if b.tag != "sql error" {
				t.Fatalf("%s: %s\n%s", where, answer, s)
			}
			return answer
		}
		last = answer
	}
	if b.tag == "sql error" {
		t.Fatalf("%s: this should fail:\n%s", where, b.text)
	}
	return last
}

func (c client) ask(t *testing.T, sql string) (answer string, ok bool) {
	t.Helper()
	query := url.Values{"database": {c.database}, "session_id": {c.database}, "wait_end_of_query": {"1"}}
	r, err := http.Post(fmt.Sprintf("http://127.0.0.1:%d/?%s", c.port, query.Encode()), "text/plain", strings.NewReader(sql))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body), r.StatusCode == http.StatusOK
}

// TestHandbookPatternPages holds the pages of the patterns to one line of thought.
func TestHandbookPatternPages(t *testing.T) {
	pages := handbookPages(t)
	for _, id := range pattern.IDs() {
		page, ok := pages[id]
		if !ok {
			t.Errorf("pattern %s has no page", id)
			continue
		}
		at := 0
		for _, heading := range []string{"## The problem", "## When it fits", "## When it does not", "## The SQL", "## How it fails", "## How to undo it"} {
			i := strings.Index(page, heading+"\n")
			if i < at {
				t.Errorf("%s.md: %q is missing or out of order", id, heading)
			}
			at = max(at, i)
		}
	}
}

var handbookLink = regexp.MustCompile(`href="/handbook/([^"#]*)(?:#([^"]*))?"`)

// TestHandbookLinks follows every link from page to page.
func TestHandbookLinks(t *testing.T) {
	for _, p := range web.Handbook() {
		if p.Title == "" || p.Summary == "" || !slices.Contains([]string{"guide", "pattern", "feed", "reference"}, p.Kind) || strings.Contains(p.Summary, "`") {
			t.Errorf("%s: title %q, kind %q, summary %q", p.Slug, p.Title, p.Kind, p.Summary)
		}
		for _, m := range handbookLink.FindAllStringSubmatch(p.HTML, -1) {
			if m[1] == "" {
				continue // the list of pages
			}
			to, ok := web.HandbookPageOf(m[1])
			if !ok || m[2] != "" && !strings.Contains(to.HTML, `id="`+m[2]+`"`) {
				t.Errorf("%s: %s leads nowhere", p.Slug, m[0])
			}
		}
	}
}

// TestHandbookKnowsEveryCode looks for a heading per code that the product says.
func TestHandbookKnowsEveryCode(t *testing.T) {
	rules, _ := web.HandbookPageOf("hazards")
	for _, r := range hazard.Catalogue {
		if !strings.Contains(rules.HTML, `id="`+r.Code+`"`) {
			t.Errorf("hazards.md: %s has no heading", r.Code)
		}
	}
	lists := ""
	for _, slug := range []string{"reasons", "problems", "observations"} {
		page, _ := web.HandbookPageOf(slug)
		lists += page.HTML
	}
	for code, at := range codes(t) {
		if !strings.Contains(lists, `id="`+code+`"`) {
			t.Errorf("%s (%s) has no heading in reasons.md, problems.md or observations.md", code, at)
		}
	}
}

// codes finds the constant codes of reasons and problems in our own source, with
// the place of one use.
func codes(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "hazard" || d.Name() == ".git" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_templ.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if code, ok := codeOf(n, makersIn(path)); ok {
				out[code] = path
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// makersIn names the functions of a file's package whose first argument is a code.
func makersIn(path string) []string {
	makers := []string{"Field", "down", "refuse", "rejected"}
	switch filepath.Dir(path) {
	case "designer/pattern":
		return append(makers, "reason", "add", "ask")
	case "cluster":
		return append(makers, "limit", "say", "find", "add")
	case "designer", "store":
		return append(makers, "oneOf", "missing", "notFound")
	}
	return makers
}

var looksLikeCode = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// codeOf gives the code that a call or a field of a problem.Error names.
func codeOf(n ast.Node, makers []string) (string, bool) {
	var x ast.Expr
	switch n := n.(type) {
	case *ast.CallExpr:
		name := ""
		switch f := n.Fun.(type) {
		case *ast.Ident:
			name = f.Name
		case *ast.SelectorExpr:
			name = f.Sel.Name
		}
		if len(n.Args) >= 2 && slices.Contains(makers, name) {
			x = n.Args[0]
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Code" {
			x = n.Value
		}
	}
	lit, ok := x.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	code, err := strconv.Unquote(lit.Value)
	return code, err == nil && looksLikeCode.MatchString(code)
}

// TestHandbookReadme holds README.md to the commands that there are: each line
// of its examples names a command and flags that it takes, and files that exist.
func TestHandbookReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, b := range blocks(string(text)) {
		for _, line := range strings.Split(b.text, "\n") {
			line, _, _ = strings.Cut(line, "  #")
			words := strings.Fields(line)
			if len(words) < 2 || words[0] != "./rollsmith" {
				continue
			}
			named[words[1]] = true
			if status, out, errs := rollsmith(t, append(words[1:], "-h")...); status != exitDone || errs != "" {
				t.Errorf("%s: %s%s", line, out, errs)
			}
			for _, w := range words[2:] {
				if _, err := os.Stat(w); strings.HasPrefix(w, "proof/") && err != nil {
					t.Errorf("%s: %v", line, err)
				}
			}
		}
	}
	for _, k := range commands() {
		if !named[k.name] {
			t.Errorf("README.md has no example of %s", k.name)
		}
	}
}

// TestHandbookArchitecture holds ARCHITECTURE.md to the packages and to the
// modules that our source imports.
func TestHandbookArchitecture(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	about := string(text)
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		if dir := filepath.Dir(path); dir != "." && !strings.Contains(about, "`"+dir+"/`") {
			t.Errorf("ARCHITECTURE.md does not tell of %s/", dir)
		}
		for _, i := range file.Imports {
			name := strings.Trim(i.Path.Value, `"`)
			host, rest, _ := strings.Cut(name, "/")
			if !strings.Contains(host, ".") || strings.HasPrefix(name, "github.com/rollsmith/") {
				continue
			}
			if owner, repo, deep := strings.Cut(rest, "/"); deep && host == "github.com" {
				repo, _, _ = strings.Cut(repo, "/")
				name = host + "/" + owner + "/" + repo
			} else {
				name = host + "/" + owner
				if host == "golang.org" {
					repo, _, _ = strings.Cut(repo, "/")
					name += "/" + repo
				}
			}
			if !strings.Contains(about, "`"+name) {
				t.Errorf("ARCHITECTURE.md has no reason for %s", name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
