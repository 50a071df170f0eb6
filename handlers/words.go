package handlers

import (
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
