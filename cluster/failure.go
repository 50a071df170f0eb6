package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"syscall"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/rollsmith/rollsmith/problem"
)

// trouble is what a server error code means to a person.
type trouble struct {
	kind problem.Kind
	code string
	hint string
}

// troubles names the error codes that have a way out
// (https://clickhouse.com/docs/operations/system-tables/errors lists them all).
var troubles = map[int32]trouble{
	516: {problem.Denied, "auth", "Check user and password; the account may also be limited to other networks."},
	193: {problem.Denied, "auth", "Check the password."},
	192: {problem.Denied, "auth", "There is no such user on this server."},
	81:  {problem.Invalid, "database", "Name a database that exists, or leave it empty."},
	60:  {problem.NotFound, "table", "The table is gone or this account may not see it."},
	164: {problem.Denied, "readonly", "The account is read-only and its profile locks a setting: mark it CHANGEABLE_IN_READONLY."},
	452: {problem.Denied, "readonly", "The account's profile constrains a setting that was sent."},
	497: {problem.Denied, "grant", "Grant what is missing."},
	159: {problem.Limit, "timeout", "Ask for less: a shorter window, or a smaller sample."},
	160: {problem.Limit, "timeout", "The server estimates that this would take too long: ask for less."},
	158: {problem.Limit, "rows", "The statement would read more rows than the bound allows: ask for less."},
	307: {problem.Limit, "bytes", "The statement would read more bytes than the bound allows: ask for less."},
	396: {problem.Limit, "result", "The answer is larger than a page can show: narrow it down."},
	241: {problem.Limit, "memory", "The statement needs more memory than the bound allows: ask for less."},
	202: {problem.Limit, "busy", "The server runs as many queries as it allows: try again in a moment."},
	201: {problem.Limit, "quota", "The account's quota is used up: wait for the next interval."},
	394: {problem.Limit, "cancelled", "The query was killed on the server: run it again if that was not you."},
	210: {problem.Down, "network", "The server lost a connection of its own: try again."},
	279: {problem.Down, "network", "No replica of a shard answers."},
}

// failure turns what went wrong at the door into a problem that a person can
// read; nil stays nil.
func (c *Cluster) failure(ask Ask, err error) error {
	if err == nil {
		return nil
	}
	var exception *clickhouse.Exception
	if _, told := problem.As(err); told || errors.As(err, &exception) || bounded(err) {
		return serverProblem(ask, err)
	}
	return connectionProblem(c.config, err)
}

