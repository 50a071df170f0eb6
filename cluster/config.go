// Package cluster is a read-only look at a live ClickHouse that is not ours:
// it connects as people do, lists and profiles what is there, reads a design's
// source with the evidence for its feed, measures by bounded probes, and
// explains plans. It never writes: every statement goes through one door.
package cluster

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/rollsmith/rollsmith/problem"
)

// Protocols of a connection.
const (
	Native = "native"
	HTTP   = "http"
)

// Config says how to reach one cluster. The password stays in memory.
type Config struct {
	Name       string            // what the user calls it; the routes use it
	Protocol   string            // Native or HTTP
	Addresses  []string          // host:port, tried in order
	Database   string            // the default database, may be empty
	User       string            // empty means "default"
	Password   Secret            //
	Token      Secret            // a JWT, ClickHouse Cloud only, needs TLS
	Secure     bool              // TLS
	SkipVerify bool              // accept any certificate; every page says so
	ServerName string            // expected in the certificate, if not the host
	CAFile     string            // PEM of the authorities to trust
	CertFile   string            // PEM of the client certificate
	KeyFile    string            // PEM of its key
	HTTPPath   string            // path prefix behind a reverse proxy
	HTTPProxy  Secret            // proxy URL, which may hold a login
	Headers    map[string]Secret // extra HTTP headers
	Compress   bool              // LZ4 on the native protocol
	Dial       time.Duration     // limit of one connection attempt
	Allow      []netip.Prefix    // if set, only these networks may be dialled
	Notes      []string          // what was assumed or left out, in words
}

// dialTimeout bounds one attempt to connect; a statement has its own, shorter
// limit, by which it returns even while an attempt is still under way.
const dialTimeout = 5 * time.Second

// Endpoint names the cluster for people: protocol, user, first address,
// database; never a password.
func (c Config) Endpoint() string {
	scheme := "clickhouse"
	if c.Protocol == HTTP {
		scheme = map[bool]string{false: "http", true: "https"}[c.Secure]
	}
	u := url.URL{Scheme: scheme, Host: strings.Join(c.Addresses, ","), Path: "/" + c.Database}
	if c.User != "" {
		u.User = url.User(c.User)
	}
	if c.Secure && c.Protocol == Native {
		u.RawQuery = "secure=true"
	}
	return u.String()
}

// options turns the config into the driver's. Compression stays off over HTTP:
// the driver asks for it by a setting, which a readonly=1 account may not send.
func (c Config) options() (*clickhouse.Options, error) {
	tlsConfig, err := c.tlsConfig()
	if err != nil {
		return nil, err
	}
	o := &clickhouse.Options{
		Protocol:        clickhouse.Native,
		Addr:            slices.Clone(c.Addresses),
		Auth:            clickhouse.Auth{Database: c.Database, Username: c.User, Password: c.Password.Reveal()},
		TLS:             tlsConfig,
		DialTimeout:     c.dialLimit(),
		MaxOpenConns:    4,
		MaxIdleConns:    4,
		ConnMaxLifetime: 5 * time.Minute,
		ReadTimeout:     2 * time.Minute,
		HttpUrlPath:     c.HTTPPath,
		DialContext:     c.dial,
	}
	o.ClientInfo.Products = append(o.ClientInfo.Products, struct{ Name, Version string }{"rollsmith", "1"})
	if c.Protocol == HTTP {
		o.Protocol = clickhouse.HTTP
		o.HttpHeaders = map[string]string{}
		if c.Secure && c.CertFile == "" && c.Token == "" {
			// With an empty password the driver would announce a certificate login.
			o.HttpHeaders["X-ClickHouse-SSL-Certificate-Auth"] = "off"
		}
		o.TransportFunc = func(t *http.Transport) (http.RoundTripper, error) { return unmoved{t}, nil }
		for name, value := range c.Headers {
			o.HttpHeaders[name] = value.Reveal()
		}
		if c.HTTPProxy != "" {
			if o.HTTPProxyURL, err = url.Parse(c.HTTPProxy.Reveal()); err != nil {
				return nil, problem.Field("connection-proxy", "http_proxy", "", "The HTTP proxy is not a URL.", "Write it as http://host:port.")
			}
		}
	} else if c.Compress {
		o.Compression = &clickhouse.Compression{Method: clickhouse.CompressionLZ4}
	}
	if c.Token != "" {
		o.GetJWT = func(context.Context) (string, error) { return c.Token.Reveal(), nil }
	}
	return o, nil
}

func (c Config) dialLimit() time.Duration {
	if c.Dial > 0 {
		return c.Dial
	}
	return dialTimeout
}

// dial opens one TCP connection, after checking the address the name resolved
// to: link-local and metadata addresses are never dialled.
func (c Config) dial(ctx context.Context, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: c.dialLimit(), ControlContext: c.control}
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil || !c.Secure || c.Protocol == HTTP {
		return conn, err
	}
	return c.handshake(ctx, conn, address)
}

// metadata is the address range on which cloud providers serve credentials;
// no ClickHouse lives there.
var metadata = []netip.Prefix{
	netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("fe80::/10"), netip.MustParsePrefix("fd00:ec2::/32"),
}

// allowed says whether an address may be dialled, and if not, why.
func (c Config) allowed(addr netip.Addr) error {
	addr = addr.Unmap()
	for _, p := range metadata {
		if p.Contains(addr) {
			return &problem.Error{Kind: problem.Denied, Code: "address-forbidden",
				Message: fmt.Sprintf("%s is a link-local address, which Rollsmith never connects to.", addr),
				Hint:    "Name the server by its ordinary address."}
		}
	}
	if len(c.Allow) == 0 || slices.ContainsFunc(c.Allow, func(p netip.Prefix) bool { return p.Contains(addr) }) {
		return nil
	}
	return &problem.Error{Kind: problem.Denied, Code: "address-forbidden",
		Message: fmt.Sprintf("%s lies outside the networks that this Rollsmith may connect to.", addr),
		Hint:    "Ask whoever runs it to allow the network."}
}

// unmoved refuses redirects: a server that sends us elsewhere is not the one
// that was named, and would get the password.
type unmoved struct{ http.RoundTripper }

// CloseIdleConnections lets the driver close what it no longer needs.
func (u unmoved) CloseIdleConnections() {
	if t, ok := u.RoundTripper.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
}

// RoundTrip passes on every answer but a redirect.
func (u unmoved) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := u.RoundTripper.RoundTrip(r)
	if err != nil || response.StatusCode < 300 || response.StatusCode > 399 {
		return response, err
	}
	response.Body.Close()
	return nil, &problem.Error{Kind: problem.Down, Code: "redirect", Message: fmt.Sprintf("%s redirects to another address, which is not followed.", r.URL.Host),
		Hint: "Name the address that it redirects to, if that is the server."}
}
