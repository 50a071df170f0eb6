-- Litres of a delivery are added again with every correction
-- @source
CREATE TABLE deliveries (id UInt64, bar UInt16, litres Decimal(10, 2), ver UInt64) ENGINE = ReplacingMergeTree(ver) ORDER BY id;
-- @naive
CREATE TABLE bar_litres (bar UInt16, n UInt64, litres Decimal(38, 2)) ENGINE = SummingMergeTree ORDER BY bar;
CREATE MATERIALIZED VIEW bar_litres_mv TO bar_litres AS SELECT bar, count() AS n, sum(d.litres) AS litres FROM deliveries AS d GROUP BY bar;
-- @right
CREATE TABLE slim (id UInt64, bar UInt16, litres Decimal(10, 2), ver UInt64) ENGINE = ReplacingMergeTree(ver) ORDER BY id;
CREATE MATERIALIZED VIEW slim_mv TO slim AS SELECT id, bar, litres, ver FROM deliveries;
-- @right_query
SELECT bar, sum(litres) FROM slim FINAL GROUP BY bar;