func bounded(err error) bool {
	return errors.Is(err, errOutOfTime) || errors.Is(err, errTooManyRows) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// serverProblem explains an error that the server, or one of our bounds, gave.
func serverProblem(ask Ask, err error) error {
	if err == nil {
		return nil
	}
	if p, told := problem.As(err); told {
		return p
	}
	limit := func(code, message, hint string) error {
		return &problem.Error{Kind: problem.Limit, Code: code, Message: message, Hint: hint, Err: err}
	}
	var exception *clickhouse.Exception
	switch {
	case errors.Is(err, errOutOfTime), errors.Is(err, context.DeadlineExceeded):
		return limit("timeout", fmt.Sprintf("The cluster did not answer within %s.", ask.Limit.Time), "It may be busy or far away: try again, or ask for less.")
	case errors.Is(err, errTooManyRows):
		return limit("result", fmt.Sprintf("The answer has more than %d rows.", ask.Limit.ResultRows), "Narrow it down.")
	case errors.Is(err, context.Canceled):
		return limit("cancelled", "The question was withdrawn before the cluster answered.", "Ask again.")
	case errors.As(err, &exception):
		return exceptionProblem(exception, err)
	}
	return fmt.Errorf("ask for %s: %w", ask.For, err)
}

func exceptionProblem(e *clickhouse.Exception, cause error) error {
	t, known := troubles[e.Code]
	if !known {
		t = trouble{problem.Down, fmt.Sprintf("clickhouse-%d", e.Code), ""}
	}
	p := &problem.Error{Kind: t.kind, Code: t.code, Hint: t.hint, Err: cause,
		Message: fmt.Sprintf("ClickHouse answered with error %d: %s", e.Code, firstLine(e.Message))}
	if grant := missingGrant(e.Message); grant != "" {
		p.Hint = "Let an administrator run: " + grant
	}
	return p
}

// grantNeeded finds what error 497 asks for, in the words of the server:
// "… it's necessary to have the grant SELECT(id) ON shop.orders".
var grantNeeded = regexp.MustCompile(`necessary to have (?:the )?grant (.+? ON [^\s.]+(?:\.[^\s.]+)?)`)

// missingGrant writes the GRANT statement that a denial asks for, or nothing.
func missingGrant(message string) string {
	found := grantNeeded.FindStringSubmatch(message)
	if found == nil {
		return ""
	}
	return "GRANT " + strings.TrimRight(found[1], ".") + " TO <this user>;"
}

func firstLine(text string) string {
	text = strings.TrimPrefix(text, "DB::Exception: ")
	line, _, _ := strings.Cut(text, "\n")
	line, _, _ = strings.Cut(line, " Stack trace")
	line, _, _ = strings.Cut(line, " in scope ")
	return strings.TrimSpace(line)
}

// connectionProblem explains why no server could be spoken to.
func connectionProblem(c Config, err error) error {
	if p, told := problem.As(err); told {
		return p
	}
	where := strings.Join(c.Addresses, ", ")
	down := func(code, message, hint string) error {
		return &problem.Error{Kind: problem.Down, Code: code, Message: message, Hint: hint, Err: err}
	}
	var (
		dns       *net.DNSError
		exception *clickhouse.Exception
		unknownCA x509.UnknownAuthorityError
		wrongName x509.HostnameError
		expired   x509.CertificateInvalidError
		record    tls.RecordHeaderError
		verify    *tls.CertificateVerificationError
	)
	switch text := err.Error(); {
	case errors.As(err, &exception):
		return exceptionProblem(exception, err)
	case errors.As(err, &dns):
		return down("dns", fmt.Sprintf("The name %s cannot be resolved.", dns.Name), "Check the spelling; in a container, check its DNS.")
	case errors.Is(err, syscall.ECONNREFUSED):
		return down("port", fmt.Sprintf("Nothing listens on %s.", where), "Check the port (native 9000, with TLS 9440; HTTP 8123, with TLS 8443) and that the server is running.")
	case errors.As(err, &unknownCA):
		return down("tls", "The server's certificate is signed by an authority that is not trusted here.", "Give its CA as ca_file.")
	case errors.As(err, &wrongName):
		return down("tls", "The server's certificate is for another name.", "Connect by the name in the certificate, or give it as tls_server_name.")
	case errors.As(err, &expired), errors.As(err, &verify):
		return down("tls", "The server's certificate is not valid: "+err.Error()+".", "Renew it, or check this machine's clock.")
	case errors.As(err, &record), strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return down("protocol", fmt.Sprintf("%s does not speak TLS.", where), "Leave TLS off for this port, or use the TLS port (native 9440, HTTP 8443).")
	case strings.Contains(text, "unexpected packet [72]"), strings.Contains(text, "unexpected packet [21]"), strings.Contains(text, "malformed HTTP"), strings.Contains(text, "Port 9000 is for"), strings.Contains(text, "is for clickhouse-client program"):
		return protocolProblem(c, err)
	case isTimeout(err):
		return down("timeout", fmt.Sprintf("%s does not answer.", where), "A firewall may drop the packets, or the address is wrong.")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		return down("network", fmt.Sprintf("The connection to %s broke off.", where), "The server may have been stopped, or the port may speak another protocol or TLS.")
	}
	return down("network", fmt.Sprintf("%s cannot be reached: %s.", where, strings.TrimSuffix(firstLine(err.Error()), ".")), "Check address, port and protocol.")
}

func protocolProblem(c Config, err error) error {
	other := "Its HTTP port is usually 8123 (8443 with TLS): use http://, or the native port 9000 (9440 with TLS)."
	what := "speaks HTTP, not the native protocol"
	if c.Protocol == HTTP {
		what, other = "speaks the native protocol, not HTTP", "Its native port is usually 9000 (9440 with TLS): use clickhouse://, or the HTTP port 8123 (8443 with TLS)."
	}
	return &problem.Error{Kind: problem.Down, Code: "protocol", Message: fmt.Sprintf("%s %s.", strings.Join(c.Addresses, ", "), what), Hint: other, Err: err}
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, clickhouse.ErrAcquireConnTimeout) || errors.As(err, &t) && t.Timeout()
}

// tell says in one line, for a Missing list, what could not be learned and why.
func tell(what string, err error) string {
	p, told := problem.As(err)
	if !told {
		return what + ": " + err.Error()
	}
	if p.Code == "table" && strings.Contains(p.Message, "system.") {
		return what + ": this server has no such table, or this account may not see it."
	}
	if p.Hint == "" {
		return what + ": " + p.Message
	}
	return what + ": " + p.Message + " " + p.Hint
}
