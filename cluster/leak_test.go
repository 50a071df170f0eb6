package cluster

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// Pages are left in the middle all the time; nothing of them may stay behind.
func TestLeavingPagesLeavesNothingBehind(t *testing.T) {
	for _, protocol := range []string{Native, HTTP} {
		c, err := Open(context.Background(), Config{Protocol: protocol, Addresses: []string{addressOf(ownEngine(t), protocol)}})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		leave := func(after time.Duration) {
			ctx, cancel := context.WithTimeout(context.Background(), after)
			defer cancel()
			c.Each(ctx, Ask{For: "leak", SQL: "SELECT count() FROM numbers(1000000000) WHERE cityHash64(number) = 1", Limit: Probe}, func(Scanner) error { return nil })
		}
		leave(20 * time.Millisecond)
		c.late.Wait()
		before := runtime.NumGoroutine()
		for i := range 20 {
			leave(time.Duration(i) * time.Millisecond)
		}
		c.late.Wait()
		waitFor(t, "the goroutines to end", func() bool { return runtime.NumGoroutine() <= before+2*poolSize })
		if _, err := c.Databases(context.Background()); err != nil {
			t.Errorf("over %s the cluster no longer answers: %v", protocol, err)
		}
	}
}
