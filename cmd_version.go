package main

import (
	"context"
	"fmt"
)

// version is the tool's own, X.Y as a bundle's manifest carries it.
const version = "0.1"

var versionCommand = command{
	name:    "version",
	summary: "print the version",
	define: func(*options) runner {
		return func(_ context.Context, c *console, _ []string) error {
			_, err := fmt.Fprintln(c.out, "rollsmith "+version)
			return err
		}
	},
}
