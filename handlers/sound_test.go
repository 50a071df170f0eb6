package handlers_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// sound checks what every page of ours must hold to, whatever it shows.
func sound(t testing.TB, name, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	ids, heads := map[string]bool{}, 0
	var wanted []string
	var walk func(*html.Node, bool)
	walk = func(n *html.Node, form bool) {
		if n.Type == html.ElementNode {
			heads += count(n.Data == "h1")
			for _, a := range n.Attr {
				switch {
				case a.Key == "id":
					if ids[a.Val] {
						t.Errorf("%s: the id %q is there twice", name, a.Val)
					}
					ids[a.Val] = true
				case a.Key == "style", strings.HasPrefix(a.Key, "on"):
					t.Errorf("%s: <%s %s=%q> goes against the policy", name, n.Data, a.Key, a.Val)
				case a.Key == "for", a.Key == "aria-labelledby", a.Key == "aria-describedby" && !strings.Contains(a.Val, " "), a.Key == "list":
					wanted = append(wanted, a.Val)
				case strings.HasPrefix(a.Key, "hx-") && a.Key != "hx-nonce" && a.Key != "hx-ignore" && attr(n, "hx-nonce") == "":
					t.Errorf("%s: <%s %s> has no nonce", name, n.Data, a.Key)
				case (a.Key == "href" || a.Key == "src" || a.Key == "action") && strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:"):
					t.Errorf("%s: %s", name, a.Val)
				}
			}
			if n.Data == "style" || n.Data == "script" && (n.FirstChild != nil || attr(n, "nonce") == "") {
				t.Errorf("%s: an inline <%s>", name, n.Data)
			}
			if n.Data == "form" && form {
				t.Errorf("%s: a form within a form", name)
			}
			form = form || n.Data == "form"
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, form)
		}
	}
	walk(root, false)
	if heads != 1 {
		t.Errorf("%s: %d h1", name, heads)
	}
	for _, id := range wanted {
		if !ids[id] {
			t.Errorf("%s: nothing has the id %q that is referred to", name, id)
		}
	}
	if len(page) > 400<<10 {
		t.Errorf("%s: %d bytes", name, len(page))
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// text is what a reader of the page reads.
func text(page string) string {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return page
	}
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data + " ")
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	return strings.Join(strings.Fields(b.String()), " ")
}

// byID finds one element.
func byID(t testing.TB, page, id string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var found *html.Node
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode && attr(n, "id") == id {
			found = n
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	if found == nil {
		t.Fatalf("no element has the id %q in\n%s", id, clip(text(page)))
	}
	return found
}
