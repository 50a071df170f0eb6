package bench

import "time"

// Figure is one published measurement of a way of reading.
type Figure struct {
	ID    string // of the candidate it stands for
	Title string
	Took  time.Duration
	Bytes int64 // of memory
}

// PublishedOn says what the published figures were measured on, and by whom.
const (
	PublishedOn     = "40 million rows with 10 million keys"
	PublishedSource = "Altinity's benchmarks, as the article on ReplacingMergeTree in the series ClickHouse Deep Dive quotes them"
)

// Published are figures of others, to hold ours against: another machine,
// another table, another day.
var Published = []Figure{
	{"final", "FINAL", 2300 * time.Millisecond, 834 << 20},
	{"in", "IN (subquery of the latest versions)", 4100 * time.Millisecond, 924 << 20},
	{"argmax", "argMax", 9700 * time.Millisecond, 866 << 20},
	{"limit_by", "LIMIT 1 BY", 14500 * time.Millisecond, 8591 << 20},
}

// PublishedGain is how much faster FINAL was said to be partition by partition.
const PublishedGain = 7
