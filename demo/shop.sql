-- A shop with every kind of feed. Times are the last sixty days; values are
-- hashes of row numbers, so that every run makes the same shop.
CREATE DATABASE shop;

-- append: events happen once.
CREATE TABLE shop.events
(
    event_id UInt64,
    ts DateTime('UTC'),
    event_type LowCardinality(String),
    user_id UInt64,
    country LowCardinality(String),
    duration_ms UInt32,
    revenue Decimal(18, 2)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(ts) ORDER BY (event_type, ts, user_id)
COMMENT 'Page and app events, as they happen';

-- upsert: orders arrive from a change stream; some deletes carry only the key.
CREATE TABLE shop.orders
(
    id UInt64,
    user_id UInt64,
    created_at DateTime('UTC'),
    country LowCardinality(String),
    status LowCardinality(String),
    amount Decimal(18, 2),
    items UInt16,
    _version UInt64,
    _is_deleted UInt8
)
ENGINE = ReplacingMergeTree(_version, _is_deleted) PARTITION BY toYYYYMM(created_at) ORDER BY id
COMMENT 'Orders, mirrored from the application database';

-- ledger: every change is preceded by a row that takes the old values back.
CREATE TABLE shop.payments
(
    payment_id UInt64,
    order_id UInt64,
    paid_at DateTime('UTC'),
    method LowCardinality(String),
    amount Decimal(18, 2),
    fee Decimal(18, 4),
    version UInt64,
    is_deleted UInt8
)
ENGINE = ReplacingMergeTree(version) PARTITION BY toYYYYMM(paid_at) ORDER BY payment_id
COMMENT 'Payments, double entry';

-- collapsing: the sign says state or cancel.
CREATE TABLE shop.sessions
(
    session_id UInt64,
    user_id UInt64,
    started_at DateTime('UTC'),
    device LowCardinality(String),
    page_views UInt32,
    seconds UInt32,
    sign Int8
)
ENGINE = CollapsingMergeTree(sign) PARTITION BY toYYYYMM(started_at) ORDER BY (started_at, session_id)
COMMENT 'Sessions while they go on';

-- at least once: devices retry until they hear back.
CREATE TABLE shop.device_log
(
    event_id UInt64,
    device_id UInt32,
    ts DateTime64(3, 'UTC'),
    kind LowCardinality(String),
    reading Float64,
    imported_at DateTime('UTC')
)
ENGINE = MergeTree PARTITION BY toYYYYMM(ts) ORDER BY (device_id, ts)
COMMENT 'Readings; a retry may insert a row again';

-- awkward: names and types as they are found in the wild.
CREATE TABLE shop.`naïve "orders" – it's 100% \`real\``
(
    `order id` UInt64,
    `when "exactly"` DateTime64(3, 'Europe/Berlin'),
    `select` LowCardinality(Nullable(String)),
    `preis €` Nullable(Decimal(12, 2)),
    `state` Enum8('new' = 1, 'it''s paid' = 2, 'gone' = 3),
    `tags[]` Array(LowCardinality(String)),
    `<script>alert(1)</script>` Nullable(String),
    `\`back\`tick` UInt32,
    `_v` UInt64
)
ENGINE = ReplacingMergeTree(`_v`) ORDER BY `order id`
COMMENT 'Names <em>need</em> quoting; ''); DROP TABLE x; --';

-- A healthy view: states in, states merged, whole grain in the key.
CREATE TABLE shop.events_hourly
(
    hour DateTime('UTC'),
    event_type LowCardinality(String),
    events SimpleAggregateFunction(sum, UInt64),
    users_approx AggregateFunction(uniq, UInt64)
)
ENGINE = AggregatingMergeTree ORDER BY (event_type, hour)
COMMENT 'Events by hour';

CREATE MATERIALIZED VIEW shop.events_hourly_mv TO shop.events_hourly AS
SELECT toStartOfHour(ts, 'UTC') AS hour, event_type, count() AS events, uniqState(user_id) AS users_approx
FROM shop.events GROUP BY hour, event_type;

-- A view that adds every version of every order: it double counts.
CREATE TABLE shop.revenue_daily
(
    day Date,
    country LowCardinality(String),
    revenue Decimal(38, 2),
    orders UInt64
)
ENGINE = SummingMergeTree ORDER BY (day, country)
COMMENT 'Revenue by day and country';

CREATE MATERIALIZED VIEW shop.revenue_daily_mv TO shop.revenue_daily AS
SELECT toDate(created_at, 'UTC') AS day, country, sum(amount) AS revenue, count() AS orders
FROM shop.orders GROUP BY day, country;

SYSTEM STOP MERGES shop.orders;
SYSTEM STOP MERGES shop.device_log;
SYSTEM STOP MERGES shop.payments;

-- 800 000 events in two inserts.
INSERT INTO shop.events
SELECT number, toStartOfDay(now('UTC')) - toIntervalSecond(cityHash64(number, 1) % 5184000),
       ['view', 'view', 'view', 'cart', 'checkout', 'search', 'login'][1 + cityHash64(number, 2) % 7],
       cityHash64(number, 3) % 40000, ['DE', 'FR', 'ES', 'PL', 'US', 'BR', 'IN', 'JP'][1 + cityHash64(number, 4) % 8],
       cityHash64(number, 5) % 4000, toDecimal64(cityHash64(number, 6) % 9000 / 100, 2)
FROM numbers(400000);
INSERT INTO shop.events
SELECT number, toStartOfDay(now('UTC')) - toIntervalSecond(cityHash64(number, 1) % 5184000),
       ['view', 'view', 'view', 'cart', 'checkout', 'search', 'login'][1 + cityHash64(number, 2) % 7],
       cityHash64(number, 3) % 40000, ['DE', 'FR', 'ES', 'PL', 'US', 'BR', 'IN', 'JP'][1 + cityHash64(number, 4) % 8],
       cityHash64(number, 5) % 4000, toDecimal64(cityHash64(number, 6) % 9000 / 100, 2)
FROM numbers(400000, 400000);

-- 300 000 orders, then every third one paid, every ninth one sent (and some of
-- those moved to another country), and deletes: old values in most, defaults in some.
INSERT INTO shop.orders
SELECT number, cityHash64(number, 1) % 30000, toStartOfDay(now('UTC')) - toIntervalSecond(cityHash64(number, 2) % 5184000),
       ['DE', 'FR', 'ES', 'PL', 'US', 'BR', 'IN', 'JP'][1 + cityHash64(number, 3) % 8], 'new',
       toDecimal64(cityHash64(number, 4) % 50000 / 100, 2), 1 + cityHash64(number, 5) % 6, 1000 + number, 0
FROM numbers(150000);
INSERT INTO shop.orders
SELECT number, cityHash64(number, 1) % 30000, toStartOfDay(now('UTC')) - toIntervalSecond(cityHash64(number, 2) % 5184000),
       ['DE', 'FR', 'ES', 'PL', 'US', 'BR', 'IN', 'JP'][1 + cityHash64(number, 3) % 8], if(number % 400 = 0, 'test', 'new'),
       toDecimal64(cityHash64(number, 4) % 50000 / 100, 2), 1 + cityHash64(number, 5) % 6, 1000 + number, 0
FROM numbers(150000, 150000);
INSERT INTO shop.orders
SELECT number * 3, cityHash64(number * 3, 1) % 30000, toStartOfDay(now('UTC')) - toIntervalSecond(cityHash64(number * 3, 2) % 5184000),
       ['DE', 'FR', 'ES', 'PL', 'US', 'BR', 'IN', 'JP'][1 + cityHash64(number * 3, 3) % 8], 'paid',
       toDecimal64(cityHash64(number * 3, 4) % 50000 / 100, 2), 1 + cityHash64(number * 3, 5) % 6, 2000000 + number, 0
FROM numbers(100000);
INSERT INTO shop.orders
SELECT number * 9, cityHash64(number * 9, 1) % 30000, toStartOfDay(now('UTC')) - toIntervalSecond(cityHash64(number * 9, 2) % 5184000),
       ['DE', 'FR', 'ES', 'PL', 'US', 'BR', 'IN', 'JP'][1 + cityHash64(number * 9, if(number % 10 = 0, 7, 3)) % 8], 'sent',
       toDecimal64(cityHash64(number * 9, 4) % 50000 / 100 + number % 3, 2), 1 + cityHash64(number * 9, 5) % 6, 3000000 + number, 0
FROM numbers(33000);
INSERT INTO shop.orders
SELECT number * 31, cityHash64(number * 31, 1) % 30000, toStartOfDay(now('UTC')) - toIntervalSecond(cityHash64(number * 31, 2) % 5184000),
       ['DE', 'FR', 'ES', 'PL', 'US', 'BR', 'IN', 'JP'][1 + cityHash64(number * 31, 3) % 8], 'cancelled',
       toDecimal64(cityHash64(number * 31, 4) % 50000 / 100, 2), 1, 4000000 + number, 1
FROM numbers(7000);
INSERT INTO shop.orders (id, _version, _is_deleted)
SELECT number * 47, 5000000 + number, 1 FROM numbers(1500);

-- 200 000 payments; every fifth corrected (cancel and new row in one insert,
-- the pair split over two inserts for some), every fortieth taken back.
INSERT INTO shop.payments
SELECT number, cityHash64(number, 1) % 300000, toStartOfDay(now('UTC')) - toIntervalSecond(cityHash64(number, 2) % 5184000),
       ['card', 'card', 'wallet', 'invoice', 'bank'][1 + cityHash64(number, 3) % 5],
       toDecimal64(cityHash64(number, 4) % 50000 / 100, 2), toDecimal64(cityHash64(number, 5) % 900 / 100, 4), 10 * number, 0
FROM numbers(200000);
INSERT INTO shop.payments
SELECT number * 5, cityHash64(number * 5, 1) % 300000, toStartOfDay(now('UTC')) - toIntervalSecond(cityHash64(number * 5, 2) % 5184000),
       ['card', 'card', 'wallet', 'invoice', 'bank'][1 + cityHash64(number * 5, 3) % 5],
       toDecimal64(cityHash64(number * 5, 4) % 50000 / 100, 2), toDecimal64(cityHash64(number * 5, 5) % 900 / 100, 4), 50 * number + 1, 1
FROM numbers(40000);
INSERT INTO shop.payments
SELECT number * 5, cityHash64(number * 5, 1) % 300000, toStartOfDay(now('UTC')) - toIntervalSecond(cityHash64(number * 5, 2) % 5184000),
       ['card', 'card', 'wallet', 'invoice', 'bank'][1 + cityHash64(number * 5, 3) % 5],
       toDecimal64(cityHash64(number * 5, 6) % 50000 / 100, 2), toDecimal64(cityHash64(number * 5, 5) % 900 / 100, 4), 50 * number + 2, 0
FROM numbers(40000);
INSERT INTO shop.payments
SELECT number * 40 + 1, cityHash64(number * 40 + 1, 1) % 300000, toStartOfDay(now('UTC')) - toIntervalSecond(cityHash64(number * 40 + 1, 2) % 5184000),
       ['card', 'card', 'wallet', 'invoice', 'bank'][1 + cityHash64(number * 40 + 1, 3) % 5],
       toDecimal64(cityHash64(number * 40 + 1, 4) % 50000 / 100, 2), toDecimal64(cityHash64(number * 40 + 1, 5) % 900 / 100, 4), 10 * (number * 40 + 1) + 1, 1
FROM numbers(4900);

-- 150 000 sessions, a third of them went on: cancel and new state.
INSERT INTO shop.sessions
SELECT number, cityHash64(number, 1) % 40000, toStartOfDay(now('UTC')) - toIntervalSecond(cityHash64(number, 2) % 2592000),
       ['phone', 'desktop', 'tablet'][1 + cityHash64(number, 3) % 3], 1 + cityHash64(number, 4) % 5, cityHash64(number, 5) % 120, 1
FROM numbers(150000);
INSERT INTO shop.sessions
SELECT intDiv(number, 2) * 3 AS s, cityHash64(s, 1) % 40000, toStartOfDay(now('UTC')) - toIntervalSecond(cityHash64(s, 2) % 2592000),
       ['phone', 'desktop', 'tablet'][1 + cityHash64(s, 3) % 3],
       1 + cityHash64(s, 4) % 5 + if(number % 2 = 0, 0, 4), cityHash64(s, 5) % 120 + if(number % 2 = 0, 0, 300), if(number % 2 = 0, -1, 1)
FROM numbers(100000);

-- 260 000 readings and what was sent again, the newest data most of all.
INSERT INTO shop.device_log
SELECT number, cityHash64(number, 1) % 900, toStartOfDay(now('UTC')) - toIntervalSecond(cityHash64(number, 2) % 864000), ['temp', 'power', 'door'][1 + cityHash64(number, 3) % 3],
       cityHash64(number, 4) % 1000 / 10, toStartOfDay(now('UTC')) - toIntervalSecond(cityHash64(number, 2) % 864000) + 5
FROM numbers(260000);
INSERT INTO shop.device_log
SELECT number, cityHash64(number, 1) % 900, toStartOfDay(now('UTC')) - toIntervalSecond(cityHash64(number, 2) % 864000), ['temp', 'power', 'door'][1 + cityHash64(number, 3) % 3],
       cityHash64(number, 4) % 1000 / 10, toStartOfDay(now('UTC')) - toIntervalSecond(cityHash64(number, 2) % 864000) + 65
FROM numbers(260000) WHERE cityHash64(number, 2) % 864000 < 90000 OR cityHash64(number, 9) % 40 = 0;

INSERT INTO shop.`naïve "orders" – it's 100% \`real\``
SELECT number, toDateTime64(toStartOfDay(now('UTC')), 3, 'Europe/Berlin') - toIntervalSecond(cityHash64(number, 2) % 5184000),
       if(number % 7 = 0, NULL, ['a', 'O''Hara', 'größe', '<b>'][1 + number % 4]), if(number % 11 = 0, NULL, toDecimal64(cityHash64(number, 4) % 5000 / 100, 2)),
       1 + number % 3, [toString(number % 3)], if(number % 5 = 0, '"><script>', NULL), number % 100, number
FROM numbers(30000);
INSERT INTO shop.`naïve "orders" – it's 100% \`real\``
SELECT number * 2, toDateTime64(toStartOfDay(now('UTC')), 3, 'Europe/Berlin') - toIntervalSecond(cityHash64(number * 2, 2) % 5184000),
       'moved', toDecimal64(cityHash64(number, 8) % 5000 / 100, 2), 2, [], NULL, number % 100, 40000 + number
FROM numbers(5000);
