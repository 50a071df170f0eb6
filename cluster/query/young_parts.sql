SELECT name, toUInt64(rows) AS rows
FROM system.parts
WHERE active AND database = {database:String} AND table = {table:String} AND rows > 0
ORDER BY max_block_number - min_block_number, modification_time DESC
LIMIT {most:UInt32}
