SELECT name, value, toUInt8(readonly) AS readonly, CAST(min, 'Nullable(String)') AS min, CAST(max, 'Nullable(String)') AS max
FROM system.settings
WHERE name IN {names:Array(String)}
