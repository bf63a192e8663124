-- One row per player and UTC day with an event, a session or a purchase: what the views of activity, retention and revenue
-- read. Derived: a builder writes the rows of a player and day anew from `events`, `sessions` and `purchases` whenever new
-- rows of that day arrive (streams/sinks/clickhouse/player-days/). Ordered by player, so that the days of few players are
-- found at once; views read whole months.
CREATE TABLE IF NOT EXISTS player_days
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    player_id UUID CODEC(ZSTD(1)),
    -- When it happened: see `event_day` in docs/analytics.md.
    day Date CODEC(Delta, ZSTD(1)),
    events UInt64 CODEC(T64, ZSTD(1)),
    sessions UInt32 CODEC(T64, ZSTD(1)),
    playtime_seconds UInt64 CODEC(T64, ZSTD(1)),
    purchases Int32 CODEC(T64, ZSTD(1)),
    revenue Decimal(18, 4) CODEC(ZSTD(1)),
    -- The last that an event of the day names; '' without one.
    country LowCardinality(String),
    -- The player's first day in this table, the one before this, and the first with more purchases than reversals; NULL: none.
    cohort_day Date CODEC(ZSTD(1)),
    previous_day Nullable(Date) CODEC(ZSTD(1)),
    first_purchase_day Nullable(Date) CODEC(ZSTD(1)),
    -- Whether these three columns are final for now. If not, the builder was interrupted and will go on.
    is_placed Bool,
    -- The creation of FACTS, then the sequence up to which rows were read, the place of the day in its build, and the step.
    version UInt128 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(day)
ORDER BY (game_id, environment, player_id, day)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- How far `player_days` is built. The newest row counts.
CREATE TABLE IF NOT EXISTS player_days_builds
(
    -- The creation of FACTS in epoch milliseconds, and the sequence up to which its rows are built.
    stream_created UInt64,
    sequence UInt64,
    built_at DateTime64(3, 'UTC'),
    seconds Float64,
    name LowCardinality(String) DEFAULT 'player_days'
)
ENGINE = ReplacingMergeTree(built_at)
ORDER BY name
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- The builder looks for rows behind a sequence. Inserts of the sink leave these indexes out; merges add
-- them. Older parts are read without.
ALTER TABLE events ADD INDEX IF NOT EXISTS by_sequence facts_sequence TYPE minmax GRANULARITY 4;

ALTER TABLE sessions ADD INDEX IF NOT EXISTS by_sequence facts_sequence TYPE minmax GRANULARITY 1;

ALTER TABLE purchases ADD INDEX IF NOT EXISTS by_sequence facts_sequence TYPE minmax GRANULARITY 1;
