-- One row per erasure of a player: its receipt, and the sink's list of pending deletions. It does not say who the
-- player was. `step` picks the newest row: 0 known, 1 counted (`rows_deleted` is set before anything is deleted, so
-- that a crash in between does not lose it), 2 done.
CREATE TABLE IF NOT EXISTS erasures
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    player_id UUID,
    erased_at DateTime64(3, 'UTC'),
    received_at DateTime64(3, 'UTC'),
    rows_deleted UInt64,
    step UInt8,
    -- Where the erasure stands in the log: rows before it are deleted, rows of a later life of the player stay. FACTS'
    -- creation in epoch milliseconds, the record's sequence, the fact's place in the record.
    facts_created UInt64,
    facts_sequence UInt64,
    facts_index UInt32,
    -- The player's device until the erasure is settled, because scores name a device only; '' without one and
    -- afterwards.
    device_id String
)
ENGINE = ReplacingMergeTree(step)
ORDER BY (game_id, environment, player_id, facts_created, facts_sequence, facts_index)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
