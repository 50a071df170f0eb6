SELECT d.name AS name, d.engine AS engine, t.tables AS tables, t.views AS views, t.bytes AS bytes
FROM system.databases AS d
LEFT JOIN (
    SELECT database, count() AS tables, countIf(engine = 'MaterializedView') AS views, toUInt64(sum(ifNull(total_bytes, 0))) AS bytes
    FROM system.tables
    WHERE database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema')
    GROUP BY database
) AS t ON t.database = d.name
WHERE d.name NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema')
ORDER BY d.name
LIMIT 2000
