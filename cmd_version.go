package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
)

// version is the tool's own, X.Y as a bundle's manifest carries it.
var version = strings.TrimPrefix(designer.Tool, "rollsmith ")

var versionCommand = command{
	name:    "version",
	summary: "print the version",
	define: func(*options) runner {
		return func(_ context.Context, c *console, _ []string) error {
			_, err := fmt.Fprintln(c.out, designer.Tool)
			return err
		}
	},
}
