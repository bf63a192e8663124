-- One row for each session that is over: one that an init opened, when it closed, or one that a caller recorded. Open
-- sessions are not here yet. Ordered as queries ask, by day, and within a day by player. `received_at` is the server's
-- clock.
CREATE TABLE IF NOT EXISTS sessions
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    session_id String CODEC(ZSTD(1)),
    player_id UUID CODEC(ZSTD(1)),
    external_id String CODEC(ZSTD(1)),
    -- 'ended', 'expired', 'replaced' (by one more on another device), 'recorded' or 'imported'.
    end_reason LowCardinality(String),
    -- Of a recorded session by the caller's clock, NULL where it did not say; else by the server's.
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
    facts_index UInt32 CODEC(Delta, ZSTD(1)),
    -- As in events.
    facts_created UInt64 CODEC(ZSTD(1)),
    -- What the session was played on; '' if unknown.
    platform LowCardinality(String),
    app_version LowCardinality(String),
    build LowCardinality(String),
    -- The player's, as in events: a first day may have a session and no event.
    country LowCardinality(String),
    -- As in events.
    merged_from Array(UUID) CODEC(ZSTD(1)),
    -- The start, by which every figure counts.
    happened_at DateTime64(3, 'UTC') ALIAS {{happened_at start_time}},
    INDEX by_sequence facts_sequence TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, toDate(received_at), player_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

-- One row per purchase. `amount` is in the game's currency, whatever `currency` the player paid in; `paid_amount` is in
-- `currency`, and NULL where nothing was converted. A server key's purchase replaces one that a client key recorded
-- under the same transaction_id. Then one more row ('replaced') takes the client's back: all its values, with the
-- negative amount, and -1 in `counts`; the server's has the client's `received_at`. A refund is a row with the negative
-- amount at its own time, and -1 in `counts` if nothing remains of the purchase, else 0. A purchase that waits for its
-- receipt adds nothing ('held'). A decided receipt is one more row at the time of the purchase ('verified', 'rejected'),
-- with what it adds or takes off. So sum(amount) is what was paid and not refunded and sum(counts) how often, by
-- whatever rows are grouped.
CREATE TABLE IF NOT EXISTS purchases
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    player_id UUID CODEC(ZSTD(1)),
    external_id String CODEC(ZSTD(1)),
    amount Decimal(18, 4) CODEC(ZSTD(1)),
    currency LowCardinality(Nullable(String)),
    paid_amount Nullable(Decimal(18, 4)) CODEC(ZSTD(1)),
    product_id LowCardinality(Nullable(String)),
    transaction_id Nullable(String) CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    -- 'client', 'server' or 'import'.
    recorded_by LowCardinality(String),
    counts Int8 DEFAULT 1,
    -- 'purchase', 'replaced', 'refund', 'held', 'verified' or 'rejected'.
    kind LowCardinality(String) DEFAULT 'purchase',
    -- The caller's id of a refund.
    refund_id Nullable(String) CODEC(ZSTD(1)),
    -- 'apple' or 'google'; '' without a receipt.
    store LowCardinality(String),
    -- 'pending', 'verified' or 'rejected' from this row on; '' without a receipt, and of a refund.
    receipt_state LowCardinality(String),
    -- Why it is rejected, else ''.
    receipt_reason LowCardinality(String),
    -- The amount of a purchase by its report, also if it adds nothing; NULL of other rows.
    reported_amount Nullable(Decimal(18, 4)) CODEC(ZSTD(1)),
    -- The product of a verified receipt.
    proven_product_id LowCardinality(Nullable(String)),
    facts_sequence UInt64 CODEC(Delta, ZSTD(1)),
    facts_index UInt32 CODEC(Delta, ZSTD(1)),
    -- As in events.
    facts_created UInt64 CODEC(ZSTD(1)),
    -- As in events.
    merged_from Array(UUID) CODEC(ZSTD(1)),
    -- The receipt of the first report, by which every figure counts.
    happened_at DateTime64(3, 'UTC') ALIAS received_at,
    INDEX by_sequence facts_sequence TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, toDate(received_at), player_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
