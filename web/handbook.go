package web

import (
	"bytes"
	"embed"
	"io/fs"
	"path"
	"regexp"
	"sort"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
)

//go:embed handbook/*.md
var handbookFiles embed.FS

// HandPage is one page of the handbook.
type HandPage struct {
	Slug, Title, Kind, Summary string
	HTML                       string
}

// handbookKinds order the index.
var handbookKinds = []Link{{"Start here", "guide"}, {"Patterns", "pattern"}, {"Feeds", "feed"}, {"Reference", "reference"}}

// Handbook gives all pages, by their names.
var Handbook = sync.OnceValue(readHandbook)

// readHandbook renders every page once. A page begins with its title, then a
// line "kind: summary".
func readHandbook() []HandPage {
	names, err := fs.Glob(handbookFiles, "handbook/*.md")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	md := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	var pages []HandPage
	for _, name := range names {
		text, err := handbookFiles.ReadFile(name)
		if err != nil {
			panic(err) // it was listed
		}
		pages = append(pages, handPage(md, strings.TrimSuffix(path.Base(name), ".md"), string(text)))
	}
	sort.Slice(pages, func(i, j int) bool { return pages[i].Slug < pages[j].Slug })
	return pages
}

func handPage(md goldmark.Markdown, slug, text string) HandPage {
	title, rest, _ := strings.Cut(text, "\n")
	head, body, _ := strings.Cut(strings.TrimLeft(rest, "\n"), "\n")
	kind, summary, _ := strings.Cut(head, ": ")
	p := HandPage{Slug: slug, Title: strings.TrimPrefix(title, "# "), Kind: kind, Summary: summary}
	var b bytes.Buffer
	if err := md.Convert([]byte(body), &b); err != nil {
		panic(err) // a page of ours that cannot be rendered is found by the first test
	}
	p.HTML = colourSQL(b.String())
	return p
}

var sqlBlock = regexp.MustCompile(`(?s)<pre><code class="language-sql">(.*?)</code></pre>`)

var unescaped = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;", "'", "&amp;", "&")

// colourSQL colours the SQL of a rendered page.
func colourSQL(html string) string {
	return sqlBlock.ReplaceAllStringFunc(html, func(block string) string {
		var b strings.Builder
		b.WriteString(`<pre tabindex="0"><code>`)
		writeSQL(&b, unescaped.Replace(sqlBlock.FindStringSubmatch(block)[1]))
		b.WriteString(`</code></pre>`)
		return b.String()
	})
}

// codeURL is where the handbook explains a code, or "" while it does not.
func codeURL(page, code string) string {
	p, ok := HandbookPageOf(page)
	if !ok || !strings.Contains(p.HTML, `id="`+code+`"`) {
		return ""
	}
	return "/handbook/" + page + "#" + code
}

// HandbookPageOf finds a page.
func HandbookPageOf(slug string) (HandPage, bool) {
	for _, p := range Handbook() {
		if p.Slug == slug {
			return p, true
		}
	}
	return HandPage{}, false
}

func ofKind(pages []HandPage, kind string) []HandPage {
	var some []HandPage
	for _, p := range pages {
		if p.Kind == kind && p.Slug != "index" {
			some = append(some, p)
		}
	}
	return some
}
