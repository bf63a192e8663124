-- What the views of currencies and sessions read of each row, extracted by the insert: the JSON of an event is not read again.
-- Only events of the two names have values here. Rows of older parts are computed when they are read, until the engine has
-- written the columns in the background; an interrupted rewriting goes on by itself.
ALTER TABLE events
    ADD COLUMN IF NOT EXISTS currency LowCardinality(String)
        DEFAULT if(event_name IN ('currency_earned', 'currency_spent'), JSONExtractString(properties, 'currency'), '')
        AFTER inserted_at,
    ADD COLUMN IF NOT EXISTS currency_amount Decimal(18, 4)
        DEFAULT if(event_name IN ('currency_earned', 'currency_spent'), toDecimal64OrZero(JSONExtractRaw(properties, 'amount'), 4), toDecimal64(0, 4))
        CODEC(ZSTD(1)) AFTER currency;

-- The day on which a session counts in player_days.
ALTER TABLE sessions
    ADD COLUMN IF NOT EXISTS start_day Date
        DEFAULT toDate(if(ifNull(start_time <= received_at AND start_time > received_at - INTERVAL 7 DAY, 0), assumeNotNull(start_time), received_at), 'UTC')
        CODEC(Delta, ZSTD(1)) AFTER app_version;

ALTER TABLE sessions MATERIALIZE COLUMN start_day;

ALTER TABLE events MATERIALIZE COLUMN currency, MATERIALIZE COLUMN currency_amount;

CREATE OR REPLACE VIEW live_events AS
SELECT * EXCEPT environment
FROM events
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_sessions AS
SELECT * EXCEPT environment
FROM sessions
WHERE environment = 'live';

-- As in 0029, from `start_day`.
CREATE OR REPLACE VIEW sessions_daily AS
SELECT
    start_day AS day,
    game_id,
    count() AS sessions,
    uniqExact(player_id) AS players,
    sum(duration_seconds) AS playtime_seconds,
    round(playtime_seconds / sessions, 1) AS mean_seconds,
    quantilesExact(0.5, 0.9)(duration_seconds)[1] AS median_seconds,
    quantilesExact(0.5, 0.9)(duration_seconds)[2] AS p90_seconds,
    round(sessions / players, 4) AS sessions_per_player,
    round(playtime_seconds / players, 1) AS playtime_per_player
FROM sessions
WHERE environment = 'live'
GROUP BY day, game_id;

-- As in 0029, from `currency` and `currency_amount`.
CREATE OR REPLACE VIEW economy_daily AS
SELECT
    day,
    game_id,
    currency,
    sources,
    sinks,
    sources - sinks AS flow,
    sum(sources - sinks) OVER (PARTITION BY game_id, currency ORDER BY day) AS balance,
    source_events,
    sink_events
FROM
(
    SELECT
        toDate(if(timestamp <= received_at AND timestamp > received_at - INTERVAL 7 DAY, timestamp, received_at), 'UTC') AS day,
        game_id,
        currency,
        sumIf(currency_amount, event_name = 'currency_earned') AS sources,
        sumIf(currency_amount, event_name = 'currency_spent') AS sinks,
        countIf(event_name = 'currency_earned') AS source_events,
        countIf(event_name = 'currency_spent') AS sink_events
    FROM events
    WHERE environment = 'live' AND event_name IN ('currency_earned', 'currency_spent') AND currency != '' AND currency_amount > 0
    GROUP BY day, game_id, currency
);
