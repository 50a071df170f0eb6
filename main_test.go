package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Child()
	os.Exit(m.Run())
}

// rollsmith runs the command line in this process.
func rollsmith(t *testing.T, args ...string) (status int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(context.Background(), &console{strings.NewReader(""), &o, &e}, args)
	return status, o.String(), e.String()
}

func TestHelpOfEveryCommand(t *testing.T) {
	status, out, _ := rollsmith(t, "-h")
	if status != exitDone {
		t.Errorf("status = %d", status)
	}
	for _, k := range commands() {
		if !strings.Contains(out, "  "+k.name+" ") {
			t.Errorf("the help does not list %s", k.name)
		}
		status, help, errs := rollsmith(t, k.name, "-h")
		if status != exitDone || errs != "" || !strings.Contains(help, k.line()) || !strings.Contains(help, k.summary) {
			t.Errorf("%s -h: status %d\n%s%s", k.name, status, help, errs)
		}
	}
}

func TestMisuseIsExitTwoWithTheWayOut(t *testing.T) {
	for _, args := range [][]string{
		{}, {"no-such"}, {"version", "--no-such"}, {"version", "argument"},
		{"sandbox", "--tcp-port", "many"}, {"sandbox", "--tcp-port", "70000"}, {"sandbox", "--http-port=-1"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			status, out, errs := rollsmith(t, args...)
			if status != exitInput || out != "" || errs == "" {
				t.Errorf("status %d, out %q, err %q", status, out, errs)
			}
		})
	}
}

func TestErrorIsJSONWhereJSONWasAsked(t *testing.T) {
	status, out, _ := rollsmith(t, "no-such", "--json")
	var got struct{ Error problem.Error }
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if status != exitInput || got.Error.Kind != problem.Invalid || !strings.Contains(got.Error.Message, "no-such") {
		t.Errorf("status %d, %+v", status, got)
	}
}

func TestFailureIsExitThree(t *testing.T) {
	t.Setenv("ROLLSMITH_ENGINE", "/nowhere")
	if status, _, errs := rollsmith(t, "sandbox"); status != exitFailure || !strings.Contains(errs, "npm ci") {
		t.Errorf("status %d: %s", status, errs)
	}
}

func TestDefectShowsNoStack(t *testing.T) {
	var e bytes.Buffer
	status := guarded(&console{err: &e}, func() int { panic("two and two") })
	if status != exitFailure || !strings.Contains(e.String(), "two and two") || strings.Contains(e.String(), "goroutine") {
		t.Errorf("status %d: %s", status, e.String())
	}
}

func TestFlagsMayFollowArguments(t *testing.T) {
	var got []string
	k := command{name: "try", args: "A [B]", define: func(o *options) runner {
		asJSON := o.asJSON()
		return func(_ context.Context, _ *console, args []string) error {
			got = append(args, fmt.Sprint(*asJSON))
			return nil
		}
	}}
	for want, args := range map[string][]string{
		"[a true]":          {"a", "--json"},
		"[a b true]":        {"--json", "a", "b"},
		"[a b false]":       {"a", "b"},
		"[a --json false]":  {"a", "--", "--json"},
		"[a-b --x -y true]": {"--json", "a-b", "--", "--x -y"},
	} {
		if err := k.run(context.Background(), &console{out: io.Discard}, args); err != nil {
			t.Errorf("%q: %v", args, err)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q gave %v, want %s", args, got, want)
		}
	}
	for _, args := range [][]string{nil, {"a", "b", "c"}} {
		if err := k.run(context.Background(), &console{}, args); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}

func TestSandboxServesUntilItsInputEnds(t *testing.T) {
	in, closeIn := io.Pipe()
	out, writeOut := io.Pipe()
	ended := make(chan int)
	go func() {
		ended <- run(context.Background(), &console{in, writeOut, io.Discard}, []string{"sandbox"})
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var web, native int
	var version string
	if _, err := fmt.Sscanf(line, "ready http=%d tcp=%d version=%s\n", &web, &native, &version); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	reply, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/?query=SELECT+version()", web))
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(reply.Body)
	reply.Body.Close()
	if strings.TrimSpace(string(body)) != version {
		t.Errorf("%s said %q", line, body)
	}
	closeIn.Close()
	if status := <-ended; status != exitDone {
		t.Errorf("status = %d", status)
	}
}

func TestSandboxEndsOnSignal(t *testing.T) {
	in, closeIn := io.Pipe()
	defer closeIn.Close()
	out, writeOut := io.Pipe()
	ctx, signal := context.WithCancel(context.Background())
	ended := make(chan int)
	go func() { ended <- run(ctx, &console{in, writeOut, io.Discard}, []string{"sandbox"}) }()
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	signal()
	if status := <-ended; status != exitDone {
		t.Errorf("status = %d", status)
	}
}
