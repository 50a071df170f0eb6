package cluster

import (
	"context"
	"strings"
	"testing"
)

func TestCostOfCandidates(t *testing.T) {
	db := scratch(t)
	do(t, db,
		"CREATE TABLE DB.e (at DateTime, user UInt64, amount UInt32) ENGINE = MergeTree ORDER BY at",
		"SYSTEM STOP MERGES DB.e",
		"INSERT INTO DB.e SELECT toDateTime('2026-01-01 00:00:00') + number * 60, number % 1000, number FROM numbers(14400)",
		"INSERT INTO DB.e SELECT toDateTime('2026-01-11 00:00:00') + number * 60, number % 1000, number FROM numbers(14400)")
	c := as(t, "locked", Native)
	in, err := c.Introspect(context.Background(), db, "e")
	if err != nil {
		t.Fatal(err)
	}
	sheets, err := c.Cost(context.Background(), in.Source,
		Candidate{Name: "day", By: []string{"toDate(at)"}, States: []Named{{"revenue", "sumState(amount)"}, {"users", "uniqExactState(user)"}}},
		Candidate{Name: "minute and user", By: []string{"toStartOfMinute(at)", "user"}},
		Candidate{Name: "wrong", By: []string{"nonsense"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	day, fine, wrong := sheets[0], sheets[1], sheets[2]
	if day.Groups != 20 || day.Low != 20 || day.High != 20 || !day.Worth || day.Reduction != 1440 || day.KeyBytes != 2 || day.SourceGranules != 4 || day.RollupGranules != 1 {
		t.Errorf("day: %+v", day)
	}
	if day.StateBytes < 8*1000 || day.Bytes != uint64((day.KeyBytes+day.StateBytes)*20) || day.Written <= 0 || day.Written > 0.01 {
		t.Errorf("day weighs: %+v", day)
	}
	if fine.Worth || fine.Groups != 28800 || fine.Written != 1 {
		t.Errorf("fine: %+v", fine)
	}
	if len(wrong.Missing) == 0 || wrong.Verdict == "" {
		t.Errorf("wrong: %+v", wrong)
	}
}

func TestSamplesOfLargeTablesAreBoundedAndNearTheTruth(t *testing.T) {
	db := scratch(t)
	do(t, db,
		"CREATE TABLE DB.big (id UInt64, at DateTime, user UInt32, v UInt64) ENGINE = ReplacingMergeTree(v) ORDER BY id",
		"SYSTEM STOP MERGES DB.big",
		"INSERT INTO DB.big SELECT number, toDateTime('2026-01-01 00:00:00') + number, number % 1000, 1 FROM numbers(2500000) SETTINGS max_insert_threads = 1",
		"INSERT INTO DB.big SELECT number * 100, toDateTime('2026-01-01 00:00:00') + number * 100, 5, 2 FROM numbers(20000)")
	c := as(t, "default", Native)
	ctx := context.Background()
	in, err := c.Introspect(ctx, db, "big")
	if err != nil {
		t.Fatal(err)
	}
	s := in.Source
	sheets, err := c.Cost(ctx, s, Candidate{Name: "day and user", By: []string{"toDate(at)", "user"}})
	if err != nil {
		t.Fatal(err)
	}
	if g := sheets[0]; g.Groups < 28_000 || g.Groups > 32_000 || g.Low > 29_029 || g.High < 29_029 || !strings.Contains(g.Basis.Sample, "sketch") {
		t.Errorf("29,029 groups were taken for %+v", g)
	}
	hashed, err := c.SampleKeys(ctx, s)
	if err != nil || hashed.Whole || !strings.Contains(hashed.Words, "by hash") {
		t.Errorf("sample = %+v, %v", hashed, err)
	}
	// What a huge table would get, on this one: runs of young keys find the
	// versions that were just written.
	runs, err := c.sampleRuns(ctx, s, keyTuple(s), 2_520_000)
	if err != nil {
		t.Fatal(err)
	}
	h, _, cost, err := c.History(ctx, s, runs)
	if err != nil || h.Updates < 200 || h.Keys > sampleParts*runLength {
		t.Errorf("history of %s: %+v, %v", runs.Words, h, err)
	}
	if cost.ReadRows > 2_000_000 {
		t.Errorf("the primary key was not used: %d rows read", cost.ReadRows)
	}
	spread, err := c.spreadSample(ctx, s, 2_520_000)
	if err != nil {
		t.Fatal(err)
	}
	sheet := CostSheet{Candidate: Candidate{By: []string{"user"}}, SourceRows: 2_520_000}
	if err := c.groupSample(ctx, s, &sheet, "tuple(user)", spread); err != nil || sheet.Groups != 1000 {
		t.Errorf("1,000 users were taken for %d, %v", sheet.Groups, err)
	}
}

func TestScaleUpKeepsItsBounds(t *testing.T) {
	for _, f := range []struct{ seen, once, sampled, all, likely, low, high uint64 }{
		{100, 0, 1000, 100_000, 100, 100, 100},     // everything was seen again: there is no more
		{100, 100, 100, 10_000, 1000, 100, 10_000}, // all new: anything from 100 to all rows
		{0, 0, 0, 100, 0, 0, 0},                    // nothing was seen
		{50, 10, 100, 100, 50, 50, 50},             // the sample is the table
		{60, 20, 100, 400, 80, 60, 120},            // in between
	} {
		likely, low, high := scaleUp(f.seen, f.once, f.sampled, f.all)
		if likely != f.likely || low != f.low || high != f.high {
			t.Errorf("scaleUp(%+v) = %d in %d…%d", f, likely, low, high)
		}
	}
}
