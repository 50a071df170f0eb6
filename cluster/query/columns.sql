SELECT
    name, type, default_kind, default_expression, comment, compression_codec AS codec,
    toUInt64(data_compressed_bytes) AS compressed, toUInt64(data_uncompressed_bytes) AS uncompressed,
    is_in_sorting_key = 1 AS in_sorting_key, is_in_partition_key = 1 AS in_partition_key, is_in_primary_key = 1 AS in_primary_key
FROM system.columns
WHERE database = {database:String} AND table = {table:String}
ORDER BY position
