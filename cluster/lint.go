package cluster

import (
	"context"
	"sort"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/designer/hazard"
	"github.com/rollsmith/rollsmith/problem"
)

// Inventory bounds a look at every definition of a cluster: ten thousand tables
// with their columns, one statement per system table.
var Inventory = Limit{Time: 45 * time.Second, ReadRows: 50e6, ReadBytes: 8e9, ResultRows: 5_000_000, Memory: 4e9}

// lintSettings are the settings that change what views and readers do.
var lintSettings = []string{"materialized_views_ignore_errors", "use_skip_indexes_if_final", "use_skip_indexes_if_final_exact_mode",
	"apply_prewhere_after_final", "optimize_move_to_prewhere_if_final", "do_not_merge_across_partitions_select_final",
	"deduplicate_blocks_in_dependent_materialized_views"}

// Definitions reads every table and view of a cluster for an audit. What the
// account may not see beyond them (profiles, the query log) is left out and
// named in missing.
func Definitions(ctx context.Context, on Asker) (catalog *hazard.Catalog, missing []string, err error) {
	r := &lintReader{on: on, catalog: &hazard.Catalog{}}
	for _, read := range []func(context.Context) error{r.version, r.settings, r.tables} {
		if err := read(ctx); err != nil {
			return nil, nil, err
		}
	}
	for what, read := range map[string]func(context.Context) error{
		"skip indexes": r.indexes, "settings profiles": r.profiles, "views created with POPULATE": r.populated,
	} {
		if err := read(ctx); err != nil {
			missing = append(missing, what)
		}
	}
	return r.catalog, missing, nil
}

// lintReader fills a catalog from the system tables.
type lintReader struct {
	on      Asker
	catalog *hazard.Catalog
	byName  map[string]*hazard.Table
}

func lintAsk(name string, params map[string]any) Ask {
	return Ask{For: "lint", SQL: query(name), Params: params, Limit: Inventory}
}

func (r *lintReader) version(ctx context.Context) error {
	found, _, err := Values[string](ctx, r.on, Ask{For: "lint", SQL: "SELECT version()", Limit: Inventory})
	if len(found) > 0 {
		r.catalog.Version = found[0]
	}
	return err
}

type nameValue struct {
	Name  string `ch:"name"`
	Value string `ch:"value"`
}

func (r *lintReader) values(ctx context.Context, name string) (map[string]string, error) {
	found, _, err := Rows[nameValue](ctx, r.on, lintAsk(name, map[string]any{"names": lintSettings}))
	out := map[string]string{}
	for _, f := range found {
		out[f.Name] = f.Value
	}
	return out, err
}

func (r *lintReader) settings(ctx context.Context) (err error) {
	r.catalog.Settings, err = r.values(ctx, "lint_settings")
	return err
}

func (r *lintReader) profiles(ctx context.Context) (err error) {
	r.catalog.Profiles, err = r.values(ctx, "lint_profiles")
	return err
}

type lintTable struct {
	Database string `ch:"database"`
	Name     string `ch:"name"`
	Engine   string `ch:"engine"`
	Full     string `ch:"engine_full"`
	UUID     string `ch:"uuid"`
	Comment  string `ch:"comment"`
	Create   string `ch:"create_query"`
	Select   string `ch:"as_select"`
}

type lintColumn struct {
	Database string `ch:"database"`
	Table    string `ch:"table"`
	Name     string `ch:"name"`
	Type     string `ch:"type"`
	Kind     string `ch:"default_kind"`
	Default  string `ch:"default_expression"`
	Comment  string `ch:"comment"`
}

func (r *lintReader) tables(ctx context.Context) error {
	tables, _, err := Rows[lintTable](ctx, r.on, lintAsk("lint_tables", nil))
	if err != nil {
		return err
	}
	columns, _, err := Rows[lintColumn](ctx, r.on, lintAsk("lint_columns", nil))
	if err != nil {
		return err
	}
	of := map[string][]hazard.Column{}
	for _, c := range columns {
		key := c.Database + "." + c.Table
		of[key] = append(of[key], hazard.Column{Name: c.Name, Type: c.Type, DefaultKind: c.Kind, Default: c.Default, Comment: c.Comment})
	}
	r.byName = map[string]*hazard.Table{}
	for _, t := range tables {
		key := t.Database + "." + t.Name
		if t.Create != "" {
			r.addView(t, of[key])
			continue
		}
		if t.Full == "" {
			t.Full = t.Engine
		}
		r.byName[key] = &hazard.Table{DB: t.Database, Name: t.Name, Engine: hazard.ParseEngine(t.Full), Columns: of[key], Comment: t.Comment}
		r.catalog.Tables = append(r.catalog.Tables, r.byName[key])
	}
	r.findStorage(tables)
	return nil
}

