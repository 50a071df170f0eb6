SELECT name, dateDiff('second', modification_time, now()) AS age
FROM system.parts
WHERE active AND database = {database:String} AND table = {table:String}
ORDER BY modification_time DESC
LIMIT {most:UInt32}
