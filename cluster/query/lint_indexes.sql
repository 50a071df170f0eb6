SELECT database, table, name, expr
FROM system.data_skipping_indices
WHERE database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema')
ORDER BY database, table, name
