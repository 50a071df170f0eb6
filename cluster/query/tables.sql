SELECT
    database, name, engine, sorting_key, partition_key, comment,
    toUInt64(ifNull(total_rows, 0)) AS rows, toUInt64(ifNull(total_bytes, 0)) AS bytes,
    toUInt32(length(dependencies_table)) AS views,
    metadata_modification_time AS modified,
    count() OVER () AS found
FROM system.tables
WHERE database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema')
  AND ({database:String} = '' OR database = {database:String})
  AND ({engine:String} = '' OR engine LIKE {engine:String})
  AND ({search:String} = '' OR concat(database, '.', name) ILIKE {search:String})
  AND NOT startsWith(name, '.inner')
  AND NOT is_temporary
ORDER BY
    multiIf({sort:String} = 'rows', rows, {sort:String} = 'bytes', bytes, 0) DESC,
    if({sort:String} = 'modified', modified, toDateTime(0)) DESC,
    database, name
LIMIT {limit:UInt32} OFFSET {offset:UInt32}
