package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/rollsmith/rollsmith"

// TestArrows: imports run one way, main → handlers → {store, cluster, sandbox,
// proof, web} → designer → problem, and the domain does no I/O.
func TestArrows(t *testing.T) {
	ranks := map[string]int{"problem": 0, "designer": 1, "store": 2, "cluster": 2, "sandbox": 2, "proof": 2, "web": 2, "handlers": 3}
	deps := imports(t)
	for pkg, all := range deps {
		rank, ok := ranks[top(pkg)]
		if !ok {
			continue
		}
		for _, dep := range all {
			if other, ok := ranks[top(dep)]; ok && top(dep) != top(pkg) && other > rank {
				t.Errorf("%s imports %s, which lies outside of it", pkg, dep)
			}
		}
	}
	for _, pkg := range []string{"designer", "designer/ddl", "designer/pattern", "problem"} {
		all, ok := deps[module+"/"+pkg]
		if !ok {
			t.Errorf("there is no package %s", pkg)
		}
		for _, dep := range all {
			if slices.Contains([]string{"net", "net/http", "os/exec", "database/sql", "syscall/js"}, dep) || strings.Contains(dep, "clickhouse-go") || strings.Contains(dep, "sqlite") {
				t.Errorf("%s imports %s: the domain does no I/O", pkg, dep)
			}
		}
	}
	for pkg, all := range direct(t) {
		if top(pkg) == "designer" || top(pkg) == "problem" {
			for _, dep := range all {
				if slices.Contains([]string{"os", "net", "net/http", "io/fs", "io/ioutil", "log", "log/slog"}, dep) {
					t.Errorf("%s imports %s: the domain does no I/O", pkg, dep)
				}
			}
		}
	}
}

// top gives the part of a path of ours that says where it stands.
func top(pkg string) string {
	rest, ok := strings.CutPrefix(pkg, module+"/")
	if !ok {
		return ""
	}
	rest, _, _ = strings.Cut(rest, "/")
	return rest
}

func imports(t *testing.T) map[string][]string {
	return list(t, "{{.ImportPath}} {{join .Deps \" \"}}")
}
func direct(t *testing.T) map[string][]string {
	return list(t, "{{.ImportPath}} {{join .Imports \" \"}}")
}

func list(t *testing.T, format string) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", format, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(line)
		deps[words[0]] = words[1:]
	}
	if len(deps) < 8 {
		t.Fatalf("go list knows only %d packages", len(deps))
	}
	return deps
}
