package cluster

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rollsmith/rollsmith/sandbox"
)

// Two engines make a cluster: the second holds shard 2, the first knows both.
// The first cannot be told its own port beforehand, so a port is reserved.
func twoShards(t *testing.T) (first, second *sandbox.Engine) {
	t.Helper()
	ctx := context.Background()
	start := func(o sandbox.Options) *sandbox.Engine {
		e, err := sandbox.Start(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		return e
	}
	second = start(sandbox.Options{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	shard := func(port int) string {
		return fmt.Sprintf("<shard><replica><host>127.0.0.1</host><port>%d</port></replica></shard>", port)
	}
	first = start(sandbox.Options{TCPPort: port, Config: "<remote_servers><pair>" + shard(port) + shard(second.TCPPort()) + "</pair></remote_servers>"})
	return first, second
}

func TestDistributedTablesAreFollowedAndMeasuredByShard(t *testing.T) {
	first, second := twoShards(t)
	ctx := context.Background()
	for i, e := range []*sandbox.Engine{first, second} {
		for _, sql := range []string{
			"CREATE DATABASE shop",
			"CREATE TABLE shop.orders_local (id UInt64, country String, v UInt64, d UInt8) ENGINE = ReplacingMergeTree(v, d) ORDER BY id",
			"SYSTEM STOP MERGES shop.orders_local",
			fmt.Sprintf("INSERT INTO shop.orders_local SELECT number * 2 + %d, 'de', 1, 0 FROM numbers(500)", i),
			fmt.Sprintf("INSERT INTO shop.orders_local SELECT number, 'fr', 2, 0 FROM numbers(%d)", 10*i), // five of these went to the wrong shard
		} {
			if err := e.Conn().Exec(ctx, sql); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
	}
	if err := first.Conn().Exec(ctx, "CREATE TABLE shop.orders AS shop.orders_local ENGINE = Distributed('pair', 'shop', 'orders_local', cityHash64(country))"); err != nil {
		t.Fatal(err)
	}
	c, err := OpenDSN(ctx, first.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	topology, missing := c.Topology(ctx)
	if len(missing) > 0 || len(topology.Clusters) == 0 {
		t.Fatalf("topology %+v, missing %v", topology, missing)
	}
	for _, g := range topology.Clusters {
		if g.Name == "pair" && (g.Shards != 2 || g.Replicas != 2 || !g.Local) {
			t.Errorf("pair = %+v", g)
		}
	}
	p, err := c.TableProfile(ctx, "shop", "orders")
	if err != nil {
		t.Fatal(err)
	}
	if p.Cluster != "pair" || p.ShardingKey != "cityHash64(country)" || p.Storage != "shop.orders_local" || p.StorageEngine.String() != "ReplacingMergeTree(v, d)" {
		t.Errorf("profile %s %s %s %s, missing %v", p.Cluster, p.ShardingKey, p.Storage, p.StorageEngine, p.Missing)
	}
	if diff := cmp.Diff([]Edge{{"shop.orders", "shop.orders_local", "local"}}, p.Lineage.Edges); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
	in, err := c.Introspect(ctx, "shop", "orders")
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, e := range in.Evidence {
		codes = append(codes, e.Code)
	}
	if in.Source.Table != "orders_local" || !strings.Contains(strings.Join(codes, " "), "sharded") {
		t.Errorf("source %s, evidence %v", in.Source.Table, codes)
	}
	shards, spread, err := c.Shards(ctx, "shop", "orders", in.Source)
	if err != nil {
		t.Fatal(err)
	}
	if len(shards) != 2 || shards[0].Rows != 500 || shards[1].Rows != 510 {
		t.Errorf("shards = %+v", shards)
	}
	if spread.Keys != 1000 || spread.Spread != 5 || spread.Live != 5 || spread.Basis.Confidence != High {
		t.Errorf("spread = %+v", spread)
	}
}

func TestMeasureFindsTheDistributedTable(t *testing.T) {
	first, second := twoShards(t)
	ctx := context.Background()
	for _, e := range []*sandbox.Engine{first, second} {
		for _, sql := range []string{"CREATE DATABASE shop", "CREATE TABLE shop.l (id UInt64, v UInt64) ENGINE = ReplacingMergeTree(v) ORDER BY id", "INSERT INTO shop.l SELECT number, 1 FROM numbers(10)"} {
			if err := e.Conn().Exec(ctx, sql); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := first.Conn().Exec(ctx, "CREATE TABLE shop.d AS shop.l ENGINE = Distributed('pair', 'shop', 'l', rand())"); err != nil {
		t.Fatal(err)
	}
	c, err := OpenDSN(ctx, first.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in, err := c.Introspect(ctx, "shop", "l")
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Measure(ctx, in.Source)
	if err != nil || m.Shards == nil || m.Shards.Spread != 10 || finding(m, "shards") == "" {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestADeadShardIsSaid(t *testing.T) {
	first, second := twoShards(t)
	ctx := context.Background()
	for _, sql := range []string{
		"CREATE DATABASE shop",
		"CREATE TABLE shop.l (id UInt64) ENGINE = MergeTree ORDER BY id",
		"CREATE TABLE shop.d AS shop.l ENGINE = Distributed('pair', 'shop', 'l', rand())",
	} {
		if err := first.Conn().Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	second.Close()
	c, err := OpenDSN(ctx, first.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in, err := c.Introspect(ctx, "shop", "d")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Shards(ctx, "shop", "d", in.Source); err == nil {
		t.Error("a dead shard was not noticed")
	}
	if p, err := c.TableProfile(ctx, "shop", "d"); err != nil || p.Storage != "shop.l" {
		t.Errorf("the page about it: %+v, %v", p, err)
	}
}
