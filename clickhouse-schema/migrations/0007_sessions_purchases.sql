-- One row for every session that is over: one that an init opened, when it closed, or one that a caller recorded. A session
-- that is open is not here yet. Ordered as people ask, by day, and within a day by player. `received_at` is the server's clock.
CREATE TABLE IF NOT EXISTS sessions
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    session_id String CODEC(ZSTD(1)),
    player_id UUID CODEC(ZSTD(1)),
    external_id String CODEC(ZSTD(1)),
    -- 'ended', 'expired', 'replaced' (by one more on another device) or 'recorded'.
    end_reason LowCardinality(String),
    -- Of a recorded session as the caller's clock had them, NULL where it did not say; else the server's.
    start_time Nullable(DateTime64(3, 'UTC')) CODEC(ZSTD(1)),
    end_time Nullable(DateTime64(3, 'UTC')) CODEC(ZSTD(1)),
    -- What counts in total_playtime_seconds: time played, not the time between the two.
    duration_seconds UInt32 CODEC(ZSTD(1)),
    -- Of a session that an init opened; a recorded one has none.
    total_events UInt32 CODEC(ZSTD(1)),
    achievements_unlocked Array(String) CODEC(ZSTD(1)),
    interventions_shown UInt32 CODEC(ZSTD(1)),
    interventions_clicked UInt32 CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    facts_sequence UInt64 CODEC(Delta, ZSTD(1)),
    facts_index UInt32 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, toDate(received_at), player_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

-- One row per purchase. `amount` is in the game's currency, whatever `currency` the player paid in.
CREATE TABLE IF NOT EXISTS purchases
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    player_id UUID CODEC(ZSTD(1)),
    external_id String CODEC(ZSTD(1)),
    amount Decimal(18, 4) CODEC(ZSTD(1)),
    currency LowCardinality(Nullable(String)),
    product_id LowCardinality(Nullable(String)),
    transaction_id Nullable(String) CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    facts_sequence UInt64 CODEC(Delta, ZSTD(1)),
    facts_index UInt32 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, toDate(received_at), player_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

-- For dashboards: the test environment is left out, as in every such view.
CREATE VIEW IF NOT EXISTS sessions_daily AS
SELECT
    toDate(received_at) AS day,
    game_id,
    count() AS sessions,
    uniqExact(player_id) AS players,
    sum(duration_seconds) AS playtime_seconds
FROM sessions
WHERE environment = 'live'
GROUP BY day, game_id;

CREATE VIEW IF NOT EXISTS purchases_daily AS
SELECT
    toDate(received_at) AS day,
    game_id,
    count() AS purchases,
    uniqExact(player_id) AS payers,
    sum(amount) AS revenue
FROM purchases
WHERE environment = 'live'
GROUP BY day, game_id;
