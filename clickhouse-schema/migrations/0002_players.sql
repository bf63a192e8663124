-- The newest state of everything a partition holds: what analysts see of a player, and in `state` the whole of it, from which
-- a node without a local store rebuilds. `version` orders snapshots over a broker that started over: creation, then sequence.
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
    version UInt128
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (game_id, environment, player_id, entity_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE VIEW IF NOT EXISTS players AS
SELECT
    player_id AS id,
    player_id,
    game_id,
    environment,
    external_id,
    device_id,
    email,
    lifecycle_stage,
    lifecycle_changed_at,
    session_count,
    purchase_count,
    total_revenue,
    total_playtime_seconds,
    is_payer,
    country,
    first_seen_at,
    last_seen_at,
    attributes,
    received_at
FROM player_snapshots FINAL
WHERE kind = 'player';
