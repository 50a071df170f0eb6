-- Counts of rows that never change
-- @source
CREATE TABLE pours (at DateTime('UTC'), bar UInt16) ENGINE = MergeTree ORDER BY at;
-- @view
CREATE TABLE bar_hour (hour DateTime('UTC'), bar UInt16, n UInt64) ENGINE = SummingMergeTree ORDER BY (bar, hour);
CREATE MATERIALIZED VIEW bar_hour_mv TO bar_hour AS SELECT toStartOfHour(at) AS hour, bar, count() AS n FROM pours GROUP BY hour, bar;
-- @view_query
SELECT bar, sum(n) FROM bar_hour GROUP BY bar;
