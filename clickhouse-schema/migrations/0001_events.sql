-- One row per accepted event. Duplicates are prevented by the writer, not cleaned up here: a plain MergeTree.
-- Partitioned by the server's clock: a device's clock may name any year.
-- `properties` and the player's columns are as they were when the event was decided.
CREATE TABLE IF NOT EXISTS events
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
    lifecycle_stage LowCardinality(String),
    is_payer Bool,
    country LowCardinality(String),
    -- Where the fact stands in the log: the record's sequence and the fact's place in the record.
    facts_sequence UInt64 CODEC(Delta, ZSTD(1)),
    facts_index UInt32 CODEC(Delta, ZSTD(1)),
    -- By name and time is how analysts ask. By player, the engine finds rows through this second order, which holds their
    -- positions and not the rows. Measured at 3 million rows: 23 ms for a player's newest 50 events (85 ms without); a full
    -- copy by player answers in 8 ms, but doubles the time of inserts and takes 2.6 times the disk.
    PROJECTION by_player (SELECT _part_offset ORDER BY player_id)
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, event_name, received_at)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
