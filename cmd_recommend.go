package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/designer/pattern"
)

var recommendCommand = command{
	name:    "recommend",
	args:    "DESIGN.json",
	summary: "choose a pattern, and say why and why not the others",
	define: func(o *options) runner {
		asJSON := o.asJSON()
		return func(ctx context.Context, c *console, args []string) error {
			d, err := decide(ctx, c, args[0])
			if err != nil {
				return err
			}
			if *asJSON {
				return printJSON(c.out, newRecommendation(d))
			}
			tellRecommendation(c.out, newRecommendation(d), d.Title)
			return nil
		}
	},
}

// decide reads a document, learns its expressions and chooses.
func decide(ctx context.Context, c *console, path string) (*designer.Decision, error) {
	d, facts, err := learn(ctx, c, path)
	if err != nil {
		return nil, err
	}
	rollup, err := designer.Resolve(d, facts)
	if err != nil {
		return nil, err
	}
	return pattern.Decide(rollup)
}

// recommendation is what `recommend --json` prints; scripts rely on it.
type recommendation struct {
	Pattern   string               `json:"pattern"`
	Targets   []target             `json:"targets"`
	Reasons   []designer.Reason    `json:"reasons"`
	Rejected  []designer.Rejection `json:"rejected"`
	Warnings  []designer.Reason    `json:"warnings"`
	Questions []designer.Reason    `json:"questions"`
}

type target struct {
	Pattern string   `json:"pattern"`
	Table   string   `json:"table"`
	Metrics []string `json:"metrics"`
}

func newRecommendation(d *designer.Decision) recommendation {
	r := recommendation{
		Pattern: d.Pattern, Targets: []target{},
		Reasons: orEmpty(d.Reasons), Rejected: orEmpty(d.Rejected), Warnings: orEmpty(d.Warnings), Questions: orEmpty(d.Questions),
	}
	for _, t := range planTargets(d.Plan) {
		r.Targets = append(r.Targets, target{t.Pattern, t.Table, orEmpty(t.Metrics)})
	}
	return r
}

func planTargets(p *ddl.Plan) []ddl.Target {
	if p == nil {
		return nil
	}
	return p.Targets
}

// orEmpty makes a list print as [] and not as null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func tellRecommendation(w io.Writer, r recommendation, title string) {
	fmt.Fprintf(w, "%s: %s\n", r.Pattern, title)
	for _, t := range r.Targets {
		fmt.Fprintf(w, "  %s (%s) holds %s\n", t.Table, t.Pattern, strings.Join(t.Metrics, ", "))
	}
	section := func(name string, reasons []designer.Reason) {
		if len(reasons) == 0 {
			return
		}
		fmt.Fprintf(w, "\n%s\n", name)
		for _, x := range reasons {
			fmt.Fprintf(w, "  %s [%s]\n", x.Text, x.Code)
		}
	}
	section("Why", r.Reasons)
	var not []designer.Reason
	for _, x := range r.Rejected {
		not = append(not, designer.Reason{Code: x.Code, Text: x.Pattern + ": " + x.Text})
	}
	section("Why not", not)
	section("Warnings", r.Warnings)
	section("Questions whose answers would change this", r.Questions)
}
