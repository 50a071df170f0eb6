// Package sandbox runs a real ClickHouse on this machine: it finds the engine,
// runs it as a child process that dies with its parent, and hands out
// connections.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/rollsmith/rollsmith/problem"
)

// Options say what engine is wanted; the zero value is a fresh one on any ports.
type Options struct {
	Dir            string    // where its data lives and stays; empty: a folder removed by Close
	HTTPPort       int       // 0: any
	TCPPort        int       // 0: any
	Logs           bool      // keep query_log, part_log and query_views_log
	Config         string    // more elements of the server's config file, such as <remote_servers> and <macros>
	Users          string    // more elements of its <users>, beside the user default, who has no password
	MaxMemoryBytes int64     // 0: 4 GiB
	Stderr         io.Writer // what the engine says; nil: only shown when it fails
}

// Engine is a running ClickHouse.
type Engine struct {
	binary   binary
	runDir   string // config and scratch files of this run, removed when it ends
	dataDir  string
	httpPort int
	tcpPort  int
	version  string
	conn     driver.Conn
	analyst  *Analyst

	cmd      *exec.Cmd
	stdin    io.Closer
	lifeline io.Closer
	patience time.Duration // how long Close waits before it kills
	said     *tail
	done     chan struct{}
	exit     error // why the child left; read after done
	closing  sync.Once
	closed   chan struct{} // closed when Close was called
}

// startPatience is how long an engine may take to serve: it takes a fifth of a
// second, and much longer only when the library is read from a cold disk.
const startPatience = 60 * time.Second

