package cluster

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// checked runs a check and gives its last step.
func checked(t *testing.T, c Config) (Report, Step) {
	t.Helper()
	opened, err := Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	var heard []Step
	r := opened.Check(context.Background(), func(s Step) { heard = append(heard, s) })
	if len(heard) != len(r.Steps) {
		t.Errorf("heard of %d steps of %d", len(heard), len(r.Steps))
	}
	return r, r.Steps[len(r.Steps)-1]
}

func native() string   { return addressOf(engine, Native) }
func overHTTP() string { return addressOf(engine, HTTP) }

func TestCheckNamesTheStepThatFails(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	secure, ca := tlsFront(t, native())
	for name, f := range map[string]struct {
		config     Config
		step, kind string
		says       string // part of text or fix
	}{
		"a name that does not exist":   {Config{Protocol: Native, Addresses: []string{"no-such-host.invalid:9000"}}, "resolve", "dns", "no-such-host.invalid"},
		"nothing listens":              {Config{Protocol: Native, Addresses: []string{closed.Addr().String()}}, "connect", "port", "Nothing listens"},
		"native on the HTTP port":      {Config{Protocol: Native, Addresses: []string{overHTTP()}}, "login", "protocol", "use http://"},
		"HTTPS on a plain port":        {Config{Protocol: HTTP, Secure: true, Addresses: []string{overHTTP()}}, "tls", "protocol", "Leave TLS off"},
		"no TLS on a TLS port":         {Config{Protocol: Native, Addresses: []string{secure}}, "login", "protocol", "secure=true"},
		"a certificate nobody signed":  {Config{Protocol: Native, Secure: true, Addresses: []string{secure}}, "tls", "tls", "ca_file"},
		"a certificate of another":     {Config{Protocol: Native, Secure: true, CAFile: ca, ServerName: "elsewhere", Addresses: []string{secure}}, "tls", "tls", "another name"},
		"a database that is not there": {Config{Protocol: HTTP, Database: "nowhere", Addresses: []string{overHTTP()}}, "login", "database", "nowhere"},
		"a wrong password":             {Config{Protocol: HTTP, User: "locked", Password: "wrong", Addresses: []string{overHTTP()}}, "login", "auth", "password"},
		"a metadata address":           {Config{Protocol: HTTP, Addresses: []string{"169.254.169.254:80"}}, "resolve", "address-forbidden", "link-local"},
	} {
		t.Run(name, func(t *testing.T) {
			r, step := checked(t, f.config)
			if r.OK || step.Name != f.step || step.Kind != f.kind || !strings.Contains(step.Text+" "+step.Fix, f.says) {
				t.Errorf("got %+v", step)
			}
		})
	}
}

func TestCheckNamesARefusedNativeLogin(t *testing.T) {
	for name, f := range map[string]struct {
		config           Config
		step, kind, says string
	}{
		"a user nobody knows":          {Config{Protocol: Native, User: "nobody"}, "login", "auth", "password"},
		"a database that is not there": {Config{Protocol: Native, Database: "nowhere"}, "login", "database", "nowhere"},
		"HTTP on the native port":      {Config{Protocol: HTTP}, "login", "protocol", "use clickhouse://"},
		"TLS on a plain port":          {Config{Protocol: Native, Secure: true}, "tls", "protocol", "Leave TLS off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f.config.Addresses = []string{addressOf(ownEngine(t), Native)}
			if r, step := checked(t, f.config); r.OK || step.Name != f.step || step.Kind != f.kind || !strings.Contains(step.Text+" "+step.Fix, f.says) {
				t.Errorf("got %+v", step)
			}
		})
	}
}

