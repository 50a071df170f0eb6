SELECT
    partition, partition_id,
    toUInt64(sum(p.rows)) AS rows, toUInt64(sum(p.bytes_on_disk)) AS bytes, toUInt64(sum(p.data_uncompressed_bytes)) AS uncompressed,
    toUInt64(count()) AS parts, toUInt64(countIf(min_block_number = max_block_number)) AS unmerged, toUInt64(sum(p.marks)) AS marks,
    toUInt64(sum(max_block_number - min_block_number + 1)) AS blocks,
    max(modification_time) AS modified,
    count() OVER () AS found,
    toUInt64(sum(sum(p.rows)) OVER ()) AS all_rows, toUInt64(sum(sum(p.bytes_on_disk)) OVER ()) AS all_bytes, toUInt64(sum(count()) OVER ()) AS all_parts,
    toUInt64(sum(countIf(min_block_number = max_block_number)) OVER ()) AS all_unmerged, toUInt64(sum(sum(p.marks)) OVER ()) AS all_marks,
    toUInt64(sum(sum(max_block_number - min_block_number + 1)) OVER ()) AS all_blocks
FROM system.parts AS p
WHERE active AND database = {database:String} AND table = {table:String}
GROUP BY partition, partition_id
ORDER BY partition_id DESC
LIMIT 200
