package handlers

import (
	"context"
	"sync"

	"github.com/rollsmith/rollsmith/sandbox"
)

// Sandbox starts one engine when it is first needed, and another if that one
// has died.
type Sandbox struct {
	base   context.Context
	mu     sync.Mutex
	engine *sandbox.Engine
}

// NewSandbox gives a sandbox that lives as long as ctx.
func NewSandbox(ctx context.Context) *Sandbox { return &Sandbox{base: ctx} }

// Engine gives the running engine.
func (s *Sandbox) Engine() (*sandbox.Engine, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.engine != nil && s.engine.Err() == nil {
		return s.engine, nil
	}
	if s.engine != nil {
		s.engine.Close()
		s.engine = nil
	}
	engine, err := sandbox.Start(s.base, sandbox.Options{})
	if err != nil {
		return nil, err
	}
	s.engine = engine
	return engine, nil
}

// Version is the running engine's, or empty.
func (s *Sandbox) Version() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.engine == nil || s.engine.Err() != nil {
		return ""
	}
	return s.engine.Version()
}

// Close ends the engine.
func (s *Sandbox) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.engine != nil {
		s.engine.Close()
	}
}
