package main

import (
	"context"
	"fmt"
	"io"

	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/sandbox"
)

var sandboxCommand = command{
	name:    "sandbox",
	summary: "run a real ClickHouse on loopback until SIGTERM or the end of input",
	define: func(o *options) runner {
		var s sandbox.Options
		o.IntVar(&s.HTTPPort, "http-port", 0, "`PORT` of the HTTP interface; 0: any")
		o.IntVar(&s.TCPPort, "tcp-port", 0, "`PORT` of the native protocol; 0: any")
		o.StringVar(&s.Dir, "path", "", "`DIR` where the data stays; without it nothing is kept")
		return func(ctx context.Context, c *console, _ []string) error { return runSandbox(ctx, c, s) }
	},
}

func runSandbox(ctx context.Context, c *console, o sandbox.Options) error {
	for name, port := range map[string]int{"--http-port": o.HTTPPort, "--tcp-port": o.TCPPort} {
		if port < 0 || port > 65535 {
			return problem.Field("port", name, fmt.Sprint(port), "a port is between 0 and 65535", "0 takes any free port")
		}
	}
	o.Logs, o.Stderr = true, c.err
	// The engine outlives the signal by its orderly end.
	e, err := sandbox.Start(context.WithoutCancel(ctx), o)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "ready http=%d tcp=%d version=%s\n", e.HTTPPort(), e.TCPPort(), e.Version())
	select {
	case <-ctx.Done():
	case <-endOf(c.in):
	case <-e.Done():
		return e.Err()
	}
	return e.Close()
}

// endOf is closed when nothing more can be read.
func endOf(r io.Reader) <-chan struct{} {
	end := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, r)
		close(end)
	}()
	return end
}
