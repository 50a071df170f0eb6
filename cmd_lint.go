package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rollsmith/rollsmith/cluster"
	"github.com/rollsmith/rollsmith/designer/hazard"
	"github.com/rollsmith/rollsmith/problem"
)

var lintCommand = command{
	name:    "lint",
	args:    "DSN [DB]",
	summary: "audit the materialized views of a cluster",
	define: func(o *options) runner {
		queries := o.String("query", "", "audit the reading queries in this `FILE` too")
		script := o.String("script", "", "audit the backfill or migration in this `FILE` too")
		feeds := feedFlag{}
		o.Var(feeds, "feed", "state how rows arrive, `DB.TABLE=FEED`; may be given again")
		asJSON := o.asJSON()
		return func(ctx context.Context, c *console, args []string) error {
			a := cluster.Audit{Feeds: feeds}
			if len(args) > 1 {
				a.Database = args[1]
			}
			var err error
			if a.Queries, err = readText("--query", *queries); err != nil {
				return err
			}
			if a.Script, err = readText("--script", *script); err != nil {
				return err
			}
			return lint(ctx, c, args[0], a, *asJSON)
		}
	},
}

// lint prints what it finds; the answer is no when something is wrong.
func lint(ctx context.Context, c *console, dsn string, a cluster.Audit, asJSON bool) error {
	from, err := openCluster(ctx, c.err, dsn)
	if err != nil {
		return err
	}
	defer from.Close()
	a.Default = from.Config().Database
	report, missing, err := cluster.Lint(ctx, from, a)
	if err != nil {
		return err
	}
	tellMissing(c.err, missing)
	if asJSON {
		err = printJSON(c.out, report)
	} else {
		printReport(c.out, report)
	}
	if err == nil && report.Wrong() {
		return errNo
	}
	return err
}

func printReport(w io.Writer, r hazard.Report) {
	for _, v := range r.Views {
		fmt.Fprintf(w, "%-11s %s  (%s → %s)\n", v.Verdict, v.View, v.Source, v.Target)
		printFindings(w, v.Findings)
	}
	for _, q := range r.Queries {
		fmt.Fprintf(w, "query       %s\n", strings.Join(strings.Fields(q.Query), " "))
		if q.Note != "" {
			fmt.Fprintf(w, "  %s\n", q.Note)
		}
		printFindings(w, q.Findings)
	}
}

func printFindings(w io.Writer, found []hazard.Finding) {
	for _, f := range found {
		fmt.Fprintf(w, "  %s [%s] %s\n", f.Severity, f.Code, f.Text)
		if f.Condition != "" {
			fmt.Fprintf(w, "    if:     %s\n", f.Condition)
		}
		fmt.Fprintf(w, "    seen:   %s\n    repair: %s\n", f.Evidence, f.Repair)
	}
}

// readText reads the file a flag names; "-" is standard input, "" nothing.
func readText(flag, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	var text []byte
	var err error
	if path == "-" {
		text, err = io.ReadAll(os.Stdin)
	} else {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return "", &problem.Error{Kind: problem.Invalid, Code: "file", Field: flag, Value: path, Message: "the file cannot be read: " + err.Error(), Hint: "name a file of SQL statements", Err: err}
	}
	return string(text), nil
}

// feedFlag collects --feed DB.TABLE=FEED.
type feedFlag map[string]string

func (f feedFlag) String() string { return "" }

func (f feedFlag) Set(text string) error {
	table, feed, ok := strings.Cut(text, "=")
	if !ok || !strings.Contains(table, ".") || !hazard.KnownFeed(feed) {
		return fmt.Errorf("%q is not DB.TABLE=FEED with a feed of %s", text, strings.Join(hazard.Feeds, ", "))
	}
	f[table] = feed
	return nil
}
