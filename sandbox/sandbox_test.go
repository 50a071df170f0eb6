package sandbox

import (
	"context"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	Child()
	os.Exit(m.Run())
}

func start(t *testing.T, o Options) *Engine {
	t.Helper()
	e, err := Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func TestEngineAnswers(t *testing.T) {
	e := start(t, Options{})
	var zone string
	if err := e.Conn().QueryRow(context.Background(), "SELECT timezone()").Scan(&zone); err != nil {
		t.Fatal(err)
	}
	if zone != "UTC" {
		t.Errorf("zone = %q", zone)
	}
	t.Log(e.Version(), e.DSN(), e.HTTPPort())
}
