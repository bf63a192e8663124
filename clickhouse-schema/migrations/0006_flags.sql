-- One row for the first time that a player saw a variant of a version of a flag. A plain MergeTree: duplicates are
-- prevented by the writer. Ordered as experiments are read: all players of one version of one flag.
CREATE TABLE IF NOT EXISTS flag_exposures
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    flag_key LowCardinality(String),
    flag_version UInt32,
    -- The experiment that decided, by its key; '': the flag did.
    experiment LowCardinality(String),
    -- The flag's period, from 1. Of an experiment the phase in which the player was assigned.
    period UInt32,
    -- NULL: no variant, but the default or a boolean; `value` says what. Of an experiment the assigned one, also of a
    -- boolean flag; 'holdout': the game holds the player out of it; 'dropped': the experiment has lost the variant.
    variant_key LowCardinality(Nullable(String)),
    -- JSON text.
    value String CODEC(ZSTD(1)),
    reason LowCardinality(String),
    -- Players of one stratum get each variant with the same probability. Of a boolean flag it is how many of 10,000
    -- players like this one get `true`. Of another flag it is 10,000 for its weights, and larger for weights of a rule.
    -- 2147483648 is added for a draw by device or attribute. 0: nothing was drawn, and results leave it out.
    stratum UInt32,
    -- Hash of the device or attribute by which it was drawn: players of one cluster got what they have together, and
    -- results take them for one unit. 0: the player was drawn alone. 1: by several keys.
    cluster UInt32,
    -- How the exposure got its variant: 'served' (last), 'earlier' (the event names one served before), 'named'
    -- (nothing is known to have been served), 'mismatch' (the event names one that was never served) or 'local'
    -- (evaluated by a server SDK).
    attribution LowCardinality(String),
    player_id UUID CODEC(ZSTD(1)),
    external_id String CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    facts_sequence UInt64 CODEC(Delta, ZSTD(1)),
    facts_index UInt32 CODEC(Delta, ZSTD(1)),
    -- As in events.
    merged_from Array(UUID) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, flag_key, flag_version, player_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

-- One row for each player that was served two variants within one period of a flag, or by one experiment: results leave
-- it out. Ordered as they are read.
CREATE TABLE IF NOT EXISTS flag_mixed_players
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    flag_key LowCardinality(String),
    flag_version UInt32,
    -- As in flag_exposures.
    experiment LowCardinality(String),
    period UInt32,
    player_id UUID CODEC(ZSTD(1)),
    external_id String CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    facts_sequence UInt64 CODEC(Delta, ZSTD(1)),
    facts_index UInt32 CODEC(Delta, ZSTD(1)),
    -- As in events.
    merged_from Array(UUID) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, flag_key, flag_version, player_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

-- The newest override of each player and flag; FINAL drops the removed ones. Written and ordered as
-- `segment_membership_states`, for the same reasons: a page of overrides is one range of the primary key.
CREATE TABLE IF NOT EXISTS flag_override_states
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    flag_key LowCardinality(String),
    player_id UUID CODEC(ZSTD(1)),
    external_id String CODEC(ZSTD(1)),
    -- JSON text; '': removed.
    value String CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    removed UInt8,
    version UInt128
)
ENGINE = ReplacingMergeTree(version, removed)
ORDER BY (game_id, environment, flag_key, player_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
