package demo

import (
	"context"
	"os"
	"testing"

	"github.com/rollsmith/rollsmith/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Child()
	os.Exit(m.Run())
}

func TestTheShopHasEveryKindOfFeed(t *testing.T) {
	ctx := context.Background()
	engine, err := sandbox.Start(ctx, sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	if err := Seed(ctx, engine.Conn()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, sql string }{
		{"about two million rows", "SELECT sum(total_rows) BETWEEN 1700000 AND 2400000 FROM system.tables WHERE database = 'shop'"},
		{"orders have several versions, unmerged", "SELECT count() > uniqExact(id) * 1.3 FROM shop.orders"},
		{"some deletes carry defaults", "SELECT countIf(_is_deleted AND created_at = 0) BETWEEN 1000 AND 3000 FROM shop.orders"},
		{"every cancel takes back a payment that is there", `SELECT count() = 0 FROM (SELECT payment_id, order_id, paid_at, method, amount, fee, sum(if(is_deleted, -1, 1)) AS left
			FROM shop.payments GROUP BY ALL HAVING left < 0)`},
		{"the collapsing table adds up to one state a session", "SELECT sum(sign) = 150000 AND uniqExact(session_id) = 150000 FROM shop.sessions"},
		{"new readings are copies far more often than old ones", `SELECT countIf(age < 1) / uniqExactIf(event_id, age < 1) > 1.5 AND countIf(age > 3) / uniqExactIf(event_id, age > 3) < 1.1
			FROM (SELECT event_id, (toStartOfDay(now('UTC')) - toDateTime(ts)) / 86400 AS age FROM shop.device_log)`},
		{"the healthy view is right", "SELECT (SELECT sum(events) FROM shop.events_hourly) = (SELECT count() FROM shop.events)"},
		{"the other one counts too much", "SELECT (SELECT sum(orders) FROM shop.revenue_daily) > (SELECT count() * 1.3 FROM shop.orders FINAL)"},
		{"parts are left unmerged", "SELECT count() > 8 FROM system.parts WHERE database = 'shop' AND table = 'orders' AND active"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var holds uint8
			if err := engine.Conn().QueryRow(ctx, c.sql).Scan(&holds); err != nil || holds != 1 {
				t.Errorf("%s\nis %d, %v", c.sql, holds, err)
			}
		})
	}
}
