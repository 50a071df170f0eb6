SELECT
    v.database AS database, v.name AS name, v.create_table_query AS create_query, v.as_select AS as_select, toString(v.uuid) AS uuid,
    e.source_database AS source_database, e.source_table AS source_table,
    count() OVER () AS found
FROM system.tables AS v
LEFT JOIN (
    SELECT d.1 AS view_database, d.2 AS view_name, database AS source_database, name AS source_table
    FROM system.tables
    ARRAY JOIN arrayZip(dependencies_database, dependencies_table) AS d
) AS e ON e.view_database = v.database AND e.view_name = v.name
WHERE v.engine = 'MaterializedView'
  AND ({database:String} = '' OR v.database = {database:String})
  AND ({search:String} = '' OR concat(v.database, '.', v.name) ILIKE {search:String})
ORDER BY v.database, v.name
LIMIT {limit:UInt32} OFFSET {offset:UInt32}
