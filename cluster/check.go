package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/problem"
)

// Step is one thing that has to work before a cluster can be looked at.
type Step struct {
	Name string `json:"name"` // "resolve", "connect", "tls", "login", "read-only"
	OK   bool   `json:"ok"`
	Text string `json:"text"`           // what was found
	Kind string `json:"kind,omitempty"` // dns, port, timeout, protocol, tls, auth, database, readonly, grant, network
	Fix  string `json:"fix,omitempty"`  // what would mend it
	Took Took   `json:"took_ms"`
}

// Report is the diagnosis of one connection: how far it gets, and if it gets
// all the way, what is there and what this account may do.
type Report struct {
	OK          bool        `json:"ok"`
	Endpoint    string      `json:"endpoint"`
	Notes       []string    `json:"notes,omitempty"` // what was assumed, such as TLS for Cloud
	Steps       []Step      `json:"steps"`
	Server      Server      `json:"server"`
	Topology    Topology    `json:"topology"`
	Enforcement Enforcement `json:"enforcement"`
	Abilities   []Ability   `json:"abilities,omitempty"`
	Missing     []string    `json:"missing,omitempty"`
}

// Server is who answers.
type Server struct {
	Version  string `ch:"version" json:"version"`
	Uptime   uint64 `ch:"uptime_seconds" json:"uptime_seconds"`
	Timezone string `ch:"timezone" json:"timezone"`
	Host     string `ch:"host" json:"host"`
	User     string `ch:"user" json:"user"`
	Database string `ch:"database" json:"database"`
}

// UptimeText is the uptime in words a person reads.
func (s Server) UptimeText() string {
	d := time.Duration(s.Uptime) * time.Second
	if days := d / (24 * time.Hour); days > 0 {
		return fmt.Sprintf("%d d %d h", days, (d%(24*time.Hour))/time.Hour)
	}
	return fmt.Sprintf("%d h %d min", d/time.Hour, (d%time.Hour)/time.Minute)
}

// checkLimit bounds a whole check; a cluster of ClickHouse Cloud that sleeps
// needs longer to wake than anyone waits for a page.
const checkLimit = 15 * time.Second

// Check goes step by step and stops at the first that fails, so that the reader
// learns which one it is and what mends it. progress may be nil; it hears of
// every step as it ends.
func (c *Cluster) Check(ctx context.Context, progress func(Step)) Report {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	r := Report{Endpoint: c.config.Endpoint(), Notes: c.config.Notes}
	for _, s := range []struct {
		name string
		do   func(context.Context) (string, error)
	}{
		{"resolve", c.checkNames}, {"connect", c.checkPorts}, {"tls", c.checkTLS}, {"login", c.checkLogin(&r)}, {"read-only", c.checkReadonly(&r)},
	} {
		began := time.Now()
		text, err := s.do(ctx)
		step := Step{Name: s.name, OK: err == nil, Text: text, Took: Took(time.Since(began))}
		if err != nil {
			step.blame(connectionOrTold(c.config, err))
		}
		r.Steps = append(r.Steps, step)
		if progress != nil {
			progress(step)
		}
		if !step.OK {
			return r
		}
	}
	r.OK = true
	r.Topology, r.Missing = c.topology(ctx)
	r.Abilities = c.Abilities(ctx, "", "")
	return r
}

func connectionOrTold(c Config, err error) *problem.Error {
	if bounded(err) {
		err = &problem.Error{Kind: problem.Down, Code: "timeout", Message: strings.Join(c.Addresses, ", ") + " does not answer.",
			Hint: "A firewall may drop the packets, the address may be wrong, or the server sleeps and takes long to wake.", Err: err}
	}
	p, _ := problem.As(connectionProblem(c, err))
	return p
}

func (s *Step) blame(p *problem.Error) { s.Text, s.Kind, s.Fix = p.Message, p.Code, p.Hint }
