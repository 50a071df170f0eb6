package sandbox

import (
	"io"
	"strings"
	"sync"
)

// tailBytes is enough for an engine's last error and its stack.
const tailBytes = 4 << 10

// tail keeps the last words of a process and passes everything on.
type tail struct {
	next io.Writer // may be nil

	mu   sync.Mutex
	kept []byte
}

// Write never fails for the process's sake: a reader gone away must not stop it.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	t.kept = append(t.kept, p...)
	if extra := len(t.kept) - tailBytes; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	t.mu.Unlock()
	if t.next != nil {
		_, _ = t.next.Write(p)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.kept))
}
