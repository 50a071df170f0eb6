package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
)

// childVariable tells a process that it is to be the engine: it holds the path
// of the library or program to run.
const childVariable = "ROLLSMITH_ENGINE_CHILD"

// runVariable names the folder of this run, which the engine removes when its
// parent can no longer do so.
const runVariable = "ROLLSMITH_ENGINE_RUN"

// runFolder is what runVariable said.
var runFolder string

// lifelineFD is the pipe whose other end only the parent holds.
const lifelineFD = 3

// graceToLeave is how long an engine may take to leave by itself. A clean exit
// takes well under a second; a long query would hold it up for ever.
const graceToLeave = 4 * time.Second

// Child turns the process into the engine and never returns, if Start made it
// for that; else it does nothing. Call it first in main and in TestMain.
func Child() {
	path := os.Getenv(childVariable)
	if path == "" {
		return
	}
	runFolder = os.Getenv(runVariable)
	for _, name := range []string{childVariable, runVariable} {
		os.Unsetenv(name) // a program that this one starts is itself again
	}
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP) // the parent hears those and decides
	var err error
	if newBinary(path).program {
		err = superviseProgram(path, os.Args[1:])
	} else {
		go leaveWithParent(func() { leave(errors.New("the engine did not leave by itself")) })
		err = runLibrary(path, os.Args[1:])
	}
	leave(err)
}

// leave ends the process and leaves nothing behind.
func leave(err error) {
	os.RemoveAll(runFolder)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// leaveWithParent waits for the parent to let go of the lifeline, gives the
// engine the time to leave by itself, and then makes it.
func leaveWithParent(force func()) {
	_, _ = io.Copy(io.Discard, os.NewFile(lifelineFD, "lifeline"))
	time.Sleep(graceToLeave)
	force()
}

// runLibrary hands the arguments to the library's command line and stays until
// its standard input ends.
func runLibrary(path string, args []string) error {
	runtime.LockOSThread()
	library, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return fmt.Errorf("load the engine: %w", err)
	}
	var query func(argc int32, argv unsafe.Pointer) uintptr
	var failure func(result uintptr) string
	purego.RegisterLibFunc(&query, library, "chdb_query_cmdline")
	purego.RegisterLibFunc(&failure, library, "chdb_result_error")

	argv := cStrings(append([]string{"clickhouse"}, args...))
	result := query(int32(len(argv)-1), unsafe.Pointer(&argv[0]))
	runtime.KeepAlive(argv)
	if result == 0 {
		return nil
	}
	if message := failure(result); message != "" {
		return fmt.Errorf("%s", message)
	}
	return nil
}

// cStrings is an argv: strings that end in a zero byte, and a nil at the end.
func cStrings(args []string) []*byte {
	argv := make([]*byte, 0, len(args)+1)
	for _, arg := range args {
		argv = append(argv, &append([]byte(arg), 0)[0])
	}
	return append(argv, nil)
}

// superviseProgram runs a clickhouse program, which knows nothing of our
// standard input, and ends it when that input ends.
func superviseProgram(path string, args []string) error {
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", path, err)
	}
	go leaveWithParent(func() { _ = cmd.Process.Kill() })
	left := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(left)
		_ = cmd.Process.Signal(syscall.SIGTERM)
	}()
	err := cmd.Wait()
	select {
	case <-left:
		return nil
	default:
		return err
	}
}
