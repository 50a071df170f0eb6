package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

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
		asJSON := o.asJSON()
		return func(ctx context.Context, c *console, args []string) error {
			for name, n := range map[string]int{"--rows": *rows, "--rounds": *rounds} {
				if n < 1 {
					return problem.Field("number", name, fmt.Sprint(n), "one is the least", "")
				}
			}
			result, err := prove(ctx, c, args[0], proof.Options{Seed: *seed, Rows: *rows, Rounds: *rounds})
			if err != nil {
				return err
			}
			return tellProof(c, result, *asJSON)
		}
	},
}

func prove(ctx context.Context, c *console, path string, o proof.Options) (result *proof.Result, err error) {
	d, err := readDesign(c, path)
	if err != nil {
		return nil, err
	}
	err = withEngine(ctx, sandbox.Options{}, func(e *sandbox.Engine) error {
		result, err = proof.Prove(ctx, e, d, o, progressTo(c.err))
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
		fmt.Fprintf(w, "%s: round %d of %d, %d checkpoints\n", p.Phase, p.Round, p.Rounds, p.Checkpoints)
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
		_, err = fmt.Fprintf(c.out, "%s holds: %d rounds, %d checkpoints, on ClickHouse %s\n", r.Pattern, r.Rounds, len(r.Checkpoints), r.Engine)
	case r.Counterexample != nil:
		_, err = fmt.Fprint(c.out, r.Counterexample.Story())
	default:
		_, err = fmt.Fprintf(c.out, "%s does not hold\n", r.Pattern)
	}
	if err == nil && !r.OK {
		err = errNo
	}
	return err
}