// Start runs an engine and waits until it answers. The engine lives until Close,
// the end of ctx or the end of this process. The calling program must call Child
// first of all. The error is a problem.Error of kind Down.
func Start(ctx context.Context, o Options) (*Engine, error) {
	found, err := find()
	if err != nil {
		return nil, err
	}
	e := &Engine{
		binary: found, httpPort: o.HTTPPort, tcpPort: o.TCPPort,
		said: &tail{next: o.Stderr}, done: make(chan struct{}), closed: make(chan struct{}),
	}
	if err := e.prepare(o); err != nil {
		os.RemoveAll(e.runDir)
		return nil, down("sandbox-setup", err, "the sandbox cannot be set up: "+err.Error(), "give a folder you may write to and ports that are free")
	}
	if err := e.spawn(ctx); err != nil {
		os.RemoveAll(e.runDir)
		return nil, down("sandbox-start", err, "the sandbox does not start: "+err.Error(), "")
	}
	if err := e.awaitReady(ctx); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// prepare makes the folders, checks the ports and writes the config.
func (e *Engine) prepare(o Options) (err error) {
	if e.runDir, err = os.MkdirTemp("", "rollsmith-engine-"); err != nil {
		return err
	}
	e.dataDir, e.patience = o.Dir, graceToLeave
	if e.dataDir == "" {
		e.patience /= 10 // nothing to save
		e.dataDir = filepath.Join(e.runDir, "data")
	}
	if e.dataDir, err = filepath.Abs(e.dataDir); err != nil {
		return err
	}
	if err = os.MkdirAll(e.dataDir, 0o700); err != nil {
		return err
	}
	if err = checkWritable(e.dataDir); err != nil {
		return err
	}
	for _, port := range []*int{&e.httpPort, &e.tcpPort} {
		if err = e.choosePort(port); err != nil {
			return err
		}
	}
	return e.writeConfig(o)
}

func (e *Engine) choosePort(port *int) (err error) {
	if *port == 0 {
		if e.binary.program {
			*port, err = freePort()
		}
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(*port))
	if err != nil {
		return fmt.Errorf("port %d: %w", *port, err)
	}
	return listener.Close()
}

func checkWritable(dir string) error {
	probe, err := os.CreateTemp(dir, ".rollsmith-probe-")
	if err != nil {
		return err
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// spawn starts the child: this same program again, told by a variable to be the
// engine.
func (e *Engine) spawn(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	lifelineChild, lifelineParent, err := os.Pipe()
	if err != nil {
		return err
	}
	defer lifelineChild.Close()
	e.lifeline = lifelineParent

	e.cmd = exec.CommandContext(ctx, self, e.arguments()...)
	e.cmd.Env = append(os.Environ(), childVariable+"="+e.binary.path, runVariable+"="+e.runDir, "TZ=UTC")
	e.cmd.Dir = e.runDir
	e.cmd.ExtraFiles = []*os.File{lifelineChild}
	e.cmd.Stdout, e.cmd.Stderr = e.said, e.said
	e.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	e.cmd.Cancel = func() error { return killGroup(e.cmd.Process) }
	e.cmd.WaitDelay = time.Second
	if e.stdin, err = e.cmd.StdinPipe(); err != nil {
		return err
	}
	if err := e.cmd.Start(); err != nil {
		lifelineParent.Close()
		return err
	}
	go e.awaitExit()
	return nil
}

func (e *Engine) awaitExit() {
	e.exit = e.cmd.Wait()
	e.lifeline.Close()
	os.RemoveAll(e.runDir)
	close(e.done)
}

// awaitReady polls until the engine has told its ports and answers a query.
func (e *Engine) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if e.readPorts() && e.connect(ctx) == nil {
			return nil
		}
		select {
		case <-e.done:
			return e.Err()
		case <-ctx.Done():
			return down("sandbox-start", ctx.Err(), "the sandbox was not ready in time; it says: "+e.said.reason(), "try again; a first start reads half a gigabyte from disk")
		case <-tick.C:
		}
	}
}

// readPorts is true once the ports are known.
func (e *Engine) readPorts() bool {
	if e.binary.program {
		return true
	}
	text, err := os.ReadFile(e.portsFile())
	if err != nil || !strings.HasSuffix(string(text), "\n") {
		return false
	}
	_, err = fmt.Sscan(string(text), &e.tcpPort, &e.httpPort)
	return err == nil
}

func (e *Engine) connect(ctx context.Context) error {
	conn, err := e.Open("default")
	if err != nil {
		return err
	}
	if err := conn.QueryRow(ctx, "SELECT version()").Scan(&e.version); err != nil {
		conn.Close()
		return err
	}
	e.conn, e.analyst = conn, NewAnalyst(conn)
	return nil
}

// Open gives a new pool of connections with its own current database; the caller
// closes it.
func (e *Engine) Open(database string) (driver.Conn, error) {
	return clickhouse.Open(&clickhouse.Options{
		Addr:         []string{net.JoinHostPort("127.0.0.1", strconv.Itoa(e.tcpPort))},
		Auth:         clickhouse.Auth{Database: database, Username: "default"},
		DialTimeout:  5 * time.Second,
		ReadTimeout:  10 * time.Minute,
		MaxOpenConns: 8,
		MaxIdleConns: 8,
	})
}

// Conn is the engine's own pool of native connections, open until Close.
func (e *Engine) Conn() driver.Conn { return e.conn }

// DSN names the engine the way clickhouse-go reads it.
func (e *Engine) DSN() string { return fmt.Sprintf("clickhouse://127.0.0.1:%d/default", e.tcpPort) }

// HTTPPort is the loopback port of the HTTP interface.
func (e *Engine) HTTPPort() int { return e.httpPort }

// TCPPort is the loopback port of the native protocol.
func (e *Engine) TCPPort() int { return e.tcpPort }

// Version is the ClickHouse version that runs.
func (e *Engine) Version() string { return e.version }

// Done is closed when the engine has left, for whatever reason.
func (e *Engine) Done() <-chan struct{} { return e.done }

// Err is nil while the engine runs and after Close; once it left by itself, it
// tells why.
func (e *Engine) Err() error {
	select {
	case <-e.done:
	default:
		return nil
	}
	select {
	case <-e.closed:
		return nil
	default:
	}
	reason := e.said.reason()
	if reason == "" && e.exit != nil {
		reason = e.exit.Error()
	}
	if reason == "" {
		reason = "it left without a word"
	}
	return down("sandbox-left", fmt.Errorf("engine left (%v): %s", e.exit, e.said), "the sandbox stopped: "+reason, "start it again; what it held is gone unless it had a folder of its own")
}

// Close ends the engine and removes what it left, except a folder it was given.
func (e *Engine) Close() error {
	e.closing.Do(func() { close(e.closed) })
	if e.conn != nil {
		e.conn.Close()
	}
	e.stdin.Close()
	select {
	case <-e.done:
	case <-time.After(e.patience):
		if err := killGroup(e.cmd.Process); err != nil {
			return down("sandbox-stop", err, "the sandbox does not stop: "+err.Error(), "")
		}
		<-e.done
	}
	return nil
}

// killGroup ends the child and whatever it started.
func killGroup(p *os.Process) error {
	err := syscall.Kill(-p.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

func down(code string, err error, message, hint string) error {
	return &problem.Error{Kind: problem.Down, Code: code, Message: message, Hint: hint, Err: err}
}
