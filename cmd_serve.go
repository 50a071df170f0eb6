package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/cluster"
	"github.com/rollsmith/rollsmith/demo"
	"github.com/rollsmith/rollsmith/handlers"
	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/sandbox"
	"github.com/rollsmith/rollsmith/store"
)

// serving is what serve was told.
type serving struct {
	addr, data, clustersFile string
	clusters, hosts          []string
	demo, open               bool
}

var serveCommand = command{
	name:    "serve",
	summary: "run the web app",
	define: func(o *options) runner {
		var s serving
		list := func(to *[]string) func(string) error {
			return func(value string) error { *to = append(*to, value); return nil }
		}
		o.StringVar(&s.addr, "addr", "127.0.0.1:8080", "`HOST:PORT` to listen on; port 0: any")
		o.StringVar(&s.data, "data", "data", "`DIR` of the SQLite file, on a local disk")
		o.Func("cluster", "`NAME=DSN` of a cluster to show; may be given several times", list(&s.clusters))
		o.StringVar(&s.clustersFile, "clusters", "", "`FILE` of named clusters, mode 0600")
		o.Func("host", "a `NAME` by which browsers reach this server; may be given several times", list(&s.hosts))
		o.BoolVar(&s.demo, "demo", false, "start a sandbox with a seeded shop, as cluster demo")
		o.BoolVar(&s.open, "allow-remote-without-auth", false, "listen beyond loopback although there is no login: whoever reaches it may read every cluster")
		return func(ctx context.Context, c *console, _ []string) error { return serve(ctx, c, s) }
	},
}

// serve wires the app, runs it until ctx ends, and leaves in order.
func serve(ctx context.Context, c *console, s serving) error {
	listener, err := s.listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	saved, err := store.Open(ctx, s.data)
	if err != nil {
		return err
	}
	defer saved.Close()
	all, err := s.connect(ctx)
	if err != nil {
		return err
	}
	if s.demo {
		engine, shop, err := startDemo(ctx, c.err)
		if err != nil {
			return err
		}
		defer engine.Close()
		all = append(all, shop)
	}
	clusters := handlers.NewClusters(all...)
	defer clusters.Close()
	box := handlers.NewSandbox(context.WithoutCancel(ctx))
	defer box.Close()
	app := handlers.New(handlers.Options{Store: saved, Clusters: clusters, Sandbox: box, Version: version, Hosts: s.knownHosts(),
		Log: slog.New(slog.NewJSONHandler(c.err, nil))})
	fmt.Fprintf(c.out, "ready http://%s\n", listener.Addr())
	return runServer(ctx, app, listener)
}

// patience is how long open requests may take to end when the server leaves.
const patience = 20 * time.Second

func runServer(ctx context.Context, app *handlers.Handlers, listener net.Listener) error {
	server := app.Server()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return &problem.Error{Kind: problem.Down, Code: "serve", Message: "the server stopped: " + err.Error(), Err: err}
	case <-ctx.Done():
	}
	app.Drain()
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := server.Shutdown(patient); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return server.Close()
	}
	return nil
}

// listen takes the address. There is no login, so by default only this machine
// may reach it.
func (s serving) listen() (net.Listener, error) {
	host, _, err := net.SplitHostPort(s.addr)
	if err != nil {
		return nil, problem.Field("address", "--addr", s.addr, "this is no address to listen on", "write HOST:PORT, such as 127.0.0.1:8080")
	}
	if !isLoopback(host) && !s.open {
		return nil, problem.Field("remote-without-auth", "--addr", s.addr, "there is no login, and this address can be reached from other machines",
			"put a proxy with a login in front of 127.0.0.1, or add --allow-remote-without-auth")
	}
	listener, err := net.Listen("tcp", s.addr)
	if err != nil {
		return nil, &problem.Error{Kind: problem.Invalid, Code: "address", Field: "--addr", Value: s.addr, Message: "cannot listen there: " + err.Error(), Hint: "stop what uses the port, or choose another", Err: err}
	}
	return listener, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// knownHosts are the names that a browser may call us by; none means any.
func (s serving) knownHosts() []string {
	var hosts []string
	for _, name := range s.hosts {
		hosts = append(hosts, strings.ToLower(name))
	}
	host, _, _ := net.SplitHostPort(s.addr)
	if isLoopback(host) {
		return append(hosts, "localhost", "127.0.0.1", "::1", host)
	}
	return hosts
}

// connect prepares the named clusters; one that is down is no error here.
func (s serving) connect(ctx context.Context) ([]*cluster.Cluster, error) {
	var configs []cluster.Config
	if s.clustersFile != "" {
		named, err := cluster.LoadFile(s.clustersFile)
		if err != nil {
			return nil, err
		}
		configs = named
	}
	fromEnv, found, err := cluster.FromEnv(os.LookupEnv)
	if err != nil {
		return nil, err
	}
	if found {
		configs = append(configs, fromEnv)
	}
	for _, text := range s.clusters {
		name, dsn, ok := strings.Cut(text, "=")
		if !ok || name == "" || strings.ContainsAny(name, "/:@") {
			return nil, problem.Field("cluster", "--cluster", "", "a cluster is given as NAME=DSN", "such as prod=clickhouse://reader:password@host:9000/shop")
		}
		config, err := cluster.ParseDSN(dsn)
		if err != nil {
			return nil, err
		}
		config.Name = name
		configs = append(configs, config)
	}
	var all []*cluster.Cluster
	seen := map[string]bool{}
	if s.demo {
		seen["demo"] = true
	}
	for _, config := range configs {
		if seen[config.Name] {
			return nil, problem.Field("cluster", "--cluster", config.Name, "two clusters have this name", "name each cluster once")
		}
		seen[config.Name] = true
		one, err := cluster.Open(ctx, config)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// startDemo runs a sandbox with the shop in it.
func startDemo(ctx context.Context, progress io.Writer) (*sandbox.Engine, *cluster.Cluster, error) {
	fmt.Fprintln(progress, "starting a sandbox and filling the shop: a few seconds")
	engine, err := sandbox.Start(context.WithoutCancel(ctx), sandbox.Options{Logs: true})
	if err != nil {
		return nil, nil, err
	}
	shop, err := openDemo(ctx, engine)
	if err != nil {
		engine.Close()
		return nil, nil, err
	}
	return engine, shop, nil
}

func openDemo(ctx context.Context, engine *sandbox.Engine) (*cluster.Cluster, error) {
	if err := demo.Seed(ctx, engine.Conn()); err != nil {
		return nil, err
	}
	// Over HTTP: the embedded engine does not outlive a native client that leaves
	// in the middle of an answer, as a browser that goes away makes one do.
	config, err := cluster.ParseDSN(fmt.Sprintf("http://127.0.0.1:%d", engine.HTTPPort()))
	if err != nil {
		return nil, err
	}
	config.Name = "demo"
	return cluster.Open(ctx, config)
}
