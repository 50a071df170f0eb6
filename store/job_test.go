package store

import (
	"context"
	"testing"

	"github.com/rollsmith/rollsmith/problem"
)

func TestAJobEndsWithItsProofOrNotAtAll(t *testing.T) {
	ctx, s := context.Background(), open(t, t.TempDir())
	r := revision("")
	if err := s.Create(ctx, "n", "", r); err != nil {
		t.Fatal(err)
	}
	j := &Job{Kind: Prove, DesignID: r.DesignID, N: 1, Document: r.Document, Seed: 7, Rounds: 30, Rows: 24}
	if err := s.AddJob(ctx, j); err != nil {
		t.Fatal(err)
	}
	if err := s.StartJob(ctx, j); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Job(ctx, j.ID); err != nil || got.State != Running || got.Over() || got.Seed != 7 || got.Started.IsZero() {
		t.Fatalf("running job: %+v, %v", got, err)
	}
	j.State = Done
	if err := s.EndJob(ctx, j, &Proof{DesignID: r.DesignID, N: 9, State: Proven, Result: []byte("{}")}); err == nil {
		t.Fatal("a proof of a revision that is not there was kept")
	}
	if got, err := s.Job(ctx, j.ID); err != nil || got.Over() {
		t.Errorf("the job ended although its proof was refused: %+v, %v", got, err)
	}
	if err := s.EndJob(ctx, j, &Proof{DesignID: r.DesignID, N: 1, State: Proven, Engine: "26.7", Rounds: 30, Result: []byte(`{"ok":true}`)}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Job(ctx, j.ID)
	if err != nil || got.State != Done || got.ProofID == 0 || got.Ended.IsZero() {
		t.Fatalf("ended job: %+v, %v", got, err)
	}
	if p, err := s.Proof(ctx, got.ProofID); err != nil || p.State != Proven || p.N != 1 || string(p.Result) != `{"ok":true}` {
		t.Errorf("its proof: %+v, %v", p, err)
	}
}

func TestJobsLeftBehindAreInterrupted(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s := open(t, dir)
	ended := map[string]string{}
	for _, state := range []string{Queued, Running, Done} {
		j := &Job{Kind: WhyNot, Draft: NewID(), Document: []byte("{}"), Pattern: "summing", Rounds: 1}
		if err := s.AddJob(ctx, j); err != nil {
			t.Fatal(err)
		}
		switch state {
		case Running:
			if err := s.StartJob(ctx, j); err != nil {
				t.Fatal(err)
			}
		case Done:
			j.State = Done
			if err := s.EndJob(ctx, j, nil); err != nil {
				t.Fatal(err)
			}
		}
		ended[j.ID] = state
	}
	s.Close()
	s = open(t, dir)
	if err := s.InterruptJobs(ctx); err != nil {
		t.Fatal(err)
	}
	for id, was := range ended {
		want := Interrupted
		if was == Done {
			want = Done
		}
		if got, err := s.Job(ctx, id); err != nil || got.State != want || got.Ended.IsZero() {
			t.Errorf("%s became %s, want %s (%v)", was, got.State, want, err)
		}
	}
	if _, err := s.Job(ctx, "nothing"); kindOf(err) != problem.NotFound {
		t.Errorf("a job that is not there: %v", err)
	}
}
