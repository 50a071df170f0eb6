SELECT database, name, engine, engine_full, toString(uuid) AS uuid, comment,
    if(engine IN ('MaterializedView', 'View'), create_table_query, '') AS create_query, as_select
FROM system.tables
WHERE database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema') AND NOT is_temporary
ORDER BY database, name
