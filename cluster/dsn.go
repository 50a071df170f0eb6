package cluster

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/problem"
)

// ParseDSN reads a connection string as people write it for clickhouse-go or
// clickhouse-client. Unlike the driver it never turns a parameter that it does
// not know into a server setting, and it takes https:// to mean TLS.
func ParseDSN(dsn string) (Config, error) {
	var c Config
	scheme, rest, found := strings.Cut(strings.TrimSpace(dsn), "://")
	if !found {
		return c, badDSN("it has no scheme")
	}
	switch strings.ToLower(scheme) {
	case "clickhouse", "tcp", "native":
		c.Protocol = Native
	case "clickhouses":
		c.Protocol, c.Secure = Native, true
	case "http":
		c.Protocol = HTTP
	case "https":
		c.Protocol, c.Secure = HTTP, true
	default:
		return c, badDSN(fmt.Sprintf("the scheme %q is none of clickhouse, tcp, native, http, https", scheme))
	}
	rest, query, _ := strings.Cut(rest, "?")
	userinfo, hosts := "", rest
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		userinfo, hosts = rest[:at], rest[at+1:]
	}
	if err := c.parseUser(userinfo); err != nil {
		return c, err
	}
	hosts, path, _ := strings.Cut(hosts, "/")
	database, err := url.PathUnescape(path)
	if err != nil {
		return c, badDSN("the database is not percent-encoded as a URL's path is")
	}
	c.Database = database
	params, err := url.ParseQuery(query)
	if err != nil {
		return c, badDSN("the parameters after ? are not of the form name=value&…")
	}
	if err := c.parseParams(params); err != nil {
		return c, err
	}
	for _, list := range []string{hosts, params.Get("hosts"), params.Get("alt_hosts")} {
		c.Addresses = append(c.Addresses, splitHosts(list)...)
	}
	return c, c.normalise()
}

func badDSN(why string) error {
	return problem.Field("connection-dsn", "dsn", "", "The connection string cannot be read: "+why+".",
		"Write clickhouse://user:password@host:9000/database, or https://user:password@host:8443/database; percent-encode special characters in the password.")
}

func (c *Config) parseUser(userinfo string) error {
	user, password, _ := strings.Cut(userinfo, ":")
	name, err := url.PathUnescape(user)
	if err != nil {
		return badDSN("the user is not percent-encoded")
	}
	secret, err := url.PathUnescape(password)
	if err != nil {
		return badDSN("the password is not percent-encoded")
	}
	c.User, c.Password = name, Secret(secret)
	return nil
}

// param is one parameter a DSN may carry, and what it sets.
type param func(*Config, string) error

// params is the whole list of what is taken from a DSN. Everything else is
// left out and said so: a pasted "readonly=0" must not reach the server.
var params = map[string]param{
	"secure":          func(c *Config, v string) error { return setFlag(&c.Secure, v) },
	"s":               func(c *Config, v string) error { return setFlag(&c.Secure, v) },
	"skip_verify":     func(c *Config, v string) error { return setFlag(&c.SkipVerify, v) },
	"username":        func(c *Config, v string) error { c.User = v; return nil },
	"user":            func(c *Config, v string) error { c.User = v; return nil },
	"password":        func(c *Config, v string) error { c.Password = Secret(v); return nil },
	"database":        func(c *Config, v string) error { c.Database = v; return nil },
	"tls_server_name": func(c *Config, v string) error { c.ServerName = v; return nil },
	"ca_file":         func(c *Config, v string) error { c.CAFile = v; return nil },
	"cert_file":       func(c *Config, v string) error { c.CertFile = v; return nil },
	"key_file":        func(c *Config, v string) error { c.KeyFile = v; return nil },
	"http_path":       func(c *Config, v string) error { c.HTTPPath = "/" + strings.TrimPrefix(v, "/"); return nil },
	"http_proxy":      func(c *Config, v string) error { c.HTTPProxy = Secret(v); return nil },
	"compress":        func(c *Config, v string) error { c.Compress = v == "true" || v == "1" || v == "lz4"; return nil },
	"dial_timeout":    setDial,
	"hosts":           func(*Config, string) error { return nil },
	"alt_hosts":       func(*Config, string) error { return nil },
}

// idle parameters mean something to a driver's pool and nothing here.
var idle = []string{"read_timeout", "connection_open_strategy", "max_open_conns", "max_idle_conns", "conn_max_lifetime",
	"block_buffer_size", "compress_level", "max_compression_buffer", "debug", "client_info_product"}

func (c *Config) parseParams(values url.Values) error {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		set, known := params[name]
		switch {
		case known:
			if err := set(c, values.Get(name)); err != nil {
				return problem.Field("connection-dsn", "dsn", name, fmt.Sprintf("The parameter %s of the connection string has a value that does not fit.", name), err.Error())
			}
		case !slices.Contains(idle, name):
			c.note("The parameter %s was left out: Rollsmith sends its own settings and no others.", name)
		}
	}
	return nil
}

func setFlag(to *bool, v string) error {
	if v == "" {
		*to = true
		return nil
	}
	b, err := strconv.ParseBool(v)
	if err != nil {
		return fmt.Errorf("write true or false")
	}
	*to = b
	return nil
}

func setDial(c *Config, v string) error {
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 {
		return fmt.Errorf("write a duration such as 5s")
	}
	c.Dial = d
	return nil
}

func splitHosts(list string) []string {
	var hosts []string
	for _, h := range strings.Split(list, ",") {
		if h = strings.TrimSpace(h); h != "" {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

func (c *Config) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

// cloudSuffix ends the host names of ClickHouse Cloud, which speaks TLS only.
const cloudSuffix = ".clickhouse.cloud"

// normalise fills ports from protocol and TLS, turns TLS on where the host or
// the port leaves no other choice, and checks the addresses.
func (c *Config) normalise() error {
	if len(c.Addresses) == 0 {
		return badDSN("it names no host")
	}
	for _, a := range c.Addresses {
		host, port := hostPort(a)
		if !c.Secure && strings.HasSuffix(strings.ToLower(host), cloudSuffix) {
			c.Secure = true
			c.note("TLS was turned on: ClickHouse Cloud accepts nothing else.")
		}
		if !c.Secure && c.Protocol == Native && port == "9440" {
			c.Secure = true
			c.note("TLS was turned on, because port 9440 is the native protocol's TLS port.")
		}
	}
	for i, a := range c.Addresses {
		host, port := hostPort(a)
		if port == "" {
			port = c.defaultPort()
		}
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 || host == "" {
			return badDSN(fmt.Sprintf("%q is not host:port", a))
		}
		c.Addresses[i] = net.JoinHostPort(host, port)
	}
	if c.SkipVerify && c.Secure {
		c.note("The server's certificate is not checked (skip_verify): anyone on the way can read and change what is sent.")
	}
	return nil
}

func (c *Config) defaultPort() string {
	switch {
	case c.Protocol == HTTP && c.Secure:
		return "8443"
	case c.Protocol == HTTP:
		return "8123"
	case c.Secure:
		return "9440"
	}
	return "9000"
}

// hostPort splits an address whose port may be missing; IPv6 comes in brackets.
func hostPort(address string) (host, port string) {
	if h, p, err := net.SplitHostPort(address); err == nil {
		return h, p
	}
	return strings.Trim(address, "[]"), ""
}
