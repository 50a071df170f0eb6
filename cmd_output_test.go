package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/problem"
)

var oneBundle = []designer.File{
	{Path: "README.md", Data: []byte("one")},
	{Path: manifestName, Data: []byte(`{"format": 1, "tool": "rollsmith 0.1", "files": [{"path": "README.md"}, {"path": "up/01_a.sql"}, {"path": "up/02_old.sql"}]}`)},
	{Path: "up/01_a.sql", Data: []byte("SELECT 1;")},
	{Path: "up/02_old.sql", Data: []byte("SELECT 2;")},
}

var nextBundle = []designer.File{
	{Path: "README.md", Data: []byte("two")},
	{Path: manifestName, Data: []byte(`{"format": 1, "tool": "rollsmith 0.1", "files": [{"path": "README.md"}, {"path": "up/01_a.sql"}]}`)},
	{Path: "up/01_a.sql", Data: []byte("SELECT 3;")},
}

// contents reads a folder whole.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		inside, _ := filepath.Rel(dir, path)
		got[filepath.ToSlash(inside)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func wanted(files []designer.File) map[string]string {
	want := map[string]string{}
	for _, f := range files {
		want[f.Path] = string(f.Data)
	}
	return want
}

func TestBundleFolderIsMadeAndRefilled(t *testing.T) {
	root := t.TempDir()
	empty := filepath.Join(root, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{filepath.Join(root, "deep", "new"), empty} {
		for _, files := range [][]designer.File{oneBundle, nextBundle, nextBundle} {
			if err := writeBundle(out, files); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(wanted(files), contents(t, out)); diff != "" {
				t.Errorf("%s (-want +got)\n%s", out, diff)
			}
		}
	}
	entries, err := os.ReadDir(filepath.Join(root, "deep"))
	if err != nil || len(entries) != 1 {
		t.Errorf("left beside the bundle: %v, %v", entries, err)
	}
}

func TestBundleNeverOverwritesWhatIsNotABundle(t *testing.T) {
	for name, before := range map[string][]designer.File{
		"other files":           {{Path: "notes.txt", Data: []byte("mine")}},
		"another's manifest":    {{Path: manifestName, Data: []byte(`{"name": "an app"}`)}},
		"a broken manifest":     {{Path: manifestName, Data: []byte(`{`)}},
		"a bundle and a note":   append([]designer.File{{Path: "up/notes.txt", Data: []byte("mine")}}, oneBundle...),
		"a manifest that leads": {{Path: manifestName, Data: []byte(`{"tool": "rollsmith 0.1", "files": [{"path": "../victim"}]}`)}},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			out := filepath.Join(root, "out")
			if err := os.WriteFile(filepath.Join(root, "victim"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, f := range before {
				path := filepath.Join(out, f.Path)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, f.Data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			kept := contents(t, root)
			err := writeBundle(out, nextBundle)
			if p, ok := problem.As(err); !ok || p.Kind != problem.Invalid {
				t.Fatalf("got %v, want a refusal", err)
			}
			if diff := cmp.Diff(kept, contents(t, root)); diff != "" {
				t.Errorf("something changed\n%s", diff)
			}
		})
	}
}

func TestBundleZipIsTheSameBytesEveryTime(t *testing.T) {
	out := filepath.Join(t.TempDir(), "b.zip")
	var first []byte
	for range 2 {
		if err := writeBundle(out, oneBundle); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if first != nil && !bytes.Equal(first, text) {
			t.Error("two writes differ")
		}
		first = text
	}
	z, err := zip.NewReader(bytes.NewReader(first), int64(len(first)))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r)
		got[f.Name] = string(text)
	}
	if diff := cmp.Diff(wanted(oneBundle), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestBundleWhereNothingCanBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{file, filepath.Join(file, "below"), filepath.Join(file, "b.zip"), filepath.Dir(file) + "/no/such/b.zip"} {
		err := writeBundle(out, oneBundle)
		if p, ok := problem.As(err); !ok || p.Kind != problem.Invalid || !strings.Contains(p.Value, out) {
			t.Errorf("%s: got %v", out, err)
		}
	}
}
