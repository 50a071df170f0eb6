package cluster

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/problem"
)

func (c *Cluster) checkNames(ctx context.Context) (string, error) {
	var found []string
	for _, address := range c.config.Addresses {
		host, _ := hostPort(address)
		if addr, err := netip.ParseAddr(host); err == nil {
			if err := c.config.allowed(addr); err != nil {
				return "", err
			}
			found = append(found, host)
			continue
		}
		addrs, err := net.DefaultResolver.LookupHost(ctx, host)
		if err != nil {
			return "", err
		}
		found = append(found, fmt.Sprintf("%s is %s", host, strings.Join(addrs, ", ")))
	}
	return strings.Join(found, "; "), nil
}

func (c *Cluster) checkPorts(ctx context.Context) (string, error) {
	plain := c.config
	plain.Secure = false
	var last error
	for _, address := range c.config.Addresses {
		conn, err := plain.dial(ctx, address)
		if err == nil {
			conn.Close()
			return address + " accepts connections", nil
		}
		last = err
	}
	return "", last
}

// checkTLS speaks TLS where it is on.
func (c *Cluster) checkTLS(ctx context.Context) (string, error) {
	if !c.config.Secure {
		return "off: what is sent can be read on the way", nil
	}
	address := c.config.Addresses[0]
	plain := c.config
	plain.Secure = false
	conn, err := plain.dial(ctx, address)
	if err != nil {
		return "", err
	}
	secured, err := c.config.handshake(ctx, conn, address)
	if err != nil {
		return "", err
	}
	defer secured.Close()
	state := secured.(*tls.Conn).ConnectionState()
	text := tls.VersionName(state.Version)
	if len(state.PeerCertificates) > 0 {
		text += fmt.Sprintf(", certificate of %s until %s", state.PeerCertificates[0].Subject.CommonName, state.PeerCertificates[0].NotAfter.Format(time.DateOnly))
	}
	if c.config.SkipVerify {
		text += "; the certificate is NOT checked"
	}
	return text, nil
}

// tlsAlert is the first byte of what a TLS server answers to plain text.
const tlsAlert = 21

// sniff asks a port that a login failed on, by a request of HTTP that a native
// port answers too, which protocol it speaks, and complains if it is not the
// configured one.
func (c *Cluster) sniff(ctx context.Context, address string) error {
	conn, err := c.config.dial(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(2 * time.Second))
	fmt.Fprintf(conn, "GET /ping HTTP/1.0\r\n\r\n")
	reply := make([]byte, 512)
	n, err := conn.Read(reply)
	text := string(reply[:n])
	switch {
	case strings.Contains(text, "clickhouse-client"):
		if c.config.Protocol == HTTP {
			return protocolProblem(c.config, err)
		}
	case strings.HasPrefix(text, "HTTP/"):
		if c.config.Protocol == Native {
			return protocolProblem(c.config, err)
		}
	case n > 0 && reply[0] == tlsAlert, n == 0 && !isTimeout(err):
		return &problem.Error{Kind: problem.Down, Code: "protocol", Message: address + " hangs up on what is not encrypted.", Hint: "It may speak TLS: write https://, or add secure=true.", Err: err}
	}
	return nil // silence is no proof of anything: the login will tell
}

func (c *Cluster) checkLogin(r *Report) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		limit := Page
		limit.Time = checkLimit
		found, _, err := Rows[Server](ctx, c, Ask{For: "connection check", SQL: query("server"), Limit: limit})
		if p, told := problem.As(err); told && p.Kind == problem.Down && !c.config.Secure {
			if why := c.sniff(ctx, c.config.Addresses[0]); why != nil {
				return "", why
			}
		}
		if err != nil {
			return "", err
		}
		if len(found) == 0 {
			return "", fmt.Errorf("the server gave an empty answer")
		}
		r.Server = found[0]
		return fmt.Sprintf("%s on ClickHouse %s, up for %s", r.Server.User, r.Server.Version, r.Server.UptimeText()), nil
	}
}

func (c *Cluster) checkReadonly(r *Report) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		e, err := c.Enforcement(ctx)
		if err != nil {
			return "", err
		}
		r.Enforcement = e
		return e.Words(), nil
	}
}

// Words says who keeps writes and limits away.
func (e Enforcement) Words() string {
	switch {
	case e.Readonly == 1 && len(e.Refused) > len(e.Sent):
		return "the account is read-only and its settings are locked: the server keeps writes away, our limits are kept by our own timers"
	case e.Readonly > 0:
		return "the account is read-only; the server enforces our limits"
	}
	return "the account can write; every statement is sent read-only all the same"
}
