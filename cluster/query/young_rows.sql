SELECT name
FROM (
    SELECT name, modification_time, sum(rows) OVER (ORDER BY modification_time DESC, name ROWS UNBOUNDED PRECEDING) AS so_far
    FROM system.parts
    WHERE active AND database = {database:String} AND table = {table:String} AND rows > 0
)
WHERE so_far <= {most:UInt64}
ORDER BY modification_time DESC, name
LIMIT 200
