package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"
)

// Scratch makes a fresh, empty database and gives its name and what drops it.
func (e *Engine) Scratch(ctx context.Context) (string, func(), error) {
	if err := e.Err(); err != nil {
		return "", nil, err
	}
	suffix := make([]byte, 6)
	if _, err := rand.Read(suffix); err != nil {
		return "", nil, err
	}
	name := "scratch_" + hex.EncodeToString(suffix)
	if err := e.conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return "", nil, down("sandbox-scratch", err, "the sandbox makes no database: "+err.Error(), "")
	}
	return name, func() { e.dropDatabase(name) }, nil
}

// dropDatabase works after the caller's context has ended, which is when it is
// mostly called.
func (e *Engine) dropDatabase(name string) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	_ = e.conn.Exec(ctx, "DROP DATABASE IF EXISTS "+name+" SYNC")
}
