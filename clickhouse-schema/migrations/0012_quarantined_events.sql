-- One row per event that broke an enforced schema: kept, but no event. Ordered as they are listed and replayed: by time, and by
-- place in the log within a millisecond. Plain MergeTrees: duplicates are prevented by the writer.
CREATE TABLE IF NOT EXISTS quarantined_events
(
    event_id String CODEC(ZSTD(1)),
    game_id LowCardinality(String),
    environment LowCardinality(String),
    player_id UUID CODEC(ZSTD(1)),
    external_id String CODEC(ZSTD(1)),
    event_name LowCardinality(String),
    session_id Nullable(String) CODEC(ZSTD(1)),
    properties String CODEC(ZSTD(3)),
    timestamp DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    -- Counts the quarantined events of the player, from 1: by it each is released once.
    quarantine_number UInt64 CODEC(ZSTD(1)),
    schema_version UInt32 CODEC(ZSTD(1)),
    -- What the schema had against it, the first few faults: [{"path": "/level", "message": "must be integer"}].
    reason String CODEC(ZSTD(1)),
    facts_sequence UInt64 CODEC(Delta, ZSTD(1)),
    facts_index UInt32 CODEC(Delta, ZSTD(1)),
    INDEX by_name event_name TYPE set(64),
    INDEX by_player player_id TYPE bloom_filter,
    INDEX by_event event_id TYPE bloom_filter
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, received_at, facts_sequence, facts_index)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

-- One row per quarantined event that was tracked after all; the event itself stands in `events`, under its own id and with the
-- time of its release as `received_at`. Ordered by when it was quarantined, as that is how both tables are brought together.
CREATE TABLE IF NOT EXISTS quarantine_releases
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    player_id UUID CODEC(ZSTD(1)),
    event_id String CODEC(ZSTD(1)),
    event_name LowCardinality(String),
    quarantine_number UInt64 CODEC(ZSTD(1)),
    quarantined_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    facts_sequence UInt64 CODEC(Delta, ZSTD(1)),
    facts_index UInt32 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, quarantined_at, player_id, quarantine_number)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
