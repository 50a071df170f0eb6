SELECT name, toUInt64(rows) AS rows
FROM system.parts
WHERE active AND database = {database:String} AND table = {table:String} AND rows > 0
ORDER BY cityHash64(name)
LIMIT {most:UInt32}
