-- `events` as a new database gets it. 0001 made it with granules of 8,192 rows and a shorter order, neither of which can be changed
-- where it stands: there this file does nothing, and pages of events are slower. They are a few rows from all over the table, and the
-- engine reads whole granules: of 1,024 rows these are an eighth. Their order is that of the table to the last column: else the
-- engine reads on to sort what is equal so far.
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
    facts_index UInt32 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, event_name, received_at, facts_sequence, facts_index)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
