package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rollsmith/rollsmith/problem"
)

func TestConnectionStringsAreRead(t *testing.T) {
	for dsn, want := range map[string]Config{
		"clickhouse://user:p%40ss@host:9001/shop":            {Protocol: Native, Addresses: []string{"host:9001"}, User: "user", Password: "p@ss", Database: "shop"},
		"clickhouse://host":                                  {Protocol: Native, Addresses: []string{"host:9000"}},
		"tcp://host?secure=true":                             {Protocol: Native, Addresses: []string{"host:9440"}, Secure: true},
		"native://host?s":                                    {Protocol: Native, Addresses: []string{"host:9440"}, Secure: true},
		"http://host":                                        {Protocol: HTTP, Addresses: []string{"host:8123"}},
		"https://host":                                       {Protocol: HTTP, Addresses: []string{"host:8443"}, Secure: true},
		"http://host?secure=true":                            {Protocol: HTTP, Addresses: []string{"host:8443"}, Secure: true},
		"clickhouse://a:1,b,c:3/db":                          {Protocol: Native, Addresses: []string{"a:1", "b:9000", "c:3"}, Database: "db"},
		"clickhouse://a?alt_hosts=b:2,c":                     {Protocol: Native, Addresses: []string{"a:9000", "b:2", "c:9000"}},
		"clickhouse://[::1]:9000":                            {Protocol: Native, Addresses: []string{"[::1]:9000"}},
		"clickhouse://[::1]":                                 {Protocol: Native, Addresses: []string{"[::1]:9000"}},
		"https://host?http_path=proxy/ch&dial_timeout=3s":    {Protocol: HTTP, Addresses: []string{"host:8443"}, Secure: true, HTTPPath: "/proxy/ch", Dial: 3 * time.Second},
		"clickhouse://u:a:b@c@host?username=x&database=y":    {Protocol: Native, Addresses: []string{"host:9000"}, User: "x", Password: "a:b@c", Database: "y"},
		"clickhouse://host/with%20space?compress=lz4":        {Protocol: Native, Addresses: []string{"host:9000"}, Database: "with space", Compress: true},
		"clickhouse://host?read_timeout=5s&max_open_conns=9": {Protocol: Native, Addresses: []string{"host:9000"}},
		"clickhouse://host:9440":                             {Protocol: Native, Addresses: []string{"host:9440"}, Secure: true, Notes: []string{"TLS was turned on, because port 9440 is the native protocol's TLS port."}},
		"https://x.eu.clickhouse.cloud":                      {Protocol: HTTP, Addresses: []string{"x.eu.clickhouse.cloud:8443"}, Secure: true},
		"clickhouse://x.eu.clickhouse.cloud":                 {Protocol: Native, Addresses: []string{"x.eu.clickhouse.cloud:9440"}, Secure: true, Notes: []string{"TLS was turned on: ClickHouse Cloud accepts nothing else."}},
		"clickhouse://host?readonly=0&max_memory_usage=1":    {Protocol: Native, Addresses: []string{"host:9000"}, Notes: []string{"The parameter max_memory_usage was left out: Rollsmith sends its own settings and no others.", "The parameter readonly was left out: Rollsmith sends its own settings and no others."}},
	} {
		got, err := ParseDSN(dsn)
		if err != nil {
			t.Errorf("%s: %v", dsn, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", dsn, diff)
		}
	}
}

func TestConnectionStringsThatCannotBeRead(t *testing.T) {
	for _, dsn := range []string{"", "host:9000", "mysql://host", "clickhouse://", "clickhouse://u:canary@", "clickhouse://u:canary@host:port", "clickhouse://u:can%zzary@host",
		"clickhouse://u:canary@host:99999", "clickhouse://u:canary@host?dial_timeout=soon", "clickhouse://u:canary@host?secure=perhaps", "clickhouse://u:canary@host?%zz"} {
		_, err := ParseDSN(dsn)
		p, ok := problem.As(err)
		if !ok || p.Kind != problem.Invalid || p.Hint == "" {
			t.Errorf("%q: %v", dsn, err)
		}
		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%q tells its password: %v", dsn, err)
		}
	}
}

func FuzzParseDSN(f *testing.F) {
	for _, seed := range []string{"clickhouse://user:p%40ss@host:9001/shop?secure=true", "https://[::1]:8443/?hosts=a,b", "http://a,b,c/d?x=y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, dsn string) {
		c, err := ParseDSN(dsn)
		if err == nil && len(c.Addresses) == 0 {
			t.Error("no address and no error")
		}
		if err == nil {
			c.Endpoint()
		}
	})
}

