package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/rollsmith/rollsmith/problem"
)

// options are a command's flags. They may stand before or after its arguments.
type options struct{ *flag.FlagSet }

// run reads flags and arguments and does the command's work.
func (k command) run(ctx context.Context, c *console, args []string) error {
	o := &options{flag.NewFlagSet(k.name, flag.ContinueOnError)}
	o.SetOutput(io.Discard)
	work := k.define(o)
	rest, err := o.read(args)
	if errors.Is(err, flag.ErrHelp) {
		k.help(c.out, o)
		return nil
	}
	if err != nil {
		return k.misused(err.Error())
	}
	least, most := k.arity()
	if len(rest) < least {
		return k.misused("an argument is missing")
	}
	if len(rest) > most {
		return k.misused(fmt.Sprintf("%q is one argument too many", rest[most]))
	}
	return work(ctx, c, rest)
}

// read parses flags wherever they stand; what follows "--" is all arguments.
func (o *options) read(args []string) (rest []string, err error) {
	for len(args) > 0 {
		if err := o.Parse(args); err != nil {
			return nil, err
		}
		done := len(args) - o.NArg()
		if done > 0 && args[done-1] == "--" {
			return append(rest, o.Args()...), nil
		}
		if args = o.Args(); len(args) > 0 {
			rest, args = append(rest, args[0]), args[1:]
		}
	}
	return rest, nil
}

// arity counts the arguments of the usage line; those in brackets may be left out.
func (k command) arity() (least, most int) {
	for _, word := range strings.Fields(k.args) {
		most++
		if !strings.HasPrefix(word, "[") {
			least++
		}
	}
	return least, most
}

func (k command) misused(why string) error {
	return &problem.Error{Kind: problem.Invalid, Code: "usage", Message: k.name + ": " + why, Hint: "usage: " + k.line() + "; `rollsmith " + k.name + " -h` tells more"}
}

func (k command) line() string {
	return strings.TrimSpace("rollsmith " + k.name + " [flags] " + k.args)
}

func (k command) help(w io.Writer, o *options) {
	fmt.Fprintf(w, "%s\n\nusage: %s\n", k.summary, k.line())
	first := true
	o.VisitAll(func(f *flag.Flag) {
		if first {
			fmt.Fprintln(w)
			first = false
		}
		value, text := flag.UnquoteUsage(f)
		if f.DefValue != "" && f.DefValue != "false" {
			text += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(w, "  --%-18s %s\n", strings.TrimSpace(f.Name+" "+value), text)
	})
}

// asJSON adds the flag --json.
func (o *options) asJSON() *bool {
	return o.Bool("json", false, "print one JSON object, as the contract describes it")
}
