package hazard

import "strconv"

// window tells whether the table drops repeated inserts.
func (t *Table) window() bool {
	if t == nil {
		return false
	}
	for _, name := range []string{"non_replicated_deduplication_window", "replicated_deduplication_window"} {
		if n, err := strconv.Atoi(t.setting(name)); err == nil && (name[0] == 'n') != t.Engine.Replicated {
			return n > 0
		}
	}
	return t.Engine.Replicated
}

func (t *Table) windowText() string {
	if t.Engine.Replicated {
		return "the window of " + t.Engine.Name
	}
	return "non_replicated_deduplication_window = " + t.setting("non_replicated_deduplication_window")
}

func (t *Table) isMergeTree() bool {
	if t == nil {
		return false
	}
	k := t.Engine.Kind
	return len(k) >= 9 && k[len(k)-9:] == "MergeTree"
}

// stores tells whether the table keeps rows where a window would matter.
func (t *Table) stores() bool { return t.isMergeTree() }

// repeatsHarmless tells whether the same block a second time changes nothing in
// the target: rows replace each other there, or every state absorbs repeats.
func (v *View) repeatsHarmless() bool {
	if v.mirror() {
		return v.target.is("ReplacingMergeTree", "CoalescingMergeTree")
	}
	if len(v.aggs()) == 0 {
		return !v.target.neverMerges()
	}
	return len(v.adding()) == 0 && !v.target.neverMerges()
}
