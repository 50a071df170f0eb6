// Rollsmith designs pre-aggregated tables for ClickHouse tables whose rows
// change, and proves them. This is its command line: parse, wire, run, leave.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/sandbox"
)

// Exit statuses, as SPEC names them.
const (
	exitDone    = 0
	exitNo      = 1 // the answer is no
	exitInput   = 2 // the input is wrong
	exitFailure = 3 // the cluster or the sandbox failed
)

// errNo says that the answer is no; the answer itself is printed by then.
var errNo = errors.New("the answer is no")

// command is one subcommand. define adds its flags and gives what runs once they
// and the arguments are read.
type command struct {
	name    string
	args    string // as in the usage line, e.g. "DESIGN.json"
	summary string
	define  func(*options) runner
}

// runner does a command's work with its arguments.
type runner func(ctx context.Context, c *console, args []string) error

// console is where a command reads and writes: results to out, words about
// progress to err.
type console struct {
	in       io.Reader
	out, err io.Writer
}

// commands are listed in the order in which the help shows them.
func commands() []command {
	return []command{
		serveCommand,
		sandboxCommand,
		introspectCommand,
		recommendCommand,
		bundleCommand,
		proveCommand,
		lintCommand,
		measureCommand,
		versionCommand,
	}
}

func main() {
	sandbox.Child()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	c := &console{os.Stdin, os.Stdout, os.Stderr}
	status := guarded(c, func() int { return run(ctx, c, os.Args[1:]) })
	stop()
	os.Exit(status)
}

// guarded turns a defect of ours into one sentence.
func guarded(c *console, work func() int) (status int) {
	defer func() {
		if cause := recover(); cause != nil {
			fmt.Fprintf(c.err, "rollsmith: this is a defect of ours: %v\n", cause)
			status = exitFailure
		}
	}()
	return work()
}

// run finds the subcommand, runs it and tells its error.
func run(ctx context.Context, c *console, args []string) int {
	if len(args) == 0 {
		fmt.Fprint(c.err, usage())
		return exitInput
	}
	if isHelp(args[0]) {
		fmt.Fprint(c.out, usage())
		return exitDone
	}
	all := commands()
	at := slices.IndexFunc(all, func(k command) bool { return k.name == args[0] })
	if at < 0 {
		err := &problem.Error{Kind: problem.Invalid, Code: "command", Message: fmt.Sprintf("there is no command %q", args[0]), Hint: "`rollsmith -h` lists the commands"}
		return tell(c, err, args)
	}
	return tell(c, all[at].run(ctx, c, args[1:]), args)
}

func isHelp(word string) bool {
	return slices.Contains([]string{"-h", "-help", "--help", "help"}, word)
}

func usage() string {
	var b strings.Builder
	b.WriteString("rollsmith designs rollups for ClickHouse tables whose rows change, and proves them.\n\nusage: rollsmith COMMAND [flags] [arguments]\n\n")
	for _, k := range commands() {
		fmt.Fprintf(&b, "  %-11s %s\n", k.name, k.summary)
	}
	b.WriteString("\n`rollsmith COMMAND -h` tells the flags. Exit status: 0 done, 1 the answer is no, 2 the input is wrong, 3 the cluster or the sandbox failed.\n")
	return b.String()
}

// tell prints what went wrong, as JSON too where JSON was asked for, and gives
// the exit status.
func tell(c *console, err error, args []string) int {
	if err == nil {
		return exitDone
	}
	if errors.Is(err, errNo) {
		return exitNo
	}
	p, ok := problem.As(err)
	if !ok {
		p = &problem.Error{Kind: problem.Down, Code: "failed", Message: err.Error()}
	}
	fmt.Fprintln(c.err, "rollsmith: "+p.Error())
	if slices.Contains(args, "--json") || slices.Contains(args, "-json") {
		_ = printJSON(c.out, map[string]any{"error": p})
	}
	return exitOf(p.Kind)
}

func exitOf(kind problem.Kind) int {
	switch kind {
	case problem.Denied, problem.Down, problem.Limit:
		return exitFailure
	default:
		return exitInput
	}
}

func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
