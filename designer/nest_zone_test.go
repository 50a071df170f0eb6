package designer

import "testing"

// Go's own rules for the years after a zone file ends do not always move on:
// reading a zone must end all the same.
func TestParseZoneEnds(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC"} {
		z, err := ParseZone(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(z.offsets); n == 0 || n > 100_000 {
			t.Errorf("%s: %d offsets", name, n)
		}
	}
}
