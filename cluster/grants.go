package cluster

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/rollsmith/rollsmith/problem"
)

// Ability is one thing this account may do or not, and what depends on it.
type Ability struct {
	Name  string `json:"name"`
	OK    bool   `json:"ok"`
	Costs string `json:"costs"`           // what is lost without it
	Grant string `json:"grant,omitempty"` // what an administrator would run
	Why   string `json:"why,omitempty"`   // what the server said, where it is not a missing grant
}

// abilities lists what a look at a cluster lives on, the most needed first.
var abilities = []struct{ name, table, costs string }{
	{"list tables", "system.tables", "nothing can be shown"},
	{"read columns", "system.columns", "no table page"},
	{"part sizes", "system.parts", "no sizes by partition, and huge tables are sampled less well"},
	{"running queries", "system.processes", "a query that was left cannot be killed over HTTP"},
	{"merges", "system.merges", "running merges are not shown"},
	{"skip indexes", "system.data_skipping_indices", "skip indexes are not shown"},
	{"projections", "system.projections", "projections are not shown"},
	{"row policies", "system.row_policies", "hidden rows cannot be told of"},
	{"insert log", "system.part_log", "rows per block are estimated from parts"},
	{"query log", "system.query_log", "no suggestions from real queries"},
	{"view log", "system.query_views_log", "failing views are not found"},
	{"refreshes", "system.view_refreshes", "the state of refreshable views is not shown"},
	{"clusters", "system.clusters", "Distributed tables cannot be followed to their shards"},
}

// Abilities tries what this account may read. With a table, it tries that one's
// rows too.
func (c *Cluster) Abilities(ctx context.Context, database, table string) []Ability {
	list := make([]Ability, len(abilities), len(abilities)+1)
	var wait sync.WaitGroup
	try := func(a *Ability, name, from string) {
		defer wait.Done()
		_, err := c.Each(ctx, Ask{For: "abilities", SQL: "SELECT 1 FROM " + from + " LIMIT 0"}, func(Scanner) error { return nil })
		if a.OK = err == nil; err == nil {
			return
		}
		switch p, _ := problem.As(err); {
		case p != nil && p.Code == "grant":
			a.Grant = "GRANT SELECT ON " + from + " TO <this user>;"
		case p != nil && p.Code == "table":
			a.Why = "This server does not keep it."
		default:
			a.Why = tell(name, err)
		}
	}
	for i, ability := range abilities {
		list[i] = Ability{Name: ability.name, Costs: ability.costs}
		wait.Add(1)
		go try(&list[i], ability.name, ability.table)
	}
	if table != "" {
		list = append(list, Ability{Name: "read " + dotted(database, table), Costs: "nothing can be measured or explained on it"})
		wait.Add(1)
		go try(&list[len(list)-1], "rows", tableName(database, table))
	}
	wait.Wait()
	return list
}

// Grants writes the statements for an account that may do what is needed here
// and nothing else. Databases are those it should see; empty means all. The
// password is left to the administrator.
func Grants(user string, databases ...string) string {
	if user == "" {
		user = "rollsmith_reader"
	}
	u := ident(user)
	var b strings.Builder
	fmt.Fprintf(&b, `CREATE SETTINGS PROFILE IF NOT EXISTS rollsmith_ro SETTINGS
    readonly = 1,
    max_execution_time = 60 MAX 120 CHANGEABLE_IN_READONLY,
    max_memory_usage = 2000000000 MAX 4000000000 CHANGEABLE_IN_READONLY,
    max_rows_to_read = 2000000000 CHANGEABLE_IN_READONLY,
    max_bytes_to_read = 200000000000 CHANGEABLE_IN_READONLY,
    max_result_rows = 10000 CHANGEABLE_IN_READONLY,
    max_threads = 2 CHANGEABLE_IN_READONLY,
    log_comment = '' CHANGEABLE_IN_READONLY,
    cancel_http_readonly_queries_on_client_close = 1;
CREATE USER IF NOT EXISTS %s IDENTIFIED WITH sha256_password BY '<choose a password>' SETTINGS PROFILE 'rollsmith_ro';
`, u)
	if len(databases) == 0 {
		fmt.Fprintf(&b, "GRANT SHOW DATABASES, SHOW TABLES, SHOW COLUMNS, SELECT ON *.* TO %s;\n", u)
	}
	for _, db := range databases {
		fmt.Fprintf(&b, "GRANT SHOW TABLES, SHOW COLUMNS ON %s.* TO %s; -- lists and definitions\n", ident(db), u)
		fmt.Fprintf(&b, "GRANT SELECT ON %s.* TO %s;                    -- probes and plans (name tables instead to allow less)\n", ident(db), u)
	}
	if len(databases) == 0 {
		return b.String()
	}
	for _, a := range abilities[2:] {
		fmt.Fprintf(&b, "GRANT SELECT ON %s TO %s; -- without it: %s\n", a.table, u, a.costs)
	}
	return b.String()
}
