package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rollsmith/rollsmith/problem"
)

// parentVariable makes this test binary a program that starts an engine and
// waits to be killed.
const parentVariable = "ROLLSMITH_TEST_PARENT"

// programVariable makes this test binary a clickhouse program: `clickhouse
// server --config-file=…` from the library it names.
const programVariable = "ROLLSMITH_TEST_PROGRAM"

func TestMain(m *testing.M) {
	Child()
	if os.Getenv(parentVariable) != "" {
		parent()
	}
	if library := os.Getenv(programVariable); library != "" {
		program(library)
	}
	os.Exit(m.Run())
}

func start(t *testing.T, o Options) *Engine {
	t.Helper()
	e, err := Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// value asks one question that has one text for an answer.
func value(t *testing.T, e *Engine, query string) string {
	t.Helper()
	var v string
	if err := e.Conn().QueryRow(context.Background(), query).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

func execute(t *testing.T, e *Engine, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if err := e.Conn().Exec(context.Background(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func wantProblem(t *testing.T, err error, part string) {
	t.Helper()
	p, ok := problem.As(err)
	if !ok || p.Kind != problem.Down {
		t.Fatalf("got %v, want a problem of kind down", err)
	}
	if !strings.Contains(p.Message, part) {
		t.Errorf("message %q does not say %q", p.Message, part)
	}
	if strings.Contains(p.Message, "Stack trace") || strings.Contains(p.Message, "<Debug>") {
		t.Errorf("message is not for a reader: %q", p.Message)
	}
}

func wantDone(t *testing.T, e *Engine) {
	t.Helper()
	select {
	case <-e.Done():
	case <-time.After(20 * time.Second):
		t.Fatal("the engine did not leave")
	}
}

func TestEngineAnswersAndLeavesNothing(t *testing.T) {
	e := start(t, Options{})
	if zone := value(t, e, "SELECT timezone()"); zone != "UTC" {
		t.Errorf("zone = %q", zone)
	}
	if v := value(t, e, "SELECT version()"); v != e.Version() {
		t.Errorf("Version() = %q, the engine says %q", e.Version(), v)
	}
	if e.TCPPort() == 0 || e.HTTPPort() == 0 || !strings.Contains(e.DSN(), fmt.Sprint(e.TCPPort())) {
		t.Errorf("ports %d, %d, dsn %q", e.TCPPort(), e.HTTPPort(), e.DSN())
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := e.Err(); err != nil {
		t.Errorf("Err after Close = %v", err)
	}
	if _, err := os.Stat(e.runDir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there", e.runDir)
	}
}

func TestScratchIsFreshAndDropped(t *testing.T) {
	e, ctx := start(t, Options{}), context.Background()
	one, dropOne, err := e.Scratch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	two, dropTwo, err := e.Scratch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer dropTwo()
	if one == two {
		t.Fatalf("both are %s", one)
	}
	execute(t, e, "CREATE TABLE "+one+".t (x UInt64) ENGINE = MergeTree ORDER BY x")
	dropOne()
	if n := value(t, e, "SELECT arrayStringConcat(groupArray(name), ',') FROM system.databases WHERE name LIKE 'scratch%'"); n != two {
		t.Errorf("left: %q, want %q", n, two)
	}
}

func TestLogsConfigAndUsersAreTaken(t *testing.T) {
	e := start(t, Options{
		Logs:   true,
		Config: "<macros><shard>seven</shard></macros>",
		Users:  "<reader><password>pw</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></reader>",
	})
	if v := value(t, e, "SELECT getMacro('shard')"); v != "seven" {
		t.Errorf("macro = %q", v)
	}
	if v := value(t, e, "SELECT arrayStringConcat(arraySort(groupArray(name)), ',') FROM system.users"); v != "default,reader" {
		t.Errorf("users = %q", v)
	}
	execute(t, e, "SELECT 'a sentence to find'", "SYSTEM FLUSH LOGS")
	if v := value(t, e, "SELECT toString(count()) FROM system.query_log WHERE query = 'SELECT ''a sentence to find''' AND type = 'QueryFinish'"); v != "1" {
		t.Errorf("logged %s times", v)
	}
}

func TestRestartOnSameDirKeepsData(t *testing.T) {
	dir := t.TempDir()
	first := start(t, Options{Dir: dir})
	execute(t, first, "CREATE DATABASE shop", "CREATE TABLE shop.t (x UInt64) ENGINE = MergeTree ORDER BY x", "INSERT INTO shop.t SELECT number FROM numbers(1000)")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := start(t, Options{Dir: dir})
	if v := value(t, second, "SELECT toString(sum(x)) FROM shop.t"); v != "499500" {
		t.Errorf("sum = %s", v)
	}
}

func TestUnusableOptionsAreRefusedInWords(t *testing.T) {
	running := start(t, Options{Dir: t.TempDir()})
	file := t.TempDir() + "/file"
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		options Options
		says    string
	}{
		"port in use":      {Options{TCPPort: running.TCPPort()}, "address already in use"},
		"http port in use": {Options{HTTPPort: running.HTTPPort()}, "address already in use"},
		"folder in use":    {Options{Dir: running.dataDir}, "Another server instance in same directory"},
		"folder is a file": {Options{Dir: file}, "not a directory"},
		"broken config":    {Options{Config: "<a><b></a>"}, "Tag mismatch"},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := Start(context.Background(), c.options)
			if err == nil {
				e.Close()
				t.Fatal("started")
			}
			wantProblem(t, err, c.says)
		})
	}
}

func TestCrashClosesDoneAndFailsQueries(t *testing.T) {
	e := start(t, Options{})
	if err := syscall.Kill(e.cmd.Process.Pid, syscall.SIGSEGV); err != nil {
		t.Fatal(err)
	}
	wantDone(t, e)
	wantProblem(t, e.Err(), "signal")
	if err := e.Conn().Exec(context.Background(), "SELECT 1"); err == nil {
		t.Error("a dead engine answered")
	}
	_, _, err := e.Scratch(context.Background())
	wantProblem(t, err, "signal")
}

func TestCancelledContextKillsEngine(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	e, err := Start(ctx, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	cancel()
	wantDone(t, e)
}

func TestCloseEndsRunningQuery(t *testing.T) {
	e := start(t, Options{})
	failed := make(chan error, 1)
	go func() {
		failed <- e.Conn().Exec(context.Background(), "SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1")
	}()
	for value(t, e, "SELECT toString(count()) FROM system.processes WHERE query LIKE '%sipHash64%' AND query NOT LIKE '%processes%'") != "1" {
		time.Sleep(5 * time.Millisecond)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; err == nil {
		t.Error("the query ended well")
	}
}

// parent is a program with an engine, as TestEngineDiesWithParent needs it.
func parent() {
	e, err := Start(context.Background(), Options{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(e.TCPPort(), e.cmd.Process.Pid, e.runDir)
	select {}
}

func TestEngineDiesWithParent(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), parentVariable+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var port, pid int
	var runDir string
	if _, err := fmt.Sscan(line, &port, &pid, &runDir); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	deadline := time.Now().Add(20 * time.Second)
	for answers(port) || exists(runDir) {
		if time.Now().After(deadline) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("the engine outlived its parent, or left its folder")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func answers(port int) bool {
	conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), time.Second)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// program serves as a clickhouse server does, until it is told to stop.
func program(library string) {
	if len(os.Args) != 3 || os.Args[1] != "server" {
		fmt.Fprintln(os.Stderr, "unexpected arguments:", os.Args[1:])
		os.Exit(1)
	}
	err := runLibrary(library, []string{os.Args[2],
		"--query=SYSTEM START LISTEN QUERIES ALL; SELECT sleepEachRow(1) FROM numbers(1000) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0 FORMAT Null"})
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func TestProgramServesLikeTheLibrary(t *testing.T) {
	engine, err := find()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := t.TempDir() + "/clickhouse"
	text := fmt.Sprintf("#!/bin/sh\n%s='%s' exec '%s' \"$@\"\n", programVariable, engine.path, self)
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ROLLSMITH_ENGINE", script)
	e := start(t, Options{})
	if zone := value(t, e, "SELECT timezone()"); zone != "UTC" {
		t.Errorf("zone = %q", zone)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if answers(e.TCPPort()) || exists(e.runDir) {
		t.Error("something of the engine is left")
	}
}

func TestTwoEnginesJoinInDistributed(t *testing.T) {
	shards := make([]int, 2)
	for i := range shards {
		port, err := freePort()
		if err != nil {
			t.Fatal(err)
		}
		shards[i] = port
	}
	config := "<remote_servers><pair>"
	for _, port := range shards {
		config += fmt.Sprintf("<shard><replica><host>127.0.0.1</host><port>%d</port></replica></shard>", port)
	}
	config += "</pair></remote_servers>"
	var engines []*Engine
	for i, port := range shards {
		e := start(t, Options{TCPPort: port, Config: config})
		execute(t, e, "CREATE DATABASE shop", "CREATE TABLE shop.t (x UInt64) ENGINE = MergeTree ORDER BY x",
			fmt.Sprintf("INSERT INTO shop.t SELECT number FROM numbers(%d)", 10*(i+1)))
		engines = append(engines, e)
	}
	execute(t, engines[0], "CREATE TABLE shop.everywhere AS shop.t ENGINE = Distributed(pair, shop, t, x)")
	if v := value(t, engines[0], "SELECT toString(count()) FROM shop.everywhere"); v != "30" {
		t.Errorf("count = %s, want 30", v)
	}
}

func TestMissingEngineSaysWhereItLooked(t *testing.T) {
	t.Run("named", func(t *testing.T) {
		t.Setenv("ROLLSMITH_ENGINE", "/nowhere/libchdb.so")
		_, err := Start(context.Background(), Options{})
		wantProblem(t, err, "/nowhere/libchdb.so")
	})
	t.Run("anywhere", func(t *testing.T) {
		t.Setenv("ROLLSMITH_ENGINE", "")
		t.Setenv("LD_LIBRARY_PATH", "")
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		t.Setenv("PATH", "")
		t.Chdir(t.TempDir())
		_, err := find()
		wantProblem(t, err, "@chdb/"+packageName())
		if p, _ := problem.As(err); !strings.Contains(p.Hint, "npm ci") {
			t.Errorf("hint = %q", p.Hint)
		}
	})
}
