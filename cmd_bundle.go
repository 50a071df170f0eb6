package main

import (
	"context"
	"fmt"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/problem"
)

var bundleCommand = command{
	name:    "bundle",
	args:    "DESIGN.json",
	summary: "write the statements, their audit and their undoing",
	define: func(o *options) runner {
		out := o.String("out", "", "`DIR` to write to, or a FILE.zip")
		asJSON := o.asJSON()
		return func(ctx context.Context, c *console, args []string) error {
			if *out == "" {
				return &problem.Error{Kind: problem.Invalid, Code: "usage", Field: "--out", Message: "where the bundle goes must be said", Hint: "--out DIR or --out FILE.zip"}
			}
			d, err := decide(ctx, c, args[0])
			if err != nil {
				return err
			}
			files := designer.Bundle(d)
			if err := writeBundle(*out, files); err != nil {
				return err
			}
			fmt.Fprintf(c.err, "pattern %s\n", d.Pattern)
			return tellBundle(c, *out, d.Pattern, files, *asJSON)
		}
	},
}

// tellBundle prints the paths that were written, in the order of their use.
func tellBundle(c *console, out, pattern string, files []designer.File, asJSON bool) error {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	if asJSON {
		return printJSON(c.out, map[string]any{"out": out, "pattern": pattern, "files": paths})
	}
	for _, path := range paths {
		fmt.Fprintln(c.out, path)
	}
	return nil
}
