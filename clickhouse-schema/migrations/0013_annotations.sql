-- The notes of people on days, one row for each version; readers use the view `annotations`. Made from the entries of
-- the audit, without those who wrote them.
CREATE TABLE IF NOT EXISTS annotation_rows
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    annotation_id String,
    -- A day of the game, as 2026-01-15; '' where it is a moment.
    day String,
    moment Nullable(DateTime64(3, 'UTC')),
    text String,
    -- '': none.
    link_kind LowCardinality(String),
    link_key String,
    version UInt32,
    removed UInt8,
    received_at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (game_id, environment, annotation_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
