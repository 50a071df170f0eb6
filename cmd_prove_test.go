package main

import (
	"encoding/json"
	"testing"
)

func TestProveSaysYesWithCheckpoints(t *testing.T) {
	status, out, errs := rollsmith(t, "prove", saveDesign(t, `"auto"`, `"replacing"`), "--rounds", "4", "--seed", "7", "--json")
	if status != exitDone {
		t.Fatalf("status %d: %s%s", status, out, errs)
	}
	var r struct {
		OK             bool
		Pattern        string
		Rounds         int
		Checkpoints    []struct{ Mismatches int }
		Counterexample any
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if !r.OK || r.Pattern != "replacing" || r.Rounds != 4 || len(r.Checkpoints) < 4 || r.Counterexample != nil {
		t.Errorf("%+v", r)
	}
	for _, c := range r.Checkpoints {
		if c.Mismatches != 0 {
			t.Errorf("a checkpoint of a proof that holds has %d mismatches", c.Mismatches)
		}
	}
}

func TestProveRefusesWhatRecommendRefuses(t *testing.T) {
	for _, args := range [][]string{
		{"prove", saveDesign(t, `"auto"`, `"summing"`)},
		{"prove", saveDesign(t), "--rounds", "0"},
		{"prove", saveDesign(t), "--rows=-1"},
		{"prove", saveDesign(t, `"expr": "amount"`, `"expr": "rand()"`)},
	} {
		if status, out, errs := rollsmith(t, args...); status != exitInput || out != "" || errs == "" {
			t.Errorf("%v: status %d: %s%s", args, status, out, errs)
		}
	}
}
