package cluster

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Profile is what can be known about one table without reading its rows.
// The facts about storage are those of Storage, the table that holds the rows:
// behind a Distributed table its local one, behind a view its target.
type Profile struct {
	Database string    `json:"database"`
	Table    string    `json:"table"`
	Engine   Engine    `json:"engine"` // of the table that was asked for
	Create   string    `json:"create"`
	Comment  string    `json:"comment,omitempty"`
	Modified time.Time `json:"modified"`
	ReadAt   time.Time `json:"read_at"`

	Hops    []Hop  `json:"hops,omitempty"`    // from the asked table to Storage
	Storage string `json:"storage,omitempty"` // database.table
	Cluster string `json:"cluster,omitempty"` // of a Distributed table
	// ShardingKey is the Distributed table's expression; merges never cross shards.
	ShardingKey string `json:"sharding_key,omitempty"`

	StorageEngine Engine   `json:"storage_engine"`
	SortingKey    []string `json:"sorting_key,omitempty"`
	PrimaryKey    []string `json:"primary_key,omitempty"`
	PartitionKey  string   `json:"partition_key,omitempty"`
	SamplingKey   string   `json:"sampling_key,omitempty"`
	TTL           string   `json:"ttl,omitempty"`
	Settings      string   `json:"settings,omitempty"`
	Policy        string   `json:"storage_policy,omitempty"`

	Columns     []Column     `json:"columns"`
	Rows        uint64       `json:"rows"`
	Bytes       uint64       `json:"bytes"` // on disk
	Parts       PartTotals   `json:"parts"`
	Partitions  []Partition  `json:"partitions,omitempty"` // the newest 200
	Merges      Merges       `json:"merges"`
	Indexes     []Index      `json:"indexes,omitempty"`
	Projections []Projection `json:"projections,omitempty"`
	Policies    []RowPolicy  `json:"row_policies,omitempty"`
	Inserts     Inserts      `json:"inserts"`
	Lineage     Lineage      `json:"lineage"`
	Missing     []string     `json:"missing,omitempty"` // what could not be learned, and why

	storageDatabase, storageTable string
}

// Hop is one step from a table to the one behind it.
type Hop struct {
	Database string `json:"database"`
	Table    string `json:"table"`
	Engine   string `json:"engine"`
	Why      string `json:"why"` // in words
}

// tableRow is a row of query/table.sql.
type tableRow struct {
	Database string    `ch:"database"`
	Name     string    `ch:"name"`
	Engine   string    `ch:"engine"`
	Full     string    `ch:"engine_full"`
	UUID     string    `ch:"uuid"`
	Create   string    `ch:"create_query"`
	Select   string    `ch:"as_select"`
	Sorting  string    `ch:"sorting_key"`
	Primary  string    `ch:"primary_key"`
	Part     string    `ch:"partition_key"`
	Sampling string    `ch:"sampling_key"`
	Comment  string    `ch:"comment"`
	Policy   string    `ch:"storage_policy"`
	Rows     uint64    `ch:"rows"`
	Bytes    uint64    `ch:"bytes"`
	Modified time.Time `ch:"modified"`
}

func (r tableRow) engine() Engine {
	if r.Full == "" {
		return Engine{Name: r.Engine}
	}
	return ParseEngine(r.Full)
}

// TableProfile looks at one table. It fails only if the table itself cannot be
// seen; everything else that is forbidden or absent goes to Missing. Callers
// share what it gives and must not change it.
func (c *Cluster) TableProfile(ctx context.Context, database, table string) (*Profile, error) {
	return remember(&c.cache, "profile "+database+"\x00"+table, func() (*Profile, error) {
		row, err := c.tableRow(ctx, database, table)
		if err != nil {
			return nil, err
		}
		p := &Profile{Database: database, Table: table, Engine: row.engine(), Create: row.Create, Comment: row.Comment, Modified: row.Modified, ReadAt: time.Now()}
		storage := c.follow(ctx, p, row)
		p.fill(storage)
		c.fillApart(ctx, p)
		return p, nil
	})
}

func (c *Cluster) tableRow(ctx context.Context, database, table string) (tableRow, error) {
	found, _, err := Rows[tableRow](ctx, c, Ask{For: "table page", SQL: query("table"), Params: map[string]any{"database": database, "table": table}})
	if err == nil && len(found) == 0 {
		err = noTable(database, table)
	}
	if err != nil {
		return tableRow{}, err
	}
	return found[0], nil
}

// fill takes over what the row of the storing table says.
func (p *Profile) fill(storage tableRow) {
	p.storageDatabase, p.storageTable = storage.Database, storage.Name
	p.Storage = dotted(storage.Database, storage.Name)
	p.StorageEngine = storage.engine()
	p.SortingKey, p.PrimaryKey = splitTop(storage.Sorting), splitTop(storage.Primary)
	p.PartitionKey, p.SamplingKey = storage.Part, storage.Sampling
	p.TTL, p.Settings = clause(storage.Full, "TTL"), clause(storage.Full, "SETTINGS")
	p.Policy, p.Rows, p.Bytes = storage.Policy, storage.Rows, storage.Bytes
}

// fillApart asks for everything that may be missing, side by side, each within
// a page's bounds.
func (c *Cluster) fillApart(ctx context.Context, p *Profile) {
	at := map[string]any{"database": p.storageDatabase, "table": p.storageTable}
	parts := []struct {
		what string
		fill func() error
	}{
		{"the columns", func() (err error) { p.Columns, err = c.Columns(ctx, p.storageDatabase, p.storageTable); return err }},
		{"sizes by partition (system.parts)", func() error { return c.fillPartitions(ctx, p, at) }},
		{"running merges (system.merges)", func() error { return one(ctx, c, "merges", at, &p.Merges) }},
		{"skip indexes (system.data_skipping_indices)", func() error { return all(ctx, c, "indexes", at, &p.Indexes) }},
		{"projections (system.projections)", func() error { return all(ctx, c, "projections", at, &p.Projections) }},
		{"row policies (system.row_policies)", func() error { return all(ctx, c, "policies", at, &p.Policies) }},
		{"the insert pattern (system.part_log)", func() error { return c.fillInserts(ctx, p, at) }},
		{"the views around it", func() (err error) { p.Lineage, err = c.Lineage(ctx, p.Database, p.Table); return err }},
	}
	notes := make([]string, len(parts))
	var wait sync.WaitGroup
	for i, part := range parts {
		wait.Add(1)
		go func() {
			defer wait.Done()
			if err := part.fill(); err != nil {
				notes[i] = tell(part.what, err)
			}
		}()
	}
	wait.Wait()
	p.Inserts.fallBack(p.Parts)
	for _, note := range notes {
		if note != "" {
			p.Missing = append(p.Missing, note)
		}
	}
}

// one reads an answer of a single row into to.
func one[T any](ctx context.Context, c *Cluster, name string, params map[string]any, to *T) error {
	found, _, err := Rows[T](ctx, c, Ask{For: "table page", SQL: query(name), Params: params})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("query %s gave no row", name)
	}
	if err == nil {
		*to = found[0]
	}
	return err
}

// all reads an answer into to.
func all[T any](ctx context.Context, c *Cluster, name string, params map[string]any, to *[]T) (err error) {
	*to, _, err = Rows[T](ctx, c, Ask{For: "table page", SQL: query(name), Params: params})
	return err
}
