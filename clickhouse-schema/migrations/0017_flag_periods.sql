-- The period of the flag an exposure belongs to (0 in rows from before there were periods), and how it got its variant: 'served'
-- (last), 'earlier' (the event names one served before), 'named' (nothing is known to have been served), 'mismatch' (the event
-- names one that was never served); '' in older rows.
ALTER TABLE flag_exposures
    ADD COLUMN IF NOT EXISTS period UInt32 DEFAULT 0 AFTER flag_version,
    ADD COLUMN IF NOT EXISTS attribution LowCardinality(String) DEFAULT '' AFTER reason;

-- One row for each player that was served two variants within one period of a flag: results leave it out. Ordered as they are
-- read.
CREATE TABLE IF NOT EXISTS flag_mixed_players
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    flag_key LowCardinality(String),
    flag_version UInt32,
    period UInt32,
    player_id UUID CODEC(ZSTD(1)),
    external_id String CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    facts_sequence UInt64 CODEC(Delta, ZSTD(1)),
    facts_index UInt32 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, flag_key, flag_version, player_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
