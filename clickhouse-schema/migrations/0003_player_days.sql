-- One row per player and day with an event, a session or a purchase: what the views of activity, retention and
-- revenue read. Derived: a builder writes the rows of a player and day anew from `events`, `sessions` and `purchases`
-- whenever new rows of that day arrive (streams/sinks/clickhouse/player-days/). Ordered by player, so that the days of
-- few players are found at once; views read whole months.
CREATE TABLE IF NOT EXISTS player_days
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    player_id UUID CODEC(ZSTD(1)),
    -- The day of `happened_at`.
    day Date CODEC(Delta, ZSTD(1)),
    events UInt64 CODEC(T64, ZSTD(1)),
    sessions UInt32 CODEC(T64, ZSTD(1)),
    playtime_seconds UInt64 CODEC(T64, ZSTD(1)),
    purchases Int32 CODEC(T64, ZSTD(1)),
    -- What was paid; refunds are rows of purchases only, because they make no day of a player.
    gross_revenue Decimal(18, 4) CODEC(ZSTD(1)),
    -- The last that an event of the day names; '' without one.
    country LowCardinality(String),
    -- The last that an event of the day names, else the last that a session names; '' without one.
    platform LowCardinality(String),
    app_version LowCardinality(String),
    -- The first and the last event, session or purchase of the day.
    first_at DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    last_at DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    -- The day on which the player was first seen, and its first day in this table. A player whose first day is not here
    -- is in no cohort: its activity between the two days is not here either.
    cohort_day Date CODEC(ZSTD(1)),
    first_day Date CODEC(ZSTD(1)),
    -- Details of the player's first day: retention by country, platform and version, and in windows of 24 hours, reads
    -- them from the row of each day.
    cohort_at DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    cohort_country LowCardinality(String),
    cohort_platform LowCardinality(String),
    cohort_app_version LowCardinality(String),
    -- The day before this one in this table, and the first with purchases, whatever was refunded later; NULL: none.
    previous_day Nullable(Date) CODEC(ZSTD(1)),
    first_purchase_day Nullable(Date) CODEC(ZSTD(1)),
    -- The creation of FACTS, then the sequence up to which rows were read, then a number that grows with each build.
    version UInt128 CODEC(ZSTD(1)),
    -- 1: the player has no such day any more, because the game's time zone changed. FINAL leaves the row out.
    removed UInt8
)
ENGINE = ReplacingMergeTree(version, removed)
PARTITION BY toYYYYMM(day)
ORDER BY (game_id, environment, player_id, day)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- One row per level and player, from the events level_started, level_failed and level_completed: what
-- progression_by_level counts without a set of players. Derived: the builder of player_days writes a row anew whenever
-- events of it arrive (streams/sinks/clickhouse/player-days/levels.ts). `days` lets it replace the events of one day
-- without reading the others. Small granules, because a build reads few rows of many levels.
CREATE TABLE IF NOT EXISTS player_levels
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    level LowCardinality(String),
    player_id UUID CODEC(ZSTD(1)),
    starts UInt32 CODEC(T64, ZSTD(1)),
    fails UInt32 CODEC(T64, ZSTD(1)),
    completes UInt32 CODEC(T64, ZSTD(1)),
    last_at DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    -- The same of each day; the days are those of player_days.
    days Array(Tuple(day Date, starts UInt32, fails UInt32, completes UInt32, last_at DateTime64(3, 'UTC'))) CODEC(ZSTD(1)),
    -- As in player_days.
    version UInt128 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (game_id, environment, level, player_id)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1;

-- The days of a build that is under way, in a partition for each game and environment. Nobody reads them: when a build
-- has all of its days, it writes them to player_days at once.
CREATE TABLE IF NOT EXISTS player_days_staged
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    player_id UUID,
    day Date,
    events UInt64,
    sessions UInt32,
    playtime_seconds UInt64,
    purchases Int32,
    gross_revenue Decimal(18, 4),
    country LowCardinality(String),
    platform LowCardinality(String),
    app_version LowCardinality(String),
    first_at DateTime64(3, 'UTC'),
    last_at DateTime64(3, 'UTC'),
    cohort_day Date,
    first_day Date,
    cohort_at DateTime64(3, 'UTC'),
    cohort_country LowCardinality(String),
    cohort_platform LowCardinality(String),
    cohort_app_version LowCardinality(String),
    previous_day Nullable(Date),
    first_purchase_day Nullable(Date),
    -- Whether the columns from cohort_day on are those of the stored row. If not, the end of the build finds them.
    is_placed Bool
)
ENGINE = MergeTree
PARTITION BY (game_id, environment)
ORDER BY (player_id, day);

-- How far player_days and player_levels are built: a row for each game and environment. The row without a game says how
-- far the builder has looked for rows; a game with nothing that waits, or without a row, is built up to there.
CREATE TABLE IF NOT EXISTS player_days_builds
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    -- The creation of FACTS in epoch milliseconds, and the sequence up to which its rows are built.
    stream_created UInt64,
    sequence UInt64,
    -- Rows up to this sequence wait to be built; 0: none.
    waits_to UInt64,
    -- Everything received before is built. The epoch while all days are built again in another time zone.
    built_to DateTime64(3, 'UTC'),
    -- The time zone of the days; '' before the first build.
    zone LowCardinality(String),
    -- When the last build ended, how long it took, and the version of its rows.
    built_at DateTime64(3, 'UTC'),
    seconds Float64,
    version UInt128,
    -- Grows with each note: the newest one counts.
    noted UInt64
)
ENGINE = ReplacingMergeTree(noted)
ORDER BY (game_id, environment)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
