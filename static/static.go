// Package static holds what browsers load: style, script, fonts. Each file has
// an address that contains a hash of the whole set, so it can be cached for ever.
package static

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed app.css app.js icon.svg vendor/*.js vendor/*.woff2 vendor/*.LICENSE
var files embed.FS

// Prefix is the path under which Handler is mounted.
const Prefix = "/static/"

// version names this set of files: the first 12 hex digits of a hash over all.
var version = hashAll()

func hashAll() string {
	sum := sha256.New()
	fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := files.ReadFile(name)
		sum.Write([]byte(name + "\x00"))
		sum.Write(data)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil))[:12]
}

// URL gives the address of one file, such as "app.css".
func URL(name string) string { return Prefix + version + "/" + name }

// types are given here because what a machine registers for them differs.
var types = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".woff2": "font/woff2", ".svg": "image/svg+xml", ".LICENSE": "text/plain; charset=utf-8",
}

// Handler serves the files. A file asked for under an old version is given as
// it is now and not cached.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Prefix), "/")
		data, err := files.ReadFile(name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		kind := types[path.Ext(name)]
		if kind == "" {
			kind = mime.TypeByExtension(path.Ext(name))
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "no-cache")
		if asked == version {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
	})
}
