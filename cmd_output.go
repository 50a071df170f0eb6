package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/problem"
)

// manifestName is written last and removed first, so that a folder which holds
// it holds a whole bundle.
const manifestName = "manifest.json"

// writeBundle puts files into a folder, or into a zip where out ends so. Nobody
// ever sees half of it, and nothing that is not a bundle's is overwritten.
func writeBundle(out string, files []designer.File) error {
	var err error
	if strings.EqualFold(filepath.Ext(out), ".zip") {
		err = writeZip(out, files)
	} else {
		err = writeFolder(out, files)
	}
	if _, ok := problem.As(err); err == nil || ok {
		return err
	}
	return &problem.Error{Kind: problem.Invalid, Code: "out", Field: "--out", Value: out, Message: "the bundle cannot be written: " + err.Error(), Hint: "name a folder you may write to", Err: err}
}

func writeZip(out string, files []designer.File) error {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		// No time stamps: the same design gives the same bytes.
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.Path, Method: zip.Deflate})
		if err != nil {
			return err
		}
		if _, err := w.Write(f.Data); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	if info, err := os.Stat(out); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file", out)
	}
	temp, err := os.CreateTemp(filepath.Dir(out), ".rollsmith-*.zip")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = io.Copy(temp, &b)
	if err = errors.Join(err, temp.Chmod(0o644), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), out)
}

// writeFolder makes a new folder in one move; one that exists is refilled file
// by file from a complete copy beside them.
func writeFolder(out string, files []designer.File) error {
	old, err := oldBundle(out)
	if err != nil {
		return err
	}
	info, err := os.Stat(out)
	if errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(filepath.Clean(out)), 0o755); err != nil {
			return err
		}
		staged, err := stage(filepath.Dir(filepath.Clean(out)), files)
		if err != nil {
			return err
		}
		return errors.Join(os.Rename(staged, out), os.RemoveAll(staged))
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", out)
	}
	staged, err := stage(out, files)
	if err != nil {
		return err
	}
	return errors.Join(replace(out, staged, old, files), os.RemoveAll(staged))
}

// stage writes all files into a new folder inside dir.
func stage(dir string, files []designer.File) (string, error) {
	staged, err := os.MkdirTemp(dir, ".rollsmith-")
	if err != nil {
		return "", err
	}
	err = os.Chmod(staged, 0o755)
	for _, f := range files {
		path := filepath.Join(staged, filepath.FromSlash(f.Path))
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, f.Data, 0o644))
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(staged))
	}
	return staged, nil
}

// replace takes an old bundle's files out and moves the staged ones in, the
// manifest last.
func replace(out, staged string, old []string, files []designer.File) error {
	for _, path := range append([]string{manifestName}, old...) {
		if err := os.Remove(filepath.Join(out, filepath.FromSlash(path))); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	ordered := slices.Clone(files)
	slices.SortStableFunc(ordered, func(a, b designer.File) int {
		return strings.Compare(last(a.Path), last(b.Path))
	})
	for _, f := range ordered {
		to := filepath.Join(out, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(staged, filepath.FromSlash(f.Path)), to); err != nil {
			return err
		}
	}
	return nil
}

// last sorts the manifest behind everything else.
func last(path string) string {
	if path == manifestName {
		return "2"
	}
	return "1" + path
}

// oldBundle lists the files of the bundle that out holds, without its manifest.
// It refuses a folder with anything in it that a bundle's manifest does not name.
func oldBundle(out string) ([]string, error) {
	entries, err := os.ReadDir(out)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var manifest struct {
		Tool  string
		Files []struct{ Path string }
	}
	text, err := os.ReadFile(filepath.Join(out, manifestName))
	if err != nil || json.Unmarshal(text, &manifest) != nil || !strings.HasPrefix(manifest.Tool, "rollsmith ") {
		return nil, occupied(out, "the folder is not empty and holds no bundle")
	}
	known := map[string]bool{manifestName: true}
	var old []string
	for _, f := range manifest.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
			return nil, occupied(out, "the manifest there names a file outside the folder")
		}
		if !known[f.Path] {
			known[f.Path] = true
			old = append(old, f.Path)
		}
	}
	err = filepath.WalkDir(out, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		inside, err := filepath.Rel(out, path)
		if err == nil && !known[filepath.ToSlash(inside)] {
			err = occupied(out, "the folder holds a bundle and "+inside+", which is not part of it")
		}
		return err
	})
	return old, err
}

func occupied(out, why string) error {
	return &problem.Error{Kind: problem.Invalid, Code: "out-occupied", Field: "--out", Value: out, Message: why, Hint: "name a folder that does not exist yet, or an empty one"}
}
