package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/proof"
	"github.com/rollsmith/rollsmith/sandbox"
)

var proveCommand = command{
	name:    "prove",
	args:    "DESIGN.json",
	summary: "run the bundle under generated workloads and compare its answers with the truth",
	define: func(o *options) runner {
		seed := o.Uint64("seed", 1, "`NUMBER` the workloads are made from; the same one makes the same")
		rows := o.Int("rows", 24, "`NUMBER` of changes in a round, at most")
		rounds := o.Int("rounds", 60, "`NUMBER` of workloads")
		named := o.String("pattern", "", "`NAME` of a pattern, instead of the document's")
		force := o.Bool("force", false, "prove the named pattern although the design refuses it, to see what breaks")
		dir := o.String("sql", "", "`DIR` with statements written by hand (up/*.sql or *.sql, and query.sql) to prove instead of the bundle's")
		asJSON := o.asJSON()
		return func(ctx context.Context, c *console, args []string) error {
			for name, n := range map[string]int{"--rows": *rows, "--rounds": *rounds} {
				if n < 1 {
					return problem.Field("number", name, fmt.Sprint(n), "one is the least", "")
				}
			}
			if *seed == 0 {
				return problem.Field("number", "--seed", "0", "one is the least", "")
			}
			if *dir != "" && (*force || *named != "") {
				return problem.Field("usage", "--sql", *dir, "statements written by hand follow no pattern", "leave out --pattern and --force, or --sql")
			}
			o := proof.Options{Seed: *seed, Rows: *rows, Rounds: *rounds}
			result, err := proveWith(ctx, c, args[0], func(e *sandbox.Engine, d *designer.Design) (*proof.Result, error) {
				if *named != "" {
					d.Pattern = *named
				}
				switch tell := progressTo(c.err); {
				case *dir != "":
					return proof.Handwritten(ctx, e, d, *dir, o, tell)
				case *force && d.Pattern == "auto":
					return nil, problem.Field("usage", "--force", "", "the design names no pattern to force", "name one with --pattern")
				case *force:
					return proof.Force(ctx, e, d, d.Pattern, o, tell)
				default:
					return proof.Prove(ctx, e, d, o, tell)
				}
			})
			if err != nil {
				return err
			}
			return tellProof(c, result, *asJSON)
		}
	},
}

// proveWith reads a design and gives it to work with an engine.
func proveWith(ctx context.Context, c *console, path string, work func(*sandbox.Engine, *designer.Design) (*proof.Result, error)) (result *proof.Result, err error) {
	d, err := readDesign(c, path)
	if err != nil {
		return nil, err
	}
	err = withEngine(ctx, sandbox.Options{}, func(e *sandbox.Engine) error {
		result, err = work(e, d)
		return err
	})
	return result, err
}

// progressTo tells about once a second how far a proof is.
func progressTo(w io.Writer) func(proof.Progress) {
	var mu sync.Mutex // rounds run side by side
	last := time.Now()
	return func(p proof.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(last) < time.Second {
			return
		}
		last = time.Now()
		fmt.Fprintf(w, "%s: %d of %d, %d checkpoints\n", p.Phase, p.Round, p.Rounds, p.Checkpoints)
	}
}

// tellProof prints the result; the answer is no where a checkpoint did not hold.
func tellProof(c *console, r *proof.Result, asJSON bool) error {
	r.Checkpoints = orEmpty(r.Checkpoints)
	var err error
	switch {
	case asJSON:
		err = printJSON(c.out, r)
	case r.OK:
		_, err = fmt.Fprint(c.out, r.Summary())
	case r.Counterexample != nil:
		_, err = fmt.Fprint(c.out, r.Counterexample.Story())
	default:
		_, err = fmt.Fprintf(c.out, "%s does not hold\n", r.Pattern)
	}
	fmt.Fprintf(c.err, "%d rounds, %.1f a second, seed %d\n", r.Rounds, r.RoundsPerSecond, r.Seed)
	if err == nil && !r.OK {
		err = errNo
	}
	return err
}
