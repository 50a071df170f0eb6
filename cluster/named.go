package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sort"
	"strings"

	"github.com/rollsmith/rollsmith/problem"
)

// FromEnv reads CLICKHOUSE_* variables, as clickhouse-client and its
// neighbours know them. found is false where neither a URL nor a host is set.
func FromEnv(lookup func(string) (string, bool)) (c Config, found bool, err error) {
	get := func(names ...string) string {
		for _, name := range names {
			if v, ok := lookup(name); ok && v != "" {
				return v
			}
			if path, ok := lookup(name + "_FILE"); ok && path != "" {
				text, readErr := os.ReadFile(path)
				if readErr != nil && err == nil {
					err = problem.Field("connection-env", name+"_FILE", path, "The file named by this variable cannot be read.", "Check the path and its permissions.")
				}
				return strings.TrimRight(string(text), "\r\n")
			}
		}
		return ""
	}
	address := get("CLICKHOUSE_URL", "CLICKHOUSE_HOST")
	if address == "" || err != nil {
		return c, false, err
	}
	if !strings.Contains(address, "://") {
		address = "clickhouse://" + address
		if port := get("CLICKHOUSE_PORT"); port != "" {
			address += ":" + port
		}
	}
	secure := get("CLICKHOUSE_SECURE")
	if on := secure == "1" || strings.EqualFold(secure, "true"); on && strings.HasPrefix(address, "clickhouse://") {
		address = "clickhouses" + strings.TrimPrefix(address, "clickhouse")
	}
	if c, err = ParseDSN(address); err != nil {
		return c, false, err
	}
	c.User = firstOf(get("CLICKHOUSE_USER", "CLICKHOUSE_USERNAME"), c.User)
	c.Password = Secret(firstOf(get("CLICKHOUSE_PASSWORD"), c.Password.Reveal()))
	c.Database = firstOf(get("CLICKHOUSE_DATABASE", "CLICKHOUSE_DB"), c.Database)
	if verify := get("CLICKHOUSE_VERIFY"); verify == "0" || strings.EqualFold(verify, "false") {
		c.SkipVerify = true
	}
	c.Name = "env"
	c.note("Read from the environment (CLICKHOUSE_*).")
	return c, true, err
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// namedCluster is one entry of the clusters file.
type namedCluster struct {
	DSN          string            `json:"dsn"`
	PasswordText string            `json:"password"`
	PasswordFile string            `json:"password_file"`
	TokenFile    string            `json:"token_file"`
	CAFile       string            `json:"ca_file"`
	CertFile     string            `json:"cert_file"`
	KeyFile      string            `json:"key_file"`
	Headers      map[string]string `json:"headers"`
}

// LoadFile reads the clusters file:
//
//	{"clusters": {"prod": {"dsn": "https://reader@ch.example:8443", "password_file": "…", "ca_file": "…"}}}
//
// The file may hold passwords, so it is refused unless only its owner can read it.
func LoadFile(path string) ([]Config, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, problem.Field("clusters-file", "clusters", path, "There is no such clusters file.", "Check the path.")
	} else if err != nil {
		return nil, fmt.Errorf("stat clusters file %q: %w", path, err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return nil, problem.Field("clusters-file-mode", "clusters", path,
			fmt.Sprintf("The clusters file can be read by others (mode %04o), and it may hold passwords.", mode), "Run chmod 0600 on it.")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read clusters file %q: %w", path, err)
	}
	var file struct {
		Clusters map[string]namedCluster `json:"clusters"`
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return nil, problem.Field("clusters-file", "clusters", path, "The clusters file is not the JSON it should be: "+err.Error()+".",
			`Write {"clusters": {"name": {"dsn": "clickhouse://…"}}}.`)
	}
	names := make([]string, 0, len(file.Clusters))
	for name := range file.Clusters {
		names = append(names, name)
	}
	sort.Strings(names)
	var configs []Config
	for _, name := range names {
		c, err := file.Clusters[name].config(name)
		if err != nil {
			return nil, fmt.Errorf("cluster %q: %w", name, err)
		}
		configs = append(configs, c)
	}
	return configs, nil
}

func (n namedCluster) config(name string) (Config, error) {
	c, err := ParseDSN(n.DSN)
	if err != nil {
		return c, err
	}
	c.Name = name
	c.Password = Secret(firstOf(n.PasswordText, c.Password.Reveal()))
	c.CAFile, c.CertFile, c.KeyFile = firstOf(n.CAFile, c.CAFile), firstOf(n.CertFile, c.CertFile), firstOf(n.KeyFile, c.KeyFile)
	for path, to := range map[string]*Secret{n.PasswordFile: &c.Password, n.TokenFile: &c.Token} {
		if path == "" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return c, problem.Field("clusters-file", "password_file", path, "The file cannot be read.", "Check the path and its permissions.")
		}
		*to = Secret(strings.TrimRight(string(text), "\r\n"))
	}
	if c.Token != "" && !c.Secure {
		return c, problem.Field("connection-token", "token_file", n.TokenFile, "A token is only sent over TLS.", "Use https:// or add secure=true.")
	}
	return c, c.setHeaders(n.Headers)
}

// setHeaders takes extra HTTP headers, except those that would replace the
// login or smuggle another header.
func (c *Config) setHeaders(headers map[string]string) error {
	c.Headers = map[string]Secret{}
	for name, value := range headers {
		lower := strings.ToLower(name)
		forbidden := lower == "authorization" || strings.HasPrefix(lower, "x-clickhouse-") || lower == "host"
		if forbidden || name == "" || strings.ContainsAny(name+value, "\r\n\x00") || strings.ContainsAny(name, " :") {
			return problem.Field("connection-header", "headers", name, "This HTTP header may not be set.", "Logins go into user and password; names and values hold no line breaks.")
		}
		c.Headers[name] = Secret(value)
	}
	return nil
}
