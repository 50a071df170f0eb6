package handlers

import (
	"maps"
	"slices"

	"github.com/rollsmith/rollsmith/designer/pattern"
)

func patternTitle(id string) string {
	if p := pattern.Find(id); p != nil {
		return p.Title
	}
	return id
}

func shownPrice(id string) string {
	if p := pattern.Find(id); p != nil {
		return p.Price
	}
	return ""
}

// sortedKeys gives a row's columns in one order.
func sortedKeys(row map[string]string) []string {
	return slices.Sorted(maps.Keys(row))
}
