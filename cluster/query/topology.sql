SELECT
    cluster AS name, toUInt32(uniqExact(shard_num)) AS shards, toUInt32(count()) AS replicas,
    groupArray(concat(host_name, ':', toString(port))) AS hosts, toBool(max(is_local) = 1) AS local
FROM system.clusters
GROUP BY cluster
ORDER BY cluster
LIMIT 200
