SELECT name, CAST(type, 'String') AS type, query, arrayStringConcat(sorting_key, ', ') AS sorting_key
FROM system.projections
WHERE database = {database:String} AND table = {table:String}
ORDER BY name
LIMIT 200
