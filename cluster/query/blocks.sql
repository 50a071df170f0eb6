SELECT name
FROM (
    SELECT name, modification_time, sum(rows) OVER (ORDER BY modification_time DESC, name ROWS UNBOUNDED PRECEDING) AS so_far
    FROM system.parts
    WHERE active AND database = {database:String} AND table = {table:String} AND rows > 0 AND min_block_number = max_block_number
)
WHERE so_far <= {most:UInt64}
ORDER BY modification_time DESC, name
LIMIT 50
