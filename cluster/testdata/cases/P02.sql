-- A reader filters a mutable column ahead of FINAL
-- @source
CREATE TABLE kegs (keg UInt64, tapped UInt8, ver UInt64) ENGINE = ReplacingMergeTree(ver) ORDER BY keg;
-- @naive
CREATE TABLE kegs_slim (keg UInt64, tapped UInt8, ver UInt64) ENGINE = ReplacingMergeTree(ver) ORDER BY keg;
CREATE MATERIALIZED VIEW kegs_slim_mv TO kegs_slim AS SELECT keg, tapped, ver FROM kegs;
-- @naive_query
SELECT count() FROM kegs_slim FINAL PREWHERE tapped = 1;
-- @right
CREATE TABLE kegs_slim (keg UInt64, tapped UInt8, ver UInt64) ENGINE = ReplacingMergeTree(ver) ORDER BY keg;
CREATE MATERIALIZED VIEW kegs_slim_mv TO kegs_slim AS SELECT keg, tapped, ver FROM kegs;
-- @right_query
SELECT count() FROM kegs_slim FINAL WHERE tapped = 1;
