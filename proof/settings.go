package proof

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// settings are what a session brings along that the answer must not depend on.
type settings map[string]any

// readerChoices are settings of a person who reads: each may change what a query
// without care answers.
var readerChoices = map[string][]any{
	"join_use_nulls":                              {0, 1},
	"aggregate_functions_null_for_empty":          {0, 1},
	"prefer_column_name_to_alias":                 {0, 1},
	"do_not_merge_across_partitions_select_final": {0, 1},
	"final":                              {0, 1},
	"group_by_use_nulls":                 {0, 1},
	"transform_null_in":                  {0, 1},
	"cast_keep_nullable":                 {0, 1},
	"optimize_move_to_prewhere_if_final": {0, 1},
	"optimize_use_projections":           {0, 1},
	"count_distinct_implementation":      {"uniqExact", "uniq"},
	"max_threads":                        {1, 3},
	"max_block_size":                     {1, 65409},
	"session_timezone":                   {"", "Asia/Kathmandu", "America/New_York", "Pacific/Kiritimati"},
}

// writerChoices are settings of whoever inserts, under which the views run.
var writerChoices = map[string][]any{
	"aggregate_functions_null_for_empty": {0, 1},
	"join_use_nulls":                     {0, 1},
	"prefer_column_name_to_alias":        {0, 1},
	"cast_keep_nullable":                 {0, 1},
	"transform_null_in":                  {0, 1},
	"optimize_on_insert":                 {0, 1},
	"parallel_view_processing":           {0, 1},
	"max_insert_block_size":              {3, 1048449, 1048449, 1048449},
	"session_timezone":                   {"", "Asia/Kathmandu", "America/New_York", "Pacific/Kiritimati"},
}

// choose takes most of the settings at their plain value and some at a hostile one.
func choose(rng *rand.Rand, from map[string][]any) settings {
	names := make([]string, 0, len(from))
	for name := range from {
		names = append(names, name)
	}
	sort.Strings(names)
	out := settings{}
	hostile := rng.IntN(3) // a third of the rounds has none
	for _, name := range names {
		if v := from[name][rng.IntN(len(from[name]))]; rng.IntN(3) < hostile {
			out[name] = v
		}
	}
	return out
}

// on gives a context under which statements run with the settings.
func (s settings) on(ctx context.Context, more settings) context.Context {
	// One thread is enough for a handful of rows, and leaves room for other rounds.
	all := clickhouse.Settings{"async_insert": 0, "insert_deduplicate": 1, "max_threads": 1, "optimize_throw_if_noop": 0}
	for k, v := range s {
		all[k] = v
	}
	for k, v := range more {
		all[k] = v
	}
	return clickhouse.Context(ctx, clickhouse.WithSettings(all))
}

// String names the settings in a story.
func (s settings) String() string {
	var parts []string
	for k, v := range s {
		parts = append(parts, k+" = "+strings.TrimSpace(quoteAny(v)))
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}

func quoteAny(v any) string {
	if s, ok := v.(string); ok {
		return quote(s)
	}
	return fmt.Sprint(v)
}
