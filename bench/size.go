package bench

import (
	"fmt"
	"time"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/problem"
)

// MostRows bounds what one bench generates: five million rows load and read
// within minutes on two cores and a few gigabytes.
const MostRows = 5_000_000

// Size says how much is generated.
type Size struct {
	Entities int    `json:"entities"` // logical rows
	Versions int    `json:"versions"` // of an entity, on average; copies where rows are only repeated
	Groups   int    `json:"groups"`   // answer rows aimed at
	Seed     uint64 `json:"seed"`
}

// DefaultSize is what a bench begins with: seconds, not minutes.
func DefaultSize(feed designer.Feed) Size {
	s := Size{Entities: 200_000, Versions: 3, Groups: 500, Seed: 1}
	switch feed {
	case designer.Append:
		s.Entities, s.Versions = 500_000, 1
	case designer.AtLeastOnce:
		s.Versions = 2
	}
	return s
}

// Rows is about how many rows the source gets: every version, and for feeds
// that take values back, the row that does.
func (s Size) Rows(feed designer.Feed) int {
	switch feed {
	case designer.Append:
		return s.Entities
	case designer.Ledger, designer.Collapsing, designer.VersionedCollapsing:
		return s.Entities*(2*s.Versions-1) + s.Entities/gone
	case designer.Upsert:
		return s.Entities*s.Versions + s.Entities/gone
	}
	return s.Entities * s.Versions
}

// Check refuses a size that makes no bench, by the field of the form.
func (s Size) Check(feed designer.Feed) error {
	field := func(name string, n int, message, hint string) error {
		return problem.Field("bench-size", name, fmt.Sprint(n), message, hint)
	}
	switch {
	case s.Entities < 1000 || s.Entities > MostRows:
		return field("entities", s.Entities, "entities must be between 1000 and 5000000", "200000 takes seconds")
	case s.Versions < 1 || s.Versions > 50:
		return field("versions", s.Versions, "versions must be between 1 and 50", "3 is common for rows that change")
	case s.Groups < 1 || s.Groups > s.Entities:
		return field("groups", s.Groups, "groups must be between 1 and the number of entities", "one group for each row of the answer")
	case s.Rows(feed) > MostRows:
		return field("entities", s.Entities, fmt.Sprintf("that makes %d rows, and a bench takes %d at most", s.Rows(feed), MostRows), "fewer entities, or fewer versions of each")
	}
	return nil
}

// Limits bound a bench, so that it ends whatever was asked of it.
type Limits struct {
	Query  time.Duration // of one statement
	Total  time.Duration
	Memory int64 // bytes of one statement
	Runs   int   // of each read, of which the median counts
}

// DefaultLimits leave a laptop usable.
var DefaultLimits = Limits{Query: time.Minute, Total: 10 * time.Minute, Memory: 2 << 30, Runs: 3}

// Threads is how many threads each statement may use: with more, figures of two
// machines could not be compared.
const Threads = 2

// batches is how many inserts bring the rows in.
const batches = 10

// merged is how many of them are merged before the rest arrives: a table in use
// has old parts that are merged and young ones that are not.
const merged = 6

// gone is that one entity in so many is deleted.
const gone = 20
