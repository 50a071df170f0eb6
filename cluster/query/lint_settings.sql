SELECT name, value
FROM system.settings
WHERE name IN {names:Array(String)}
