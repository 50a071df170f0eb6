package proof

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/pattern"
	"github.com/rollsmith/rollsmith/problem"
)

// Handwritten proves statements that someone wrote, against the design's truth:
// up/*.sql, or *.sql where there is no such folder, in the order of their names;
// query.sql; and, where they are there, backfill.sql, correct.sql, audit.sql and
// down.sql. Every name carries its database, one of the design's two; these are
// swapped for the round's.
func Handwritten(ctx context.Context, engine Engine, d *designer.Design, dir string, o Options, tell func(Progress)) (*Result, error) {
	rollup, facts, err := resolve(ctx, engine, d)
	if err != nil {
		return nil, err
	}
	s, err := readStatements(dir, d)
	if err != nil {
		return nil, err
	}
	plan := pattern.Force(rollup, "direct")
	s.Truth = plan.Truth
	return ProveStatements(ctx, engine, d, facts, s.withClock(), o, tell)
}

// named are the scripts of a folder that are not part of up/.
var named = []string{"query.sql", "truth.sql", "audit.sql", "backfill.sql", "correct.sql", "monitor.sql", "down.sql"}

func readStatements(dir string, d *designer.Design) (*Statements, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, badFolder(dir, "it is not a folder")
	}
	up, err := filepath.Glob(filepath.Join(dir, "up", "*.sql"))
	if err == nil && len(up) == 0 {
		up, err = filepath.Glob(filepath.Join(dir, "*.sql"))
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(up)
	s := &Statements{Pattern: "by hand"}
	read := func(name string) (string, error) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			return "", nil
		}
		return inSlots(string(text), d), err
	}
	for _, path := range up {
		if slices.Contains(named, filepath.Base(path)) {
			continue
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return nil, err
		}
		text, err := read(name)
		if err != nil {
			return nil, badFolder(path, err.Error())
		}
		s.Up = append(s.Up, Split(text)...)
	}
	for name, to := range map[string]*string{"query.sql": &s.Query, "audit.sql": &s.Audit, "backfill.sql": &s.Backfill, "correct.sql": &s.Correct, "down.sql": &s.Down} {
		if *to, err = read(name); err != nil {
			return nil, badFolder(filepath.Join(dir, name), err.Error())
		}
	}
	switch {
	case one(s.Query) == "":
		return nil, badFolder(dir, "it has no query.sql, which answers with the grain's columns and then the metrics")
	case d.Backfill.Mode != designer.BackfillNone && len(Split(s.Backfill)) == 0:
		return nil, badFolder(dir, fmt.Sprintf("it has no backfill.sql, and the design's backfill mode is %s", d.Backfill.Mode))
	}
	return s, nil
}

func badFolder(path, why string) error {
	return problem.Field("sql-folder", "--sql", path, "the statements cannot be used: "+why, "a folder with up/*.sql (or *.sql) and query.sql")
}

// inSlots moves statements from the design's databases to the slots: names that
// are qualified by them, and CREATE DATABASE.
func inSlots(script string, d *designer.Design) string {
	moved := stage(d)
	for _, pair := range [][2]string{{d.Source.Database, moved.Source.Database}, {d.Target.Database, moved.Target.Database}} {
		for _, name := range []string{ident(pair[0]), `"` + pair[0] + `"`, regexp.QuoteMeta(pair[0])} {
			if name[0] == '`' {
				name = regexp.QuoteMeta(name)
			}
			qualified := regexp.MustCompile("(^|[^\\w.`\"'])" + name + `\s*\.`)
			script = qualified.ReplaceAllString(script, "${1}"+pair[1]+".")
			created := regexp.MustCompile("(?i)(\\bDATABASE\\s+(?:IF\\s+(?:NOT\\s+)?EXISTS\\s+)?)" + name + "($|[\\s;])")
			script = created.ReplaceAllString(script, "${1}"+pair[1]+"${2}")
		}
	}
	return script
}

// Summary tells a proof that held.
func (r *Result) Summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s holds: %d rounds, %d checkpoints, on ClickHouse %s\n", r.Pattern, r.Rounds, len(r.Checkpoints), r.Engine)
	if r.Naive != nil && r.Naive.Failed {
		fmt.Fprintf(&b, "beside it, the naive view (%s) fails: %s\n", r.Naive.Pattern, r.Naive.Checkpoint)
	} else if r.Naive != nil && r.Naive.Error == "" {
		fmt.Fprintf(&b, "beside it, the naive view (%s) holds as well\n", r.Naive.Pattern)
	}
	return b.String()
}
