package store

import (
	"context"
	"testing"
)

func TestABenchIsKeptBesideItsRevision(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s := open(t, dir)
	r := revision("")
	if err := s.Create(ctx, "n", "", r); err != nil {
		t.Fatal(err)
	}
	last := func(kind string, done bool) (Bench, bool) {
		t.Helper()
		b, found, err := s.LastBench(ctx, r.DesignID, 1, kind, done)
		if err != nil {
			t.Fatal(err)
		}
		return b, found
	}
	if _, found := last(Measured, false); found {
		t.Error("a revision without a bench has one")
	}
	if err := s.AddBench(ctx, &Bench{DesignID: r.DesignID, N: 2, Kind: Measured, State: Running, Request: []byte("{}")}); err == nil {
		t.Error("a bench of a revision that is not there was kept")
	}
	b := &Bench{DesignID: r.DesignID, N: 1, Kind: Measured, State: Running, Request: []byte(`{"seed":7}`)}
	if err := s.AddBench(ctx, b); err != nil {
		t.Fatal(err)
	}
	if _, found := last(Measured, true); found {
		t.Error("a bench that runs is done")
	}
	b.State, b.Result = Done, []byte(`{"rows":1}`)
	if err := s.EndBench(ctx, b); err != nil {
		t.Fatal(err)
	}
	if err := s.AddBench(ctx, &Bench{DesignID: r.DesignID, N: 1, Kind: Estimated, State: Done, Request: []byte("{}"), Result: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	got, found := last(Measured, true)
	if !found || got.ID != b.ID || string(got.Result) != `{"rows":1}` || string(got.Request) != `{"seed":7}` || got.Ended.IsZero() {
		t.Errorf("the bench that is done: %v %+v", found, got)
	}
	if err := s.AddBench(ctx, &Bench{DesignID: r.DesignID, N: 1, Kind: Measured, State: Running, Request: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	if err := s.InterruptBenches(ctx); err != nil {
		t.Fatal(err)
	}
	if got, _ := last(Measured, false); got.State != Interrupted {
		t.Errorf("a bench that was left behind is %s", got.State)
	}
	if got, _ := last(Measured, true); got.ID != b.ID {
		t.Error("a bench that was interrupted hides the one before it")
	}
	if got, found := last(Estimated, true); !found || got.State != Done {
		t.Errorf("the estimate: %v %+v", found, got)
	}
}
