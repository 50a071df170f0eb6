package handlers

import (
	"net/http"

	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/web"
)

// showHandbook lists the pages.
func (h *Handlers) showHandbook(w http.ResponseWriter, r *http.Request) error {
	h.render(w, r, http.StatusOK, web.HandbookIndex(web.Handbook()))
	return nil
}

// showHandbookPage shows one page.
func (h *Handlers) showHandbookPage(w http.ResponseWriter, r *http.Request) error {
	page, ok := web.HandbookPageOf(param(r, "page"))
	if !ok {
		return &problem.Error{Kind: problem.NotFound, Code: "no-page", Message: "The handbook has no such page.", Hint: "Its list of pages is under /handbook/."}
	}
	h.render(w, r, http.StatusOK, web.HandbookPage(page))
	return nil
}
