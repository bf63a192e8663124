-- One row for the first time a player saw a variant of a version of a flag. A plain MergeTree: duplicates are prevented by the
-- writer. Ordered as experiments are read: all players of one version of one flag.
CREATE TABLE IF NOT EXISTS flag_exposures
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    flag_key LowCardinality(String),
    flag_version UInt32,
    -- NULL: no variant, but the default or a boolean; `value` says what.
    variant_key LowCardinality(Nullable(String)),
    -- JSON text.
    value String CODEC(ZSTD(1)),
    reason LowCardinality(String),
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

-- For dashboards: the test environment is left out, as in every such view.
CREATE VIEW IF NOT EXISTS flag_exposures_daily AS
SELECT
    toDate(received_at) AS day,
    game_id,
    flag_key,
    flag_version,
    variant_key,
    count() AS exposures,
    uniqExact(player_id) AS players
FROM flag_exposures
WHERE environment = 'live'
GROUP BY day, game_id, flag_key, flag_version, variant_key;