func TestCheckOfAWorkingConnection(t *testing.T) {
	secure, ca := tlsFront(t, native())
	secureHTTP, caHTTP := tlsFront(t, overHTTP())
	for name, f := range map[string]struct {
		config Config
		says   string
	}{
		"native":         {Config{Protocol: Native, Addresses: []string{native()}}, "can write"},
		"HTTP":           {Config{Protocol: HTTP, Addresses: []string{overHTTP()}}, "can write"},
		"locked":         {Config{Protocol: HTTP, User: "locked", Password: "secret canary", Addresses: []string{overHTTP()}}, "our own timers"},
		"open":           {Config{Protocol: Native, User: "open", Addresses: []string{native()}}, "server enforces"},
		"TLS":            {Config{Protocol: Native, Secure: true, CAFile: ca, Addresses: []string{secure}}, "can write"},
		"HTTPS":          {Config{Protocol: HTTP, Secure: true, CAFile: caHTTP, Addresses: []string{secureHTTP}}, "can write"},
		"skip verify":    {Config{Protocol: HTTP, Secure: true, SkipVerify: true, Addresses: []string{secureHTTP}}, "can write"},
		"second address": {Config{Protocol: Native, Addresses: []string{"127.0.0.1:1", native()}}, "can write"},
	} {
		t.Run(name, func(t *testing.T) {
			r, step := checked(t, f.config)
			if !r.OK || !strings.Contains(step.Text, f.says) {
				t.Fatalf("got %+v", r.Steps)
			}
			if !strings.HasPrefix(r.Server.Version, "2") || len(r.Abilities) == 0 || !r.Abilities[0].OK || len(r.Missing) > 0 {
				t.Errorf("report %+v", r)
			}
			if skipped := strings.Contains(fmt.Sprint(r.Steps), "NOT checked"); skipped != f.config.SkipVerify {
				t.Errorf("skip verify said: %t", skipped)
			}
		})
	}
}

func TestNarrowAccountLearnsItsGrants(t *testing.T) {
	db := scratch(t)
	do(t, db, "CREATE TABLE DB.t (x UInt8) ENGINE = MergeTree ORDER BY x")
	list := as(t, "narrow", Native).Abilities(context.Background(), db, "t")
	at := slices.IndexFunc(list, func(a Ability) bool { return a.Name == "part sizes" })
	if at < 0 || list[at].OK || list[at].Grant != "GRANT SELECT ON system.parts TO <this user>;" {
		t.Errorf("abilities: %+v", list)
	}
	if last := list[len(list)-1]; last.OK || !strings.Contains(last.Grant, "`t`") {
		t.Errorf("the table: %+v", last)
	}
}

func TestGrantsAreStatementsThatTheServerUnderstands(t *testing.T) {
	for _, text := range []string{Grants(""), Grants("o'br`ien", "shop", "my shop")} {
		statements := 0
		for _, s := range strings.Split(text, ";") {
			if _, after, found := strings.Cut(s, "\n"); found && strings.HasPrefix(strings.TrimSpace(s), "--") {
				s = after // the comment behind the statement before
			}
			if s = strings.TrimSpace(s); s == "" || strings.HasPrefix(s, "--") {
				continue
			}
			statements++
			if _, _, err := Values[string](context.Background(), as(t, "default", HTTP), Ask{For: "grants", SQL: "EXPLAIN AST " + s}); err != nil {
				t.Errorf("%s: %v", s, err)
			}
		}
		if statements < 3 {
			t.Errorf("only %d statements in %s", statements, text)
		}
	}
}

func TestAProfileAsGrantsWritesItLetsLimitsThrough(t *testing.T) {
	c := as(t, "granted", Native)
	e, err := c.Enforcement(context.Background())
	if err != nil || e.Readonly != 1 || !slices.Contains(e.Sent, "max_execution_time") || !slices.Contains(e.Sent, "log_comment") || !slices.Contains(e.Refused, "max_memory_usage") {
		t.Errorf("%+v, %v", e, err)
	}
}

// tlsFront puts TLS before an address, with a certificate of its own for
// 127.0.0.1, and gives the address and the CA's file.
func tlsFront(t *testing.T, behind string) (address, caFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.ParseIP("127.0.0.1")}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	caFile = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}})
	if err != nil {
		t.Fatal(err)
	}
	relay(t, listener, behind, io.Copy)
	return listener.Addr().String(), caFile
}

// relay passes on whatever connects, each way by pass.
func relay(t testing.TB, listener net.Listener, behind string, pass func(io.Writer, io.Reader) (int64, error)) {
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer in.Close()
				out, err := net.Dial("tcp", behind)
				if err != nil {
					return
				}
				defer out.Close()
				go func() {
					io.Copy(out, in)
					out.Close()
				}()
				pass(in, out)
			}()
		}
	}()
}
