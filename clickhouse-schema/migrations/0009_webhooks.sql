-- One row per attempt to deliver to a webhook, and per delivery that ended without one (attempt 0). A plain MergeTree:
-- duplicates are prevented by the writer; but an attempt that a crash repeated was made twice, and is here twice.
-- Ordered as queries ask: by webhook and time. `facts_*` say where the delivered fact stands: a redelivery reads it
-- there.
CREATE TABLE IF NOT EXISTS webhook_deliveries
(
    -- The same for every attempt: receivers recognise repeats by it.
    delivery_id UUID CODEC(ZSTD(1)),
    webhook_id LowCardinality(String),
    game_id LowCardinality(String),
    environment LowCardinality(String),
    -- As the payload's `type`.
    kind LowCardinality(String),
    player_id UUID CODEC(ZSTD(1)),
    -- From 1, as the payload's `delivery_attempt`; begins anew with a redelivery or a recovery.
    attempt UInt32 CODEC(ZSTD(1)),
    attempted_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    duration_ms UInt32 CODEC(ZSTD(1)),
    -- delivered, failed (there will be another attempt), exhausted (there will be none), dropped (the webhook was
    -- disabled or deleted), overflowed (too many waited for this webhook; a recovery queues it).
    outcome LowCardinality(String),
    -- HTTP status; NULL without an answer, and then `error` says why.
    status Nullable(UInt16) CODEC(ZSTD(1)),
    error LowCardinality(String),
    -- First characters of the answer's body: the receiver's text.
    response_start String CODEC(ZSTD(1)),
    url_host LowCardinality(String),
    next_attempt_at Nullable(DateTime64(3, 'UTC')) CODEC(ZSTD(1)),
    -- When the record of it became durable.
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    -- FACTS' creation as the broker spells it, the record's sequence, the fact's place in the record.
    facts_created LowCardinality(String),
    facts_sequence UInt64 CODEC(ZSTD(1)),
    facts_index UInt32 CODEC(ZSTD(1)),
    records_sequence UInt64 CODEC(Delta, ZSTD(1)),
    records_index UInt32 CODEC(Delta, ZSTD(1)),
    -- As in events.
    merged_from Array(UUID) CODEC(ZSTD(1)),
    INDEX by_delivery delivery_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_player player_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, webhook_id, attempted_at, delivery_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

-- Webhooks that the service disabled by itself: `gone` (the receiver answered 410) or `failing` (only failures for five
-- days). Every process that starts while it is disabled writes it again: the newest row of a kind is kept.
CREATE TABLE IF NOT EXISTS webhook_disablings
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    webhook_id String,
    reason LowCardinality(String),
    disabled_at DateTime64(3, 'UTC'),
    received_at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(received_at)
ORDER BY (game_id, environment, webhook_id, disabled_at)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
