-- One row per level and player, from the events level_started, level_failed and level_completed: what progression_by_level
-- counts without a set of players. Derived: the builder of player_days writes a row anew whenever events of it arrive
-- (streams/sinks/clickhouse/player-days/levels.ts). `days` lets it replace the events of one day without reading the
-- others. Small granules, because a build reads few rows of many levels.
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
    -- As in player_days; 0 in the rows that this migration makes.
    version UInt128 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (game_id, environment, level, player_id)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1;

-- The events that there are. What comes after the position that player_days is built to, the builder adds; it is noted first,
-- so that no event is between the two.
INSERT INTO player_days_builds (stream_created, sequence, built_at, seconds, name)
SELECT stream_created, sequence, now64(3, 'UTC'), 0, 'player_levels'
FROM player_days_builds FINAL
WHERE name = 'player_days';

INSERT INTO player_levels (game_id, environment, level, player_id, starts, fails, completes, last_at, days, version)
SELECT
    game_id,
    environment,
    level,
    player_id,
    sum(own_starts),
    sum(own_fails),
    sum(own_completes),
    max(own_last_at),
    groupArray((day, own_starts, own_fails, own_completes, own_last_at)),
    0
FROM
(
    SELECT
        game_id,
        environment,
        JSONExtractString(properties, 'level') AS level,
        player_id,
        toDate(if(timestamp <= received_at AND timestamp > received_at - INTERVAL 7 DAY, timestamp, received_at), 'UTC') AS day,
        toUInt32(countIf(event_name = 'level_started')) AS own_starts,
        toUInt32(countIf(event_name = 'level_failed')) AS own_fails,
        toUInt32(countIf(event_name = 'level_completed')) AS own_completes,
        max(if(timestamp <= received_at AND timestamp > received_at - INTERVAL 7 DAY, timestamp, received_at)) AS own_last_at
    FROM events
    WHERE event_name IN ('level_started', 'level_failed', 'level_completed') AND level != ''
    GROUP BY game_id, environment, level, player_id, day
)
GROUP BY game_id, environment, level, player_id
SETTINGS max_threads = 2, max_memory_usage = 2147483648, max_bytes_before_external_group_by = 536870912;

CREATE OR REPLACE VIEW live_player_levels AS
SELECT * EXCEPT environment
FROM player_levels FINAL
WHERE environment = 'live';

-- As in 0031, from player_levels.
CREATE OR REPLACE VIEW progression_by_level AS
SELECT
    game_id,
    level,
    toInt64OrNull(CAST(level, 'String')) AS level_number,
    count() AS players,
    sum(own.starts) AS starts,
    sum(own.fails) AS fails,
    sum(own.completes) AS completes,
    greatest(starts, fails + completes) AS attempts,
    round(attempts / players, 4) AS attempts_per_player,
    countIf(own.completes > 0) AS players_completed,
    countIf(own.completes = 0 AND own.last_at > now64(3, 'UTC') - INTERVAL 7 DAY) AS players_trying,
    toUInt64(players - players_completed - players_trying) AS players_dropped,
    round(players_completed / players, 4) AS completion_rate,
    round(players_dropped / players, 4) AS drop_off
FROM player_levels AS own FINAL
WHERE environment = 'live'
GROUP BY game_id, level;
