-- One row for each step between a campaign and a player, in the order of the funnel. Ordered as reports read it: all
-- players of one campaign.
CREATE TABLE IF NOT EXISTS campaign_events
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    campaign_id LowCardinality(String),
    campaign_key LowCardinality(String),
    -- As it was when the intervention was triggered.
    campaign_version UInt32,
    player_id UUID CODEC(ZSTD(1)),
    external_id String CODEC(ZSTD(1)),
    -- 'triggered', 'suppressed', 'offered' (by a sync), 'shown', 'clicked' or 'dismissed'.
    event LowCardinality(String),
    -- Of 'suppressed', else '': 'cap_total', 'cap_per_day', 'cooldown', 'cap_all_campaigns', 'quiet_hours',
    -- 'waiting_full' or 'holdout'. Once per campaign, player, reason and UTC day.
    reason LowCardinality(String),
    -- Of 'triggered' and 'suppressed', else '': the trigger, as 'event:level_failed'.
    cause LowCardinality(String),
    -- NULL for 'suppressed'.
    intervention_id Nullable(String) CODEC(ZSTD(1)),
    -- The session in which it was offered, shown or clicked; NULL without one.
    session_id Nullable(String) CODEC(ZSTD(1)),
    -- The variant of the message; '' without variants.
    variant LowCardinality(String),
    -- Of 'clicked', else '': the id of the button, '' if the game named none.
    button LowCardinality(String),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    facts_sequence UInt64 CODEC(Delta, ZSTD(1)),
    facts_index UInt32 CODEC(Delta, ZSTD(1)),
    -- As in events.
    merged_from Array(UUID) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, campaign_id, player_id, received_at)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
