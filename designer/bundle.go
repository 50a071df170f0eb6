package designer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/designer/ddl"
)

// Tool is the name and version that a manifest carries.
const Tool = "rollsmith 0.1"

// File is one file of a bundle: a path with forward slashes, and what is in it.
type File struct {
	Path string
	Data []byte
}

type manifest struct {
	Format        int            `json:"format"`
	Tool          string         `json:"tool"`
	Pattern       string         `json:"pattern"`
	MinClickHouse string         `json:"min_clickhouse"`
	Files         []manifestFile `json:"files"`
}

type manifestFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Bundle gives the files of a decision in the order of their use, the manifest
// last. The same design gives the same bytes, always.
func Bundle(d *Decision) []File {
	p := d.Plan
	var files []File
	add := func(path, text string) { files = append(files, File{path, []byte(text)}) }
	add("README.md", readme(d))
	files = append(files, File{"design.json", d.Rollup.JSON()})
	for i, s := range p.Up {
		add(p.FileName(i), ddl.Comment(s.Why)+s.SQL+";\n")
	}
	add("backfill.sql", p.Backfill)
	add("query.sql", ddl.Comment("The answer: grain, then metrics.")+p.Query)
	add("truth.sql", ddl.Comment("The same from the source alone, each entity once.")+p.Truth)
	add("audit.sql", ddl.Comment("The rows in which rollup and source differ: none when all is well. Reads the whole source.")+p.Audit)
	add("correct.sql", p.Correct)
	add("monitor.sql", p.Monitor)
	add("down.sql", ddl.Comment("Removes what up/ made, and nothing else.")+p.Down())
	m := manifest{1, Tool, d.Pattern, p.MinVersion(), nil}
	for _, f := range files {
		sum := sha256.Sum256(f.Data)
		m.Files = append(m.Files, manifestFile{f.Path, hex.EncodeToString(sum[:])})
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		panic(err) // strings and numbers only
	}
	return append(files, File{"manifest.json", append(data, '\n')})
}

// readme tells what a bundle is, why it is so, and how it is used.
func readme(d *Decision) string {
	r, p := d.Rollup, d.Plan
	var b strings.Builder
	section := func(title string) { fmt.Fprintf(&b, "\n## %s\n\n", title) }
	fmt.Fprintf(&b, "# %s\n\n", oneLine(r.Name))
	fmt.Fprintf(&b, "A rollup of `%s.%s`: %s per %s.\nPattern **%s**: %s. Needs ClickHouse %s or newer.\n",
		oneLine(r.Source.Database), oneLine(r.Source.Table), oneLine(strings.Join(r.MetricNames(), ", ")), oneLine(grainWords(r)), d.Pattern, d.Title, p.MinVersion())
	section("Why")
	bullets(&b, d.Reasons)
	section("Why not another pattern")
	for _, x := range d.Rejected {
		fmt.Fprintf(&b, "- **%s** (%s): %s\n", x.Pattern, x.Code, oneLine(x.Text))
	}
	if len(d.Warnings) > 0 {
		section("Worth knowing")
		bullets(&b, d.Warnings)
	}
	if len(d.Questions) > 0 {
		section("Open questions")
		bullets(&b, d.Questions)
	}
	section("Apply")
	b.WriteString("Statements end with `;`, and some files hold several: `clickhouse-client --queries-file FILE` runs a file, the HTTP interface takes one statement at a time.\n\n")
	b.WriteString("1. Run the files of `up/` in the order of their names. Stopping after any of them leaves existing reads as they were.\n")
	fmt.Fprintf(&b, "2. Run `backfill.sql` (mode `%s`); it says whether it may be run again.\n", r.Backfill.Mode)
	fmt.Fprintf(&b, "3. Run `audit.sql`: no row means that rollup and source agree.\n4. Point readers at `%s.%s`, or use `query.sql`.\n", oneLine(r.Target.Database), oneLine(r.Target.Prefix))
	section("Verify, repair, watch, undo")
	b.WriteString("- `truth.sql` asks the source itself; `audit.sql` shows where the two differ.\n- `correct.sql` repairs a window, where the pattern allows it.\n- `monitor.sql` shows lag, parts and failures.\n- `down.sql` removes what `up/` made, and nothing else.\n")
	section("What this rests on")
	for _, a := range assumptions(r) {
		fmt.Fprintf(&b, "- %s\n", a.text)
		if a.sql != "" {
			fmt.Fprintf(&b, "\n  ```sql\n  %s\n  ```\n\n", strings.ReplaceAll(strings.TrimRight(a.sql, "\n"), "\n", "\n  "))
		}
	}
	section("Beside the statements")
	for _, line := range operations(d) {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	return b.String()
}

func bullets(b *strings.Builder, list []Reason) {
	for _, x := range list {
		fmt.Fprintf(b, "- %s (`%s`)\n", oneLine(x.Text), x.Code)
	}
}

func oneLine(s string) string {
	return strings.NewReplacer("\n", " ", "\r", " ").Replace(s)
}

func grainWords(r *Rollup) string {
	var words []string
	if r.Grain.Time != nil {
		words = append(words, r.Bucket.String()+" ("+r.Zone.Name+")")
	}
	for _, x := range r.Dims {
		words = append(words, x.Name)
	}
	if len(words) == 0 {
		return "the whole table"
	}
	return strings.Join(words, ", ")
}
