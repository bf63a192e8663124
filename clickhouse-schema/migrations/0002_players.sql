-- The newest state of everything a partition holds: what analysts see of a player, and in `state` the whole of it, from
-- which a node without a local store rebuilds. `version` orders snapshots also after a broker started over: creation,
-- then sequence.
CREATE TABLE IF NOT EXISTS player_snapshots
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    -- 'player', or 'ledger': Idempotency-Keys of one API key, for writes without one player.
    kind LowCardinality(String),
    partition UInt16,
    -- All zeros for what is no player; `entity_id` is then its id, and empty for a player.
    player_id UUID,
    entity_id String,
    external_id String CODEC(ZSTD(1)),
    device_id Nullable(String) CODEC(ZSTD(1)),
    email Nullable(String) CODEC(ZSTD(1)),
    lifecycle_stage LowCardinality(String),
    lifecycle_changed_at DateTime64(3, 'UTC'),
    session_count UInt32,
    purchase_count UInt32,
    total_revenue Decimal(18, 4),
    total_playtime_seconds UInt64,
    is_payer Bool,
    country LowCardinality(String),
    first_seen_at DateTime64(3, 'UTC'),
    last_seen_at DateTime64(3, 'UTC'),
    attributes String CODEC(ZSTD(3)),
    received_at DateTime64(3, 'UTC'),
    state String CODEC(ZSTD(3)),
    last_seq UInt64,
    version UInt128,
    -- Of the player's latest init.
    platform LowCardinality(String),
    app_version LowCardinality(String),
    build LowCardinality(String),
    -- The named computed properties of a player as of the snapshot, as JSON by their key.
    computed String DEFAULT '{}' CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (game_id, environment, player_id, entity_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

-- One row per change of a player's stage. `changed_at` is when it fell due, `received_at` when it was decided.
CREATE TABLE IF NOT EXISTS lifecycle_transitions
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    player_id UUID CODEC(ZSTD(1)),
    external_id String CODEC(ZSTD(1)),
    from_stage LowCardinality(String),
    to_stage LowCardinality(String),
    changed_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    facts_sequence UInt64 CODEC(Delta, ZSTD(1)),
    facts_index UInt32 CODEC(Delta, ZSTD(1)),
    -- As in events.
    merged_from Array(UUID) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, player_id, changed_at)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

-- When players were first seen by what an import of players says: another product had them before their first activity
-- here.
CREATE TABLE IF NOT EXISTS player_beginnings
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    player_id UUID CODEC(ZSTD(1)),
    external_id String CODEC(ZSTD(1)),
    first_seen_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    facts_sequence UInt64 CODEC(Delta, ZSTD(1)),
    facts_index UInt32 CODEC(Delta, ZSTD(1)),
    -- As in events.
    merged_from Array(UUID) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, player_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

-- The players whom figures leave out, marked by `is_test_player`. FINAL drops those who were unmarked. `version` (place
-- in the log, also after a broker started over) picks the newest row of a player.
CREATE TABLE IF NOT EXISTS test_players
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    player_id UUID,
    external_id String CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    unmarked UInt8,
    version UInt128
)
ENGINE = ReplacingMergeTree(version, unmarked)
ORDER BY (game_id, environment, player_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
