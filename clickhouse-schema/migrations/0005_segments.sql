-- One row per entry or exit. `received_at` of a timed change is when it fell due, as its fact says.
CREATE TABLE IF NOT EXISTS segment_transitions
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    segment_id LowCardinality(String),
    segment_key LowCardinality(String),
    player_id UUID CODEC(ZSTD(1)),
    external_id String CODEC(ZSTD(1)),
    -- 'entered' or 'exited'.
    transition LowCardinality(String),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    facts_sequence UInt64 CODEC(Delta, ZSTD(1)),
    facts_index UInt32 CODEC(Delta, ZSTD(1)),
    -- As in events.
    merged_from Array(UUID) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, segment_id, player_id, received_at)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

-- The newest transition of each player and segment; FINAL drops players who exited. The writer inserts this row beside
-- the transition, and `version` (place in the log, also after a broker started over) picks the newest of rows that are
-- repeated or late. So it is exact after every replay. A materialized view is not: it is filled apart from its source,
-- and a crash in between leaves it short. A view over `segment_transitions` would be exact too, but reads all
-- transitions of a segment for its members now; here a page of members is one range of the primary key.
CREATE TABLE IF NOT EXISTS segment_membership_states
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    segment_id LowCardinality(String),
    player_id UUID CODEC(ZSTD(1)),
    segment_key LowCardinality(String),
    external_id String CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    exited UInt8,
    version UInt128
)
ENGINE = ReplacingMergeTree(version, exited)
ORDER BY (game_id, environment, segment_id, player_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
