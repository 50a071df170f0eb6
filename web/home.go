package web

import "time"

// Home is the first page: what is connected, what is saved, what is begun.
type Home struct {
	Clusters []ClusterCard
	Designs  []DesignRow
	Drafts   []DraftRow
}

// ClusterCard is a first look at one cluster.
type ClusterCard struct {
	Name, URL, Endpoint, Version string
	Trouble                      *Trouble // set when it could not be asked
	Databases                    int
	Tables, Views                uint64
	Bytes                        uint64
	Largest                      []TableRow
}

// TableRow is one table in a list.
type TableRow struct {
	Database, Name, URL string
	Engine, SortingKey  string
	Rows, Bytes         uint64
	Views               uint32
	Kind                string // what it is in the plumbing: "", "view" or "target"
}

// DesignRow is a saved design in a list.
type DesignRow struct {
	ID, Name, Cluster, Pattern, Proof string
	Newest                            int
	Updated                           time.Time
}

// DraftRow is a draft that can be taken up again.
type DraftRow struct {
	ID, Name, Source, Cluster string
	URL                       string
	Updated                   time.Time
}
