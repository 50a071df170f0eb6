SELECT toUInt64(count()) AS merges, toUInt64(countIf(is_mutation)) AS mutations, toUInt64(sum(num_parts)) AS parts
FROM system.merges
WHERE database = {database:String} AND table = {table:String}