func TestSecretsArePrintedNowhere(t *testing.T) {
	c, err := ParseDSN("https://reader:canary@host/db?skip_verify=true")
	if err != nil {
		t.Fatal(err)
	}
	c.Token, c.HTTPProxy, c.Headers = "canary", "http://u:canary@proxy", map[string]Secret{"X-Key": "canary"}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("open", "config", c, "password", c.Password)
	asJSON, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for how, text := range map[string]string{"%v": fmt.Sprint(c), "%+v": fmt.Sprintf("%+v", c), "%#v": fmt.Sprintf("%#v", c), "%s": fmt.Sprintf("%s %q", c.Password, c.Password), "%x": fmt.Sprintf("%x", c.Password),
		"JSON": string(asJSON), "log": log.String(), "endpoint": c.Endpoint()} {
		if strings.Contains(text, "canary") || strings.Contains(text, fmt.Sprintf("%x", "canary")) {
			t.Errorf("%s tells the secret: %s", how, text)
		}
	}
	if c.Password.Reveal() != "canary" || c.Endpoint() != "https://reader@host:8443/db" {
		t.Errorf("endpoint = %s", c.Endpoint())
	}
	if notes := fmt.Sprint(c.Notes); !strings.Contains(notes, "not checked") {
		t.Errorf("skip_verify is not said: %s", notes)
	}
}

func TestEnvironmentIsRead(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]struct {
		env  map[string]string
		want string
	}{
		"nothing":       {map[string]string{}, ""},
		"host":          {map[string]string{"CLICKHOUSE_HOST": "h"}, "clickhouse://h:9000/ "},
		"host and all":  {map[string]string{"CLICKHOUSE_HOST": "h", "CLICKHOUSE_PORT": "1", "CLICKHOUSE_USER": "u", "CLICKHOUSE_PASSWORD": "p", "CLICKHOUSE_DB": "d", "CLICKHOUSE_SECURE": "1"}, "clickhouse://u@h:1/d?secure=true p"},
		"host is a URL": {map[string]string{"CLICKHOUSE_HOST": "https://h", "CLICKHOUSE_PASSWORD_FILE": secret}, "https://h:8443/ from a file"},
		"URL wins":      {map[string]string{"CLICKHOUSE_URL": "http://x", "CLICKHOUSE_HOST": "h"}, "http://x:8123/ "},
	} {
		c, found, err := FromEnv(func(key string) (string, bool) { v, ok := f.env[key]; return v, ok })
		got := ""
		if found {
			got = c.Endpoint() + " " + c.Password.Reveal()
		}
		if err != nil || got != f.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, f.want)
		}
	}
	if _, _, err := FromEnv(func(key string) (string, bool) { return "/nowhere", key == "CLICKHOUSE_HOST_FILE" }); err == nil {
		t.Error("a file that is not there was taken")
	}
}

func TestClustersFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	secret := write("secret", "canary\n", 0o600)
	good := write("good", `{"clusters": {"prod": {"dsn": "https://r@h", "password_file": "`+secret+`", "ca_file": "ca", "headers": {"X-Team": "data"}}, "dev": {"dsn": "clickhouse://d", "password": "p"}}}`, 0o600)
	configs, err := LoadFile(good)
	if err != nil || len(configs) != 2 || configs[0].Name != "dev" || configs[1].Password != "canary" || configs[1].CAFile != "ca" || configs[1].Headers["X-Team"] != "data" || configs[0].Password != "p" {
		t.Errorf("%+v, %v", configs, err)
	}
	for name, path := range map[string]string{
		"absent":            filepath.Join(dir, "absent"),
		"open to others":    write("open", `{}`, 0o644),
		"no JSON":           write("broken", `{`, 0o600),
		"an unknown key":    write("unknown", `{"clusters": {"a": {"dsn": "http://h", "pasword": "x"}}}`, 0o600),
		"a bad DSN":         write("dsn", `{"clusters": {"a": {"dsn": "h"}}}`, 0o600),
		"a token in clear":  write("token", `{"clusters": {"a": {"dsn": "http://h", "token_file": "`+secret+`"}}}`, 0o600),
		"a login header":    write("header", `{"clusters": {"a": {"dsn": "http://h", "headers": {"Authorization": "x"}}}}`, 0o600),
		"a smuggled header": write("smuggled", `{"clusters": {"a": {"dsn": "http://h", "headers": {"X-A": "x\r\nY: z"}}}}`, 0o600),
		"a lost password":   write("lost", `{"clusters": {"a": {"dsn": "http://h", "password_file": "/nowhere"}}}`, 0o600),
	} {
		if _, err := LoadFile(path); err == nil {
			t.Errorf("%s was taken", name)
		} else if p, ok := problem.As(err); !ok || p.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTableNamesAreSplit(t *testing.T) {
	for text, want := range map[string]string{"shop.orders": "shop|orders", "shop.a.b": "shop|a.b", "`my shop`.`all.orders`": "my shop|all.orders", "`a\\`b`.c": "a`b|c"} {
		database, table, err := ParseTableName(text)
		if got := database + "|" + table; err != nil || got != want {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "orders", ".orders", "shop.", "`shop.orders`", "`a`.`b`.`c`"} {
		if _, _, err := ParseTableName(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestQuotedNamesComeBack(t *testing.T) {
	for _, name := range []string{"a", "a b", "`", "\\", "'", "a`b\\c'd\"e", "ünï", "\n", "x); DROP TABLE y; --"} {
		for _, quoted := range []string{ident(name), literal(name)} {
			if words := scanWords(quoted, 3); len(words) != 1 || (words[0].text != name) {
				t.Errorf("%q became %s and came back as %+v", name, quoted, words)
			}
		}
	}
}
