-- Who changed what: one row for each change that a person, an API key or an operator made. The row is written before
-- the change with the outcome `begun` and version 0, and again with its outcome and version 1. Ordered as queries ask:
-- by game and time.
CREATE TABLE IF NOT EXISTS audit_entries
(
    entry_id UUID,
    -- `_`: the deployment.
    game_id LowCardinality(String),
    -- `_`: both environments.
    environment LowCardinality(String),
    at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    -- user, key or cli.
    actor_kind LowCardinality(String),
    actor_id String CODEC(ZSTD(1)),
    -- The e-mail address of a user.
    actor String CODEC(ZSTD(1)),
    network String CODEC(ZSTD(1)),
    kind LowCardinality(String),
    key String CODEC(ZSTD(1)),
    action LowCardinality(String),
    -- The nil UUID if the change concerns no player.
    player_id UUID CODEC(ZSTD(1)),
    -- JSON without secrets; empty: none.
    before String CODEC(ZSTD(3)),
    after String CODEC(ZSTD(3)),
    -- Why, in the words of whoever made the change.
    reason String CODEC(ZSTD(1)),
    -- begun, stored, refused, unknown.
    outcome LowCardinality(String),
    version UInt8,
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (game_id, environment, at, entry_id)
TTL toDateTime(at) + INTERVAL 2 YEAR
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
