// Package problem holds the one error that a person may read: what is wrong,
// in which field, with which value, and the way out.
package problem

import (
	"errors"
	"fmt"
	"strings"
)

// Kind sorts problems by who can mend them; handlers map it to an HTTP status
// and the command line to an exit status.
type Kind string

const (
	Invalid  Kind = "invalid"  // the input is wrong: 422, exit 2
	NotFound Kind = "notfound" // no such design, table, page: 404, exit 2
	Conflict Kind = "conflict" // somebody else saved first: 409, exit 2
	Denied   Kind = "denied"   // the cluster or the store forbids it: 403, exit 3
	Down     Kind = "down"     // the cluster or the sandbox failed: 502, exit 3
	Limit    Kind = "limit"    // a bound of ours was reached: 429, exit 3
)

// Error is a failure told to a person. Message is one sentence; Hint says what
// would do instead. Field is the path in the design document ("grain.time.bucket",
// "metrics[2].expr") and Value what stood there; both are empty where the
// problem is not one field's.
type Error struct {
	Kind    Kind   `json:"kind"`
	Code    string `json:"code,omitempty"`
	Field   string `json:"field,omitempty"`
	Value   string `json:"value,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Err     error  `json:"-"`
}

// Error gives the whole story on one line: field, value, message, hint.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Field != "" {
		b.WriteString(e.Field)
		if e.Value != "" {
			fmt.Fprintf(&b, " = %q", e.Value)
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Message)
	if e.Code != "" {
		fmt.Fprintf(&b, " [%s]", e.Code)
	}
	if e.Hint != "" {
		b.WriteString(" — " + e.Hint)
	}
	return b.String()
}

// Unwrap gives the cause, which is logged and never shown.
func (e *Error) Unwrap() error { return e.Err }

// As finds the first problem in err's chain.
func As(err error) (*Error, bool) {
	var p *Error
	ok := errors.As(err, &p)
	return p, ok
}

// Field reports a wrong value of one field of the design document.
func Field(code, field, value, message, hint string) *Error {
	return &Error{Kind: Invalid, Code: code, Field: field, Value: value, Message: message, Hint: hint}
}
