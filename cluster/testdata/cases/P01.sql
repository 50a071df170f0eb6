-- The history of a live view is loaded without a cut-off
-- @source
CREATE TABLE pours (seq UInt64, bar UInt16, ml UInt32) ENGINE = MergeTree ORDER BY seq;
-- @naive
CREATE TABLE bar_ml (bar UInt16, n UInt64, ml UInt64) ENGINE = SummingMergeTree ORDER BY bar;
CREATE MATERIALIZED VIEW bar_ml_mv TO bar_ml AS SELECT bar, count() AS n, sum(p.ml) AS ml FROM pours AS p GROUP BY bar;
-- @naive_post
INSERT INTO bar_ml SELECT bar, count() AS n, sum(p.ml) AS ml FROM pours AS p GROUP BY bar;
-- @right
CREATE TABLE bar_ml (bar UInt16, n UInt64, ml UInt64) ENGINE = SummingMergeTree ORDER BY bar;
CREATE MATERIALIZED VIEW bar_ml_mv TO bar_ml AS SELECT bar, count() AS n, sum(p.ml) AS ml FROM pours AS p WHERE seq >= 500 GROUP BY bar;
-- @right_post
INSERT INTO bar_ml SELECT bar, count() AS n, sum(p.ml) AS ml FROM pours AS p WHERE seq < 500 GROUP BY bar;
-- @right_query
SELECT bar, sum(n), sum(ml) FROM bar_ml GROUP BY bar;
