package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// serving starts serve and gives its address; stop ends it and gives its status.
func startServe(t *testing.T, args ...string) (url string, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, say := io.Pipe()
	var told bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, &console{strings.NewReader(""), say, &told}, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...))
		say.Close()
	}()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if at, ok := strings.CutPrefix(lines.Text(), "ready "); ok {
			stop = func() int { cancel(); return <-ended }
			t.Cleanup(cancel)
			return at, stop
		}
	}
	cancel()
	t.Fatalf("serve left with %d: %s", <-ended, told.String())
	return "", nil
}

func TestServeStartsAnswersAndLeaves(t *testing.T) {
	data := t.TempDir()
	url, stop := startServe(t, "--data", data, "--cluster", "far=clickhouse://u:p@127.0.0.1:1/db")
	for path, want := range map[string]string{"/healthz": "ok", "/readyz": "ready", "/": "far"} {
		answer, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(text), want) {
			t.Errorf("%s: %d, %v, without %q", path, answer.StatusCode, err, want)
		}
	}
	var told bytes.Buffer
	if status := run(context.Background(), &console{strings.NewReader(""), io.Discard, &told}, []string{"serve", "--addr", "127.0.0.1:0", "--data", data}); status != exitFailure || !strings.Contains(told.String(), "Another Rollsmith") {
		t.Errorf("a second server on the same data: %d %s", status, told.String())
	}
	if status := stop(); status != exitDone {
		t.Errorf("it left with %d", status)
	}
}

func TestServeRefusesWhatWouldBeUnsafeOrUnclear(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		says string
	}{
		{"an address others can reach", []string{"--addr", "0.0.0.0:0"}, "no login"},
		{"an address without a host", []string{"--addr", ":0"}, "no login"},
		{"no address", []string{"--addr", "8080"}, "no address to listen on"},
		{"a cluster without a name", []string{"--addr", "127.0.0.1:0", "--cluster", "clickhouse://u:secret@h/d"}, "NAME=DSN"},
		{"two clusters of one name", []string{"--addr", "127.0.0.1:0", "--cluster", "a=clickhouse://h/d", "--cluster", "a=clickhouse://i/d"}, "two clusters"},
		{"a DSN that is none", []string{"--addr", "127.0.0.1:0", "--cluster", "a=ftp://h/d"}, "ftp"},
		{"a clusters file that is not there", []string{"--addr", "127.0.0.1:0", "--clusters", "/nowhere/clusters.json"}, "no such clusters file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var told bytes.Buffer
			status := run(context.Background(), &console{strings.NewReader(""), io.Discard, &told}, append([]string{"serve", "--data", t.TempDir()}, c.args...))
			if status != exitInput || !strings.Contains(strings.ToLower(told.String()), strings.ToLower(c.says)) || strings.Contains(told.String(), "secret") {
				t.Errorf("%d %s", status, told.String())
			}
		})
	}
}
