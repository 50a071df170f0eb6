package cluster

import (
	"context"
	"fmt"

	"github.com/rollsmith/rollsmith/designer"
)

// probeFeed looks at raw rows and mends what the definition alone suggested. A
// probe that is denied or too large is one more line of evidence, no failure.
func (c *Cluster) probeFeed(ctx context.Context, in *Introspection) {
	s := &in.Source
	if len(s.OrderBy) == 0 || s.Feed == designer.Append {
		c.probeRepeats(ctx, in)
		return
	}
	sample, err := c.SampleKeys(ctx, *s)
	if err != nil {
		in.Missing = append(in.Missing, tell("a sample of keys", err))
		return
	}
	h, ask, cost, err := c.History(ctx, *s, sample)
	if err != nil {
		in.Missing = append(in.Missing, tell("the probe of raw rows", err))
		in.say("probe-failed", Low, "The raw rows could not be probed, so the feed rests on the definition alone.")
		return
	}
	add := func(code string, sure Confidence, format string, args ...any) {
		in.Evidence = append(in.Evidence, Evidence{Code: code, Confidence: sure, SQL: ask.SQL, Took: Took(cost.Took),
			Text: fmt.Sprintf(format, args...) + " (" + sample.Words + ")"})
	}
	if h.Keys == 0 {
		add("probe-empty", Low, "There are no rows to look at: the feed rests on the definition alone.")
		return
	}
	switch s.Feed {
	case designer.Upsert:
		in.judgeHistory(h, sample, add)
	case designer.AtLeastOnce:
		in.judgeUnversioned(h, sample, add)
	}
}
