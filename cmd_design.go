package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/sandbox"
)

// maxDocumentBytes is far above any design; a source of three thousand columns
// takes a quarter of a megabyte.
const maxDocumentBytes = 4 << 20

// readDesign reads and checks a document; "-" is standard input.
func readDesign(c *console, path string) (*designer.Design, error) {
	from := c.in
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, unreadable(path, err)
		}
		defer file.Close()
		from = file
	}
	text, err := io.ReadAll(io.LimitReader(from, maxDocumentBytes+1))
	if err != nil {
		return nil, unreadable(path, err)
	}
	if len(text) > maxDocumentBytes {
		return nil, unreadable(path, fmt.Errorf("it is larger than %d bytes", maxDocumentBytes))
	}
	return designer.Parse(text)
}

func unreadable(path string, err error) error {
	return &problem.Error{Kind: problem.Invalid, Code: "unreadable", Value: path, Message: "the design cannot be read: " + err.Error(), Hint: "name a design document, or - for standard input", Err: err}
}

// withEngine starts an engine, lets work use it, and ends it.
func withEngine(ctx context.Context, o sandbox.Options, work func(*sandbox.Engine) error) error {
	e, err := sandbox.Start(ctx, o)
	if err != nil {
		return err
	}
	defer e.Close()
	return work(e)
}

// learn parses a document's expressions with an engine.
func learn(ctx context.Context, c *console, path string) (d *designer.Design, f *designer.Facts, err error) {
	if d, err = readDesign(c, path); err != nil {
		return nil, nil, err
	}
	err = withEngine(ctx, sandbox.Options{}, func(e *sandbox.Engine) error {
		f, err = e.Analyse(ctx, d)
		return err
	})
	return d, f, err
}
