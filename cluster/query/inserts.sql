SELECT
    toUInt64(count()) AS blocks, toUInt64(sum(l.rows)) AS rows,
    toUInt64(quantileExact(0.5)(l.rows)) AS median_rows, toUInt64(min(l.rows)) AS least_rows, toUInt64(max(l.rows)) AS most_rows,
    toFloat64(count() / greatest(1, dateDiff('second', min(event_time), max(event_time)) / 60)) AS per_minute,
    min(event_time) AS since, max(event_time) AS until
FROM system.part_log AS l
WHERE event_date >= today() - 1 AND event_type = 'NewPart' AND database = {database:String} AND table = {table:String}
