package sandbox

import (
	"io"
	"regexp"
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

// reason is the sentence of the last words that says what went wrong, without
// time stamps and stack traces.
func (t *tail) reason() string {
	text := t.String()
	if m := exceptionText.FindStringSubmatch(text); m != nil {
		return strings.TrimSpace(m[1])
	}
	if m := signalText.FindString(text); m != "" {
		return m
	}
	return text
}

var (
	exceptionText = regexp.MustCompile(`((?:Code: \d+\. |std::|Poco::)[^\n]*?)(?:, Stack trace|\n|$)`)
	signalText    = regexp.MustCompile(`Received signal [A-Za-z ]*\(?\d+\)?`)
)
