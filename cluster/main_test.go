package cluster

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rollsmith/rollsmith/sandbox"
)

var engine *sandbox.Engine

// accounts are whom tests come as, beside the owner, who seeds: a reader whose
// profile locks every setting; a reader who may change them; one held by a
// constraint; one whose profile is as Grants writes it; and one who may see next
// to nothing.
const accounts = `
<locked><password>secret canary</password><networks><ip>127.0.0.1</ip></networks><profile>locked</profile><quota>default</quota></locked>
<open><password></password><networks><ip>127.0.0.1</ip></networks><profile>open</profile><quota>default</quota></open>
<held><password></password><networks><ip>127.0.0.1</ip></networks><profile>held</profile><quota>default</quota></held>
<granted><password></password><networks><ip>127.0.0.1</ip></networks><profile>granted</profile><quota>default</quota></granted>
<narrow><password></password><networks><ip>127.0.0.1</ip></networks><profile>locked</profile><quota>default</quota>
  <grants><query>GRANT SHOW TABLES, SHOW COLUMNS ON *.*</query></grants></narrow>`

// profiles belong to the accounts. The sandbox has no option for them, so the
// child puts them into its config file before it becomes the engine.
const profiles = `<profiles><default/>
<locked><readonly>1</readonly></locked>
<open><readonly>2</readonly></open>
<granted><readonly>1</readonly><constraints><max_execution_time><max>120</max><changeable_in_readonly/></max_execution_time><log_comment><changeable_in_readonly/></log_comment></constraints></granted>
<held><constraints><max_execution_time><max>3</max></max_execution_time></constraints></held>
</profiles>`

func addProfiles() {
	for _, arg := range os.Args {
		path, isConfig := strings.CutPrefix(arg, "--config-file=")
		if !isConfig {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			panic(err)
		}
		changed := strings.Replace(string(text), "<profiles><default/></profiles>", profiles, 1)
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			panic(err)
		}
	}
}

func TestMain(m *testing.M) {
	addProfiles()
	sandbox.Child()
	if slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.fuzzworker") }) {
		os.Exit(m.Run()) // the fuzzers need no engine
	}
	os.Exit(func() int {
		var err error
		engine, err = sandbox.Start(context.Background(), sandbox.Options{Logs: true, Users: accounts})
		if err != nil {
			panic(err)
		}
		defer engine.Close()
		return m.Run()
	}())
}

// as opens the test engine as one of the accounts of usersFile.
func as(t testing.TB, user, protocol string) *Cluster {
	t.Helper()
	c := Config{Name: "test", Protocol: protocol, User: user, Addresses: []string{addressOf(engine, protocol)}}
	if user == "locked" {
		c.Password = "secret canary"
	}
	opened, err := Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	return opened
}

// addressOf is where an engine speaks a protocol.
func addressOf(e *sandbox.Engine, protocol string) string {
	return fmt.Sprintf("127.0.0.1:%d", map[string]int{Native: e.TCPPort(), HTTP: e.HTTPPort()}[protocol])
}

// ownEngine starts an engine for one test. The embedded engine does not survive
// a native client that leaves in the middle of a handshake or of an answer, or a
// login that it refuses, which a server does; tests that do so must not share it.
func ownEngine(t *testing.T) *sandbox.Engine {
	t.Helper()
	e, err := sandbox.Start(context.Background(), sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// scratch makes a database for one test.
func scratch(t testing.TB) string {
	t.Helper()
	name, drop, err := engine.Scratch(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(drop)
	return name
}

// do runs statements as the owner; DB stands for the test's database.
func do(t testing.TB, db string, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if err := engine.Conn().Exec(context.Background(), strings.ReplaceAll(s, "DB.", db+".")); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}
