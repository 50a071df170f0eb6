package designer

import "fmt"

// SmallSource is the number of rows below which no rollup is worth its upkeep:
// at the hundred million rows a second that published benchmarks read on a
// server, and a tenth of that where versions are merged while reading, a question
// asked of the source itself takes half a second.
const SmallSource = 5_000_000

// PoorReduction is the number of source rows for each row of the answer below
// which a rollup reads about as much as the source does: a state weighs several
// times what a plain column does, and until merges have run there are several
// rows to each group.
const PoorReduction = 4

// Size is what is known of a source and of the answer; zero where nothing is.
type Size struct {
	Rows   uint64 // of the source
	Groups uint64 // of the answer
}

// NotWorth gives the reason not to build a rollup, or nil where one is worth it
// or nothing is known against it. It is advice: a small source can grow, and a
// design may be made for what is to come.
func NotWorth(s Size) *Reason {
	switch {
	case s.Rows == 0:
		return nil
	case s.Rows < SmallSource:
		return &Reason{"do-not-build", fmt.Sprintf("The source has %s, and reading fewer than %d million of them directly takes a fraction of a second: a rollup would be one more thing that can be wrong. Ask the source itself.", rowsInWords(s.Rows), SmallSource/1_000_000)}
	case s.Groups > 0 && s.Rows < PoorReduction*s.Groups:
		return &Reason{"do-not-build", fmt.Sprintf("There would be a row of the rollup for every %.1f rows of the source, and below %d it reads about as much as the source does. Ask the source itself, or choose a coarser grain.", float64(s.Rows)/float64(s.Groups), PoorReduction)}
	}
	return nil
}

func rowsInWords(n uint64) string {
	switch {
	case n == 1:
		return "one row"
	case n >= 1_000_000:
		return fmt.Sprintf("%.1f million rows", float64(n)/1e6)
	}
	return fmt.Sprintf("%d rows", n)
}
