package handlers

import (
	"slices"

	"github.com/rollsmith/rollsmith/cluster"
	"github.com/rollsmith/rollsmith/problem"
)

// Clusters are the clusters that serve was started with, by name. Their
// passwords are in memory only.
type Clusters struct {
	names  []string
	byName map[string]*cluster.Cluster
}

// NewClusters keeps the order in which they are given.
func NewClusters(all ...*cluster.Cluster) *Clusters {
	c := &Clusters{byName: map[string]*cluster.Cluster{}}
	for _, one := range all {
		c.names = append(c.names, one.Name())
		c.byName[one.Name()] = one
	}
	return c
}

// Get finds a cluster by its name.
func (c *Clusters) Get(name string) (*cluster.Cluster, error) {
	if one, ok := c.byName[name]; ok {
		return one, nil
	}
	return nil, &problem.Error{Kind: problem.NotFound, Code: "no-cluster", Value: name,
		Message: "This Rollsmith knows no cluster called " + name + ".",
		Hint:    "Clusters are named where it is started: rollsmith serve --cluster NAME=DSN"}
}

// All gives the clusters in the order in which they were named.
func (c *Clusters) All() []*cluster.Cluster {
	var all []*cluster.Cluster
	for _, name := range c.names {
		all = append(all, c.byName[name])
	}
	return all
}

// Has reports whether a cluster of that name is known.
func (c *Clusters) Has(name string) bool { return slices.Contains(c.names, name) }

// Close lets all connections go.
func (c *Clusters) Close() {
	for _, one := range c.byName {
		one.Close()
	}
}
