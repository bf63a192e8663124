-- One row per merge of a guest into an account, and one per take-back of a merge: what the sink has to move, and what it
-- has moved. `step` picks the newest row: 0 known, 1 moved (the guest's rows are the account's), 2 settled (rows that
-- came later, as attempts of webhooks do, are moved too). The view `merged_players` shows the merges that hold.
CREATE TABLE IF NOT EXISTS player_merges
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    -- The guest.
    player_id UUID,
    external_id String CODEC(ZSTD(1)),
    into_player_id UUID,
    into_external_id String CODEC(ZSTD(1)),
    merge_id String CODEC(ZSTD(1)),
    -- When the merge began, or when it was taken back.
    merged_at DateTime64(3, 'UTC'),
    received_at DateTime64(3, 'UTC'),
    -- 1: the merge was taken back.
    undone UInt8,
    step UInt8,
    -- Where the merge stands in the log: the guest's rows before it move. FACTS' creation in epoch milliseconds, the
    -- record's sequence, the fact's place in the record.
    facts_created UInt64,
    facts_sequence UInt64,
    facts_index UInt32
)
ENGINE = ReplacingMergeTree(step)
ORDER BY (game_id, environment, player_id, facts_created, facts_sequence, facts_index)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
