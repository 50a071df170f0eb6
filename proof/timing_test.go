package proof

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/rollsmith/rollsmith/designer/pattern"
	"github.com/rollsmith/rollsmith/sandbox"
)

type timed struct {
	driver.Conn
	mu  sync.Mutex
	by  map[string]time.Duration
	num map[string]int
}

func (c *timed) note(sql string, t time.Time) {
	f := strings.Fields(sql)
	k := strings.Join(f[:min(3, len(f))], " ")
	if strings.HasPrefix(k, "SELECT") {
		k = sql[:min(len(sql), 70)]
	}
	k = strings.ReplaceAll(k, "\n", " ")
	c.mu.Lock()
	c.by[k] += time.Since(t)
	c.num[k]++
	c.mu.Unlock()
}
func (c *timed) Exec(ctx context.Context, sql string, a ...any) error {
	defer c.note(sql, time.Now())
	return c.Conn.Exec(ctx, sql, a...)
}
func (c *timed) Query(ctx context.Context, sql string, a ...any) (driver.Rows, error) {
	defer c.note(sql, time.Now())
	return c.Conn.Query(ctx, sql, a...)
}

func TestTiming(t *testing.T) {
	ctx, d := context.Background(), load(t, "daily.json")
	e, err := sandbox.Start(ctx, sandbox.Options{Logs: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	rollup, facts, _ := resolve(ctx, e, d)
	decision, err := pattern.Decide(rollup)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := newProver(e.Conn(), d, facts, fromPlan(decision.Plan), Options{Rounds: 60})
	o, err := p.search(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	e.Conn().Exec(ctx, "SYSTEM FLUSH LOGS")
	rows, err := e.Conn().Query(ctx, "SELECT round(sum(ProfileEvents['OSCPUVirtualTimeMicroseconds'])/60000,2) c, round(sum(query_duration_ms)/60,2) w, round(count()/60,2) n, round(sum(ProfileEvents['OSCPUVirtualTimeMicroseconds'])/count()/1000,2) each, replaceRegexpAll(substring(any(query),1,90), '\\s+', ' ') q, round(sum(ProfileEvents['InsertedRows'])/60,1), round(sum(ProfileEvents['MergeTreeDataWriterBlocks'])/60,1) FROM system.query_log WHERE type='QueryFinish' and event_time>now()-60 GROUP BY substring(replaceRegexpAll(query,'[0-9]+',''),1,60) ORDER BY c DESC LIMIT 25")
	if err != nil {
		t.Fatal(err)
	}
	tb, err := read(rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range tb.rows {
		fmt.Println(r)
	}
	fmt.Println(o.elapsed)
}
