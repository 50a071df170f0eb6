package cluster

import "strings"

// Engine is a table engine with its arguments, told apart from how the table is
// replicated.
type Engine struct {
	Name    string   `json:"name"`              // ReplacingMergeTree, Distributed, …
	Wrapper string   `json:"wrapper,omitempty"` // Replicated or Shared: where the rows live, not how they merge
	Args    []string `json:"args,omitempty"`    // SQL, without the replication path and replica
}

// ParseEngine reads system.tables.engine_full, or the engine clause of a
// CREATE statement.
func ParseEngine(full string) Engine {
	words := scanWords(full, 2)
	if len(words) == 0 {
		return Engine{}
	}
	e := Engine{Name: words[0].text}
	if len(words) == 2 && words[1].text == "(" && !words[1].quoted {
		e.Args = splitTop(bracketed(full, words[1].start))
	}
	for _, wrapper := range []string{"Replicated", "Shared"} {
		base, wrapped := strings.CutPrefix(e.Name, wrapper)
		if !wrapped || !strings.HasSuffix(base, "MergeTree") {
			continue
		}
		e.Name, e.Wrapper = base, wrapper
		if len(e.Args) >= 2 && strings.HasPrefix(e.Args[0], "'") && strings.HasPrefix(e.Args[1], "'") {
			e.Args = e.Args[2:]
		}
		break
	}
	if len(e.Args) == 0 {
		e.Args = nil
	}
	return e
}

// String is the engine as a design document writes it:
// "ReplacingMergeTree(_version, _is_deleted)".
func (e Engine) String() string {
	if len(e.Args) == 0 {
		return e.Name
	}
	return e.Name + "(" + strings.Join(e.Args, ", ") + ")"
}

// Column gives the column that argument i names, or nothing.
func (e Engine) Column(i int) string {
	if i >= len(e.Args) {
		return ""
	}
	return columnName(e.Args[i])
}

// Text gives argument i as the name or string it stands for.
func (e Engine) Text(i int) string {
	if i >= len(e.Args) {
		return ""
	}
	if words := scanWords(e.Args[i], 2); len(words) == 1 {
		return words[0].text
	}
	return ""
}

// MergeTree says whether the table stores parts of its own that merge.
func (e Engine) MergeTree() bool { return strings.HasSuffix(e.Name, "MergeTree") }

// columnName gives the name, where an expression is nothing but a name.
func columnName(expr string) string {
	words := scanWords(expr, 2)
	if len(words) != 1 || strings.HasPrefix(strings.TrimSpace(expr), "'") {
		return ""
	}
	return words[0].text
}

// clause cuts one clause ("TTL", "SETTINGS") out of engine_full, up to the next
// of the clauses that may follow it.
func clause(full, name string) string {
	depth, from := 0, -1
	for _, w := range scanWords(full, 10_000) {
		switch {
		case w.quoted:
		case w.text == "(":
			depth++
		case w.text == ")":
			depth--
		case depth > 0:
		case from >= 0 && (w.text == "SETTINGS" || w.text == "COMMENT"):
			return strings.TrimSpace(full[from:w.start])
		case from < 0 && w.text == name:
			from = w.end
		}
	}
	if from < 0 {
		return ""
	}
	return strings.TrimSpace(full[from:])
}
