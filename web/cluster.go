package web

import (
	"net/url"
	"strconv"
)

// Cluster is the page of one cluster.
type Cluster struct {
	Name, URL, Endpoint string
	Notes               []string
	Facts               []Fact // connection, version, who keeps the limits
	Steps               []CheckStep
	Missing             []string
	Rights              []Right  // what may and may not be read
	Fix                 string   // statements that would grant what is missing
	Trouble             *Trouble // set when the cluster could not be asked
	List                TableList
	Views               []ViewRow
	ViewsFound          uint64
	ViewsTrouble        *Trouble
}

// CheckStep is one thing that has to work before a cluster can be looked at.
type CheckStep struct {
	Name, Text, Fix, Took string
	OK                    bool
}

// Fact is a term and what is known of it.
type Fact struct {
	Term, Text string
	Code       bool
}

// Right is something that the account may or may not do.
type Right struct {
	Can        bool
	What, Lost string // lost: what does not work without it
}

// TableList is a searched page of tables.
type TableList struct {
	Base      string // the page's address
	Text      string
	Database  string
	Engine    string
	Sort      string
	Databases []string
	Engines   []string
	Rows      []TableRow
	Found     uint64
	Page      int // from 0
	Pages     int
	Took      string
	Missing   []string
	Trouble   *Trouble
}

// URL is the list's address with one thing changed.
func (l TableList) URL(sort string, page int) string {
	q := url.Values{}
	for key, value := range map[string]string{"q": l.Text, "db": l.Database, "engine": l.Engine} {
		if value != "" {
			q.Set(key, value)
		}
	}
	if sort != "" && sort != "name" {
		q.Set("sort", sort)
	}
	if page > 0 {
		q.Set("page", strconv.Itoa(page+1))
	}
	if len(q) == 0 {
		return l.Base
	}
	return l.Base + "?" + q.Encode()
}

func (l TableList) sorts() *SortLinks {
	return &SortLinks{Sort: l.Sort, URL: func(sort string) string { return l.URL(sort, 0) }}
}

// ViewRow is a materialized view that exists.
type ViewRow struct {
	Name, URL          string
	Source, SourceURL  string
	Target, TargetURL  string
	Inner, Refreshable bool
	Select             string
}
