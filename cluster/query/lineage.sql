SELECT
    database, name, engine, engine_full, toString(uuid) AS uuid, dependencies_database, dependencies_table,
    if(engine = 'MaterializedView', create_table_query, '') AS create_query,
    toUInt64(ifNull(total_rows, 0)) AS rows, toUInt64(ifNull(total_bytes, 0)) AS bytes
FROM system.tables
WHERE database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema')
  AND (engine IN ('MaterializedView', 'Distributed', 'Buffer') OR notEmpty(dependencies_table)
       OR (database, name) IN (({database:String}, {table:String})))
LIMIT 10000
