package handlers

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// form reads what was typed, trimmed.
type form struct{ r *http.Request }

func readForm(r *http.Request) (form, error) {
	if err := r.ParseForm(); err != nil {
		return form{}, fmt.Errorf("read the form: %w", err)
	}
	return form{r}, nil
}

// text gives one field on one line.
func (f form) text(name string) string {
	return strings.TrimSpace(strings.ReplaceAll(f.r.PostForm.Get(name), "\r\n", "\n"))
}

// lines gives the lines of a field that are not empty.
func (f form) lines(name string) []string {
	var all []string
	for _, line := range strings.Split(f.text(name), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

// number gives a count within bounds.
func (f form) number(name string, most int) int {
	n, err := strconv.Atoi(f.text(name))
	if err != nil || n < 0 {
		return 0
	}
	return min(n, most)
}

var rowButton = regexp.MustCompile(`^(remove|up)-(\d{1,4})$`)

// button says which submit button was pressed, and for which row.
func (f form) button() (name string, row int) {
	do := f.text("do")
	if m := rowButton.FindStringSubmatch(do); m != nil {
		row, _ = strconv.Atoi(m[2])
		return m[1], row
	}
	if do == "" {
		do = "continue"
	}
	return do, 0
}

// edit applies a row button to a list.
func edit[T any](rows []T, button string, row int) []T {
	var none T
	switch {
	case button == "add":
		return append(rows, none)
	case button == "remove" && row < len(rows):
		return append(rows[:row:row], rows[row+1:]...)
	case button == "up" && row > 0 && row < len(rows):
		rows[row-1], rows[row] = rows[row], rows[row-1]
	}
	return rows
}
