SELECT DISTINCT query
FROM system.query_log
WHERE type = 'QueryFinish' AND query_kind = 'Create' AND event_date >= today() - 90
    AND query ILIKE '%MATERIALIZED%POPULATE%'
ORDER BY query
LIMIT 10000
