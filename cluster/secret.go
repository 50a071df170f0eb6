package cluster

import "log/slog"

// Secret is a password, token or header value that must not leave memory.
// However it is printed, marshalled or logged, it reads "***".
type Secret string

const masked = "***"

// String hides the secret; an empty one stays empty, since "no password" is
// something a person has to be able to see.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return masked
}

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// MarshalText hides the secret from JSON, XML and text encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue hides the secret from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Reveal gives the secret itself, for the one caller that opens a connection.
func (s Secret) Reveal() string { return string(s) }
