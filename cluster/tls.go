package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/netip"
	"os"
	"syscall"

	"github.com/rollsmith/rollsmith/problem"
)

// tlsConfig builds the client's side of TLS, or nil where it is off.
func (c Config) tlsConfig() (*tls.Config, error) {
	if !c.Secure {
		return nil, nil
	}
	t := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: c.ServerName, InsecureSkipVerify: c.SkipVerify}
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, &problem.Error{Kind: problem.Invalid, Code: "connection-ca", Field: "ca_file", Value: c.CAFile,
				Message: "The CA file cannot be read.", Hint: "Give the path of a PEM file that this process may read.", Err: err}
		}
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM(pem) {
			return nil, problem.Field("connection-ca", "ca_file", c.CAFile, "The CA file holds no PEM certificate.", "It has to begin with -----BEGIN CERTIFICATE-----.")
		}
	}
	if (c.CertFile == "") != (c.KeyFile == "") {
		return nil, problem.Field("connection-certificate", "cert_file", c.CertFile, "A client certificate needs its key, and a key its certificate.", "Give both cert_file and key_file.")
	}
	if c.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
		if err != nil {
			return nil, &problem.Error{Kind: problem.Invalid, Code: "connection-certificate", Field: "cert_file", Value: c.CertFile,
				Message: "The client certificate and its key cannot be used together.", Hint: "Both have to be PEM, and the key must belong to the certificate.", Err: err}
		}
		t.Certificates = []tls.Certificate{pair}
	}
	return t, nil
}

// handshake speaks TLS on an open connection, for the protocol whose driver
// leaves that to a custom dialer.
func (c Config) handshake(ctx context.Context, conn net.Conn, address string) (net.Conn, error) {
	t, err := c.tlsConfig()
	if err != nil {
		conn.Close()
		return nil, err
	}
	if t.ServerName == "" {
		t.ServerName, _, _ = net.SplitHostPort(address)
	}
	secured := tls.Client(conn, t)
	ctx, cancel := context.WithTimeout(ctx, c.dialLimit())
	defer cancel()
	if err := secured.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return secured, nil
}

// control refuses an address after the name was resolved and before a packet
// leaves, so that a name that changes its mind cannot slip through.
func (c Config) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	return c.allowed(at.Addr())
}