func (r *lintReader) addView(t lintTable, columns []hazard.Column) {
	d, ok := hazard.ParseView(t.Create, t.Database)
	if !ok {
		d = &hazard.Definition{Materialized: t.Engine == "MaterializedView"}
	}
	d.DB, d.Name, d.Columns = t.Database, t.Name, columns
	if t.Select != "" {
		d.Select = t.Select
	}
	r.catalog.Definitions = append(r.catalog.Definitions, d)
}

// findStorage names the inner table of every view that has no TO.
func (r *lintReader) findStorage(tables []lintTable) {
	uuids := map[string]string{}
	for _, t := range tables {
		uuids[t.Database+"."+t.Name] = t.UUID
	}
	for _, d := range r.catalog.Definitions {
		if !d.Materialized || d.TargetName != "" {
			continue
		}
		d.TargetDB = d.DB
		for _, name := range []string{".inner_id." + uuids[d.DB+"."+d.Name], ".inner." + d.Name} {
			if r.byName[d.DB+"."+name] != nil {
				d.TargetName = name
			}
		}
	}
}

type lintIndex struct {
	Database string `ch:"database"`
	Table    string `ch:"table"`
	Name     string `ch:"name"`
	Expr     string `ch:"expr"`
}

func (r *lintReader) indexes(ctx context.Context) error {
	found, _, err := Rows[lintIndex](ctx, r.on, lintAsk("lint_indexes", nil))
	for _, x := range found {
		if t := r.byName[x.Database+"."+x.Table]; t != nil {
			t.Indexes = append(t.Indexes, hazard.NewIndex(x.Name, x.Expr))
		}
	}
	return err
}

// populated marks the views whose CREATE had POPULATE, which the server keeps
// nowhere but in its log.
func (r *lintReader) populated(ctx context.Context) error {
	found, _, err := Values[string](ctx, r.on, lintAsk("lint_populate", nil))
	for _, text := range found {
		made, ok := hazard.ParseView(text, "")
		if !ok || !made.Populate {
			continue
		}
		for _, d := range r.catalog.Definitions {
			if d.Name == made.Name && (d.DB == made.DB || made.DB == "") {
				d.Populate = true
			}
		}
	}
	return err
}

// Audit is what an audit of a cluster is asked for.
type Audit struct {
	Database string            // only the views of this database; empty: all
	Default  string            // of unqualified names where Database is empty
	Queries  string            // reading queries, with semicolons between them
	Script   string            // a backfill or migration
	Feeds    map[string]string // db.table: its feed
}

// Lint judges the materialized views of a cluster, and with them the queries
// and the script it is given.
func Lint(ctx context.Context, on Asker, a Audit) (hazard.Report, []string, error) {
	if err := databaseExists(ctx, on, a.Database); err != nil {
		return hazard.Report{}, nil, err
	}
	catalog, missing, err := Definitions(ctx, on)
	if err != nil {
		return hazard.Report{}, nil, err
	}
	sort.Strings(missing)
	catalog.Feeds = a.Feeds
	catalog.DefaultDB = firstOf(a.Database, a.Default, "default")
	in := hazard.Input{Database: a.Database, Queries: hazard.Split(strings.TrimSpace(a.Queries)), Scripts: hazard.Split(a.Script)}
	return hazard.Audit(catalog, in), missing, nil
}

// databaseExists refuses a database that is not there, so that a misspelt name
// is not taken for one without views.
func databaseExists(ctx context.Context, on Asker, name string) error {
	if name == "" {
		return nil
	}
	found, _, err := Values[string](ctx, on, Ask{For: "lint", SQL: "SELECT name FROM system.databases WHERE name = {name:String}", Params: map[string]any{"name": name}})
	if err == nil && len(found) == 0 {
		return &problem.Error{Kind: problem.NotFound, Code: "no-database", Field: "database", Value: name, Message: "there is no such database, or this account may not see it", Hint: "check the name; leave it out to audit every database"}
	}
	return err
}
