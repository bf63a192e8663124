-- The versions of definitions: one row for each change of a flag, segment, campaign, computed property, event schema,
-- webhook, saved query or annotation, and of a game's settings. Made from the entries of the audit: the row is written
-- before the change with the outcome `begun`, and again with its outcome, which replaces it. Ordered as queries ask: by
-- definition and time. Rows do not expire: a definition that was unchanged for years still has its version.
CREATE TABLE IF NOT EXISTS definition_changes
(
    game_id LowCardinality(String),
    -- `_`: both environments, for a game's settings.
    environment LowCardinality(String),
    kind LowCardinality(String),
    -- Its key, or its id where people choose another key; of an event schema, the name of its events as in the audit.
    key String CODEC(ZSTD(1)),
    at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    entry_id UUID,
    version UInt32,
    action LowCardinality(String),
    -- user, key or cli.
    actor_kind LowCardinality(String),
    actor_id String CODEC(ZSTD(1)),
    -- The e-mail address of a user.
    actor String CODEC(ZSTD(1)),
    reason String CODEC(ZSTD(1)),
    -- JSON of the whole definition, without secrets and ids of players; empty: deleted, or larger than the bound.
    document String CODEC(ZSTD(3)),
    -- begun, stored, refused, unknown.
    outcome LowCardinality(String),
    written UInt8,
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1))
)
ENGINE = ReplacingMergeTree(written)
ORDER BY (game_id, environment, kind, key, at, entry_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1,
    index_granularity = 256;
