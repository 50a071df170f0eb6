SELECT name, type_full AS type, expr AS expression, toUInt64(granularity) AS granularity
FROM system.data_skipping_indices
WHERE database = {database:String} AND table = {table:String}
ORDER BY name
LIMIT 200
