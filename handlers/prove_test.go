package handlers_test

import (
	"strings"
	"testing"
)

func TestAProofRunsIsShownAndIsKept(t *testing.T) {
	s := open(t)
	design := s.walk(walks[0])
	to := s.post(design+"/r/1/proof", "seed", "7")
	if to != design+"/r/1/proof" {
		t.Fatalf("it leads to %s", to)
	}
	s.get(to)
	stream := s.do("GET", to+"/events", nil)
	if stream.header.Get("Content-Type") != "text/event-stream" || !strings.HasSuffix(stream.body, "event: done\ndata: done\n\n") || strings.Contains(stream.body, " hx-") {
		t.Errorf("the stream: %v %s", stream.header, clip(stream.body))
	}
	page := s.get(to)
	for _, want := range []string{"✓ proven", "seed 7", "answers wrongly"} {
		if !strings.Contains(text(page), want) {
			t.Errorf("the proof's page lacks %q:\n%s", want, clip(text(page)))
		}
	}
	if !strings.Contains(s.get(design), "✓ proven") || !strings.Contains(s.get("/"), "✓ proven") {
		t.Error("the design does not say that it is proven")
	}
}

func TestAProofThatIsStoppedProvesNothing(t *testing.T) {
	s := open(t)
	design := s.walk(walks[0])
	s.post(design + "/r/1/proof")
	page := s.get(s.post(design+"/r/1/proof", "do", "cancel"))
	if strings.Contains(page, "✓ proven") || !strings.Contains(page, "? not proven") {
		t.Errorf("it says\n%s", clip(text(page)))
	}
}

func TestARejectedPatternIsShownToFail(t *testing.T) {
	s := open(t)
	design := s.walk(walks[0])
	page := s.get(design + "/r/1/why-not/aggregating")
	for _, want := range []string{"What arrived at the source", "The rollup says", "The truth is"} {
		if !strings.Contains(text(page), want) {
			t.Errorf("it lacks %q:\n%s", want, clip(text(page)))
		}
	}
}
