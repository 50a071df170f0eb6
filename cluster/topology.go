package cluster

import "context"

// Topology is how the servers around this one are arranged.
type Topology struct {
	Clusters []Group           `json:"clusters,omitempty"`
	Macros   map[string]string `json:"macros,omitempty"`
	Settings map[string]string `json:"settings,omitempty"` // those that change what a rollup answers
}

// Group is one entry of system.clusters.
type Group struct {
	Name     string   `ch:"name" json:"name"`
	Shards   uint32   `ch:"shards" json:"shards"`
	Replicas uint32   `ch:"replicas" json:"replicas"` // over all shards
	Hosts    []string `ch:"hosts" json:"hosts"`
	Local    bool     `ch:"local" json:"local"` // this server is in it
}

// Topology reads clusters, macros and the settings that matter to rollups.
func (c *Cluster) Topology(ctx context.Context) (Topology, []string) {
	type answer struct {
		topology Topology
		missing  []string
	}
	a, _ := remember(&c.cache, "topology", func() (answer, error) {
		t, missing := c.topology(ctx)
		return answer{t, missing}, nil
	})
	return a.topology, a.missing
}

func (c *Cluster) topology(ctx context.Context) (Topology, []string) {
	t := Topology{Macros: map[string]string{}, Settings: map[string]string{}}
	var missing []string
	note := func(what string, err error) {
		if err != nil {
			missing = append(missing, tell(what, err))
		}
	}
	pairs := func(name string, to map[string]string) error {
		_, err := c.Each(ctx, Ask{For: "cluster page", SQL: query(name)}, func(row Scanner) error {
			var key, value string
			if err := row.Scan(&key, &value); err != nil {
				return err
			}
			to[key] = value
			return nil
		})
		return err
	}
	var err error
	t.Clusters, _, err = Rows[Group](ctx, c, Ask{For: "cluster page", SQL: query("topology")})
	note("the clusters (system.clusters)", err)
	note("the macros (system.macros)", pairs("macros", t.Macros))
	note("the settings", pairs("server_settings", t.Settings))
	return t, missing
}

// Server says who answers: version, uptime, user.
func (c *Cluster) Server(ctx context.Context) (Server, error) {
	return remember(&c.cache, "server", func() (Server, error) {
		found, _, err := Rows[Server](ctx, c, Ask{For: "cluster page", SQL: query("server")})
		if err != nil {
			return Server{}, err
		}
		return found[0], nil
	})
}
