SELECT
    database, name, engine, engine_full, toString(uuid) AS uuid, create_table_query AS create_query, as_select,
    sorting_key, primary_key, partition_key, sampling_key, comment, storage_policy,
    toUInt64(ifNull(total_rows, 0)) AS rows, toUInt64(ifNull(total_bytes, 0)) AS bytes,
    metadata_modification_time AS modified
FROM system.tables
WHERE database = {database:String} AND name = {table:String}
