package cluster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
)

// connector is a tool that writes change streams into ClickHouse, known by the
// columns that it adds.
type connector struct {
	id       string
	name     string
	marks    []string // all of these columns are there
	any      []string // and, if given, one of these
	engine   string   // and the engine's name ends so
	version  []string // its version column, the first that exists
	deleted  []string // its delete flag, the first that exists
	pitfalls []string // what a rollup over it has to know
}

// connectors lists the fingerprints, the most telling first.
var connectors = []connector{
	{
		id: "peerdb", name: "PeerDB or ClickPipes", marks: []string{"_peerdb_version"}, any: []string{"_peerdb_is_deleted", "_peerdb_synced_at"},
		version: []string{"_peerdb_version"}, deleted: []string{"_peerdb_is_deleted"},
		pitfalls: []string{
			"An update is one new row: it writes no cancel row, unless the mirror updates primary keys (PEERDB_CLICKHOUSE_ENABLE_PRIMARY_UPDATE) and the table has REPLICA IDENTITY FULL.",
			"A delete row carries the identity columns only, the rest are defaults, unless the table has REPLICA IDENTITY FULL.",
			"The flag is part of the engine only if the mirror names a soft-delete column; otherwise FINAL keeps deleted rows, and reads have to filter them.",
		},
	},
	{
		id: "supabase", name: "Supabase ETL", marks: []string{"_etl_version"}, version: []string{"_etl_version"}, deleted: []string{"_etl_deleted"},
		pitfalls: []string{"An update is one new row. What happens to a changed primary key depends on the version of the pipeline: check that the old row is deleted."},
	},
	{
		id: "supabase-history", name: "Supabase ETL history table", marks: []string{"cdc_operation", "cdc_lsn"},
		pitfalls: []string{"This is a log of changes: each row is an event, not an entity. Roll up the events, or build the current state from it first."},
	},
	{
		id: "altinity", name: "the Altinity sink connector", marks: []string{"_version"}, any: []string{"_sign", "is_deleted"}, engine: "ReplacingMergeTree",
		version: []string{"_version"}, deleted: []string{"is_deleted", "_sign"},
		pitfalls: []string{
			"_sign is a delete flag on this ReplacingMergeTree, not the sign of a collapsing table: a live row holds 1 and a deleted one -1, so weighting by it does not cancel anything.",
			"An update is one new row with a higher _version: no cancel row.",
		},
	},
	{
		id: "fivetran", name: "Fivetran", marks: []string{"_fivetran_synced"}, version: []string{"_fivetran_synced"}, deleted: []string{"_fivetran_deleted"},
		pitfalls: []string{
			"All columns outside the key are Nullable: sums and averages skip NULL, and a cleared value must not come back.",
			"_fivetran_synced is a time: two changes of a row within one sync may share it, and then the last inserted wins.",
		},
	},
	{
		id: "airbyte", name: "Airbyte", marks: []string{"_airbyte_raw_id", "_airbyte_extracted_at"}, version: []string{"_airbyte_extracted_at"}, deleted: []string{"_ab_cdc_deleted"},
		pitfalls: []string{"A delete is told by the time _ab_cdc_deleted_at, not by a flag, in some modes only; a full refresh writes every row again."},
	},
	{
		id: "debezium", name: "Debezium", marks: []string{"__deleted"}, version: []string{"__lsn", "__source_ts_ms", "__ts_ms"}, deleted: []string{"__deleted"},
		pitfalls: []string{
			"The stream is at least once: after a restart events come again.",
			"__source_ts_ms has milliseconds: two changes of a row within one may share it. A log position (__lsn) orders better.",
			"A delete row carries what the replica identity gives: often the key alone.",
		},
	},
	{
		id: "singer", name: "Stitch or a Singer target", marks: []string{"_sdc_batched_at"}, version: []string{"_sdc_sequence", "_sdc_batched_at"},
		pitfalls: []string{"A delete is told by the time _sdc_deleted_at, not by a flag."},
	},
}

// recognise finds the connector whose columns a table carries.
func recognise(engine Engine, columns []designer.Column) (connector, bool) {
	has := func(name string) bool {
		return slices.ContainsFunc(columns, func(c designer.Column) bool { return c.Name == name })
	}
	for _, k := range connectors {
		all := !slices.ContainsFunc(k.marks, func(m string) bool { return !has(m) })
		if all && (len(k.any) == 0 || slices.ContainsFunc(k.any, has)) && strings.HasSuffix(engine.Name, k.engine) {
			return k, true
		}
	}
	return connector{}, false
}

// bookkeeping are columns that connectors write about the transport of a row;
// they differ between any two deliveries and say nothing about the entity.
var bookkeeping = []string{"_peerdb_synced_at", "_peerdb_version", "_etl_version", "_fivetran_synced", "_airbyte_extracted_at", "_airbyte_raw_id",
	"_airbyte_meta", "_airbyte_generation_id", "__ts_ms", "__source_ts_ms", "__lsn", "__op", "_sdc_batched_at", "_sdc_received_at", "_sdc_sequence", "_version"}

// deletedNames are columns that flag a deleted row, by convention.
var deletedNames = []string{"_is_deleted", "is_deleted", "_peerdb_is_deleted", "_etl_deleted", "__deleted", "_deleted", "_fivetran_deleted", "isDeleted", "is_delete", "deleted"}

// flagType says whether a column of this type can be a deleted flag: a number
// or a Bool that is 0 in a live row.
func flagType(typ string) bool {
	t := strings.TrimSuffix(strings.TrimPrefix(typ, "LowCardinality("), ")")
	return slices.Contains([]string{"UInt8", "Int8", "Bool", "UInt16", "Int16", "UInt32", "Int32", "UInt64", "Int64"}, t)
}

func (k connector) evidence() []Evidence {
	out := []Evidence{{Code: "connector-" + k.id, Confidence: High,
		Text: fmt.Sprintf("The columns %s are those that %s adds.", strings.Join(append(slices.Clone(k.marks), k.any...), ", "), k.name)}}
	for _, p := range k.pitfalls {
		out = append(out, Evidence{Code: "connector-" + k.id + "-pitfall", Confidence: Medium, Text: p})
	}
	return out
}
