package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/rollsmith/rollsmith/problem"
)

// libraryName is what the npm packages call the engine on every platform.
const libraryName = "libchdb.so"

// binary is an engine on this machine: the library, or a clickhouse program.
type binary struct {
	path    string
	program bool // a clickhouse program and not the library
}

// find looks for the engine where a developer, a package or an image puts it.
// The first that exists wins, and what ROLLSMITH_ENGINE names is the only one
// looked at.
func find() (binary, error) {
	if named := os.Getenv("ROLLSMITH_ENGINE"); named != "" {
		if !isFile(named) {
			return binary{}, &problem.Error{
				Kind: problem.Down, Code: "engine-missing",
				Message: fmt.Sprintf("ROLLSMITH_ENGINE names %s, and there is no such file", named),
				Hint:    "let it name libchdb.so or a clickhouse program, or unset it and run `npm ci` in the project",
			}
		}
		return newBinary(named), nil
	}
	candidates := libraryPaths()
	for _, path := range candidates {
		if isFile(path) {
			return newBinary(path), nil
		}
	}
	if path, err := exec.LookPath("clickhouse"); err == nil {
		return binary{path: path, program: true}, nil
	}
	return binary{}, &problem.Error{
		Kind: problem.Down, Code: "engine-missing",
		Message: "no ClickHouse engine on this machine; looked for " + strings.Join(candidates, ", ") + " and for `clickhouse` on the PATH",
		Hint:    "run `npm ci` in the project, or let ROLLSMITH_ENGINE name libchdb.so or a clickhouse program",
	}
}

// libraryPaths lists every place the library may lie, nearest first.
func libraryPaths() []string {
	var paths []string
	seen := map[string]bool{}
	add := func(path string) {
		if !seen[path] {
			seen[path] = true
			paths = append(paths, path)
		}
	}
	inPackage := filepath.Join("node_modules", "@chdb", packageName(), libraryName)
	for _, start := range startFolders() {
		for dir := start; ; dir = filepath.Dir(dir) {
			add(filepath.Join(dir, inPackage))
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	if cache, err := os.UserCacheDir(); err == nil {
		add(filepath.Join(cache, "rollsmith", libraryName))
	}
	for _, dir := range append(filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")), "/usr/local/lib", "/usr/lib") {
		if dir != "" {
			add(filepath.Join(dir, libraryName))
		}
	}
	return paths
}

// startFolders are the working folder and the program's own.
func startFolders() []string {
	var dirs []string
	if dir, err := os.Getwd(); err == nil {
		dirs = append(dirs, dir)
	}
	if program, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(program); err == nil {
			program = real
		}
		dirs = append(dirs, filepath.Dir(program))
	}
	return dirs
}

// packageName is the npm package that carries the library for this platform.
func packageName() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	name := "lib-" + runtime.GOOS + "-" + arch
	if runtime.GOOS == "linux" {
		name += "-gnu"
	}
	return name
}

func newBinary(path string) binary {
	base := filepath.Base(path)
	library := strings.Contains(base, ".so") || strings.HasSuffix(base, ".dylib")
	return binary{path: path, program: !library}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
