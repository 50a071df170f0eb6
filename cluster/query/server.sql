SELECT
    version() AS version, toUInt64(uptime()) AS uptime_seconds, timezone() AS timezone, hostName() AS host, currentUser() AS user, currentDatabase() AS database
