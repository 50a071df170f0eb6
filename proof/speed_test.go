package proof

import (
	"context"
	"testing"

	"github.com/rollsmith/rollsmith/designer/pattern"
)

// BenchmarkRounds measures rounds of a plain daily rollup: one insert-fed
// target, a sum, a count and an exact distinct count.
func BenchmarkRounds(b *testing.B) {
	for _, name := range []string{"daily.json", "shop.json"} {
		b.Run(name, func(b *testing.B) {
			e, ctx, d := engine(b), context.Background(), load(b, name)
			rollup, facts, err := resolve(ctx, e, d)
			if err != nil {
				b.Fatal(err)
			}
			decision, err := pattern.Decide(rollup)
			if err != nil {
				b.Fatal(err)
			}
			before := processor(b, e)
			b.ResetTimer()
			result, err := ProveStatements(ctx, e, d, facts, fromPlan(decision.Plan), Options{Rounds: b.N}, nil)
			if err != nil {
				b.Fatal(err)
			}
			if !result.OK {
				b.Fatal(result.Counterexample.Story())
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rounds/s")
			b.ReportMetric((processor(b, e)-before)/float64(b.N), "engine-cpu-ms/round")
		})
	}
}

// processor gives the processor time that the engine's queries have taken, in
// milliseconds: unlike the clock, it does not depend on what else runs here.
func processor(b *testing.B, e Engine) float64 {
	var micros uint64
	if err := e.Conn().QueryRow(context.Background(), "SELECT sum(value) FROM system.events WHERE event = 'OSCPUVirtualTimeMicroseconds'").Scan(&micros); err != nil {
		b.Fatal(err)
	}
	return float64(micros) / 1000
}
