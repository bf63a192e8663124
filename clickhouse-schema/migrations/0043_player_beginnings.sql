-- When players were first seen by what an import of players says: another product had them before their first activity here.
CREATE TABLE IF NOT EXISTS player_beginnings
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    player_id UUID CODEC(ZSTD(1)),
    external_id String CODEC(ZSTD(1)),
    first_seen_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    facts_sequence UInt64 CODEC(Delta, ZSTD(1)),
    facts_index UInt32 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, player_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE OR REPLACE VIEW live_player_beginnings AS
SELECT * EXCEPT environment
FROM player_beginnings
WHERE environment = 'live';

-- `cohort_day` is then the day on which the player was first seen, and `first_day` its first day in this table. A player
-- whose first day is not here is in no cohort: what it did on the days behind its first one is not here either.
ALTER TABLE player_days ADD COLUMN IF NOT EXISTS first_day Date DEFAULT cohort_day CODEC(ZSTD(1)) AFTER cohort_day;

CREATE OR REPLACE VIEW live_player_days AS
SELECT * EXCEPT environment
FROM player_days FINAL
WHERE environment = 'live';

-- The views of cohorts, without the players of no cohort.
CREATE OR REPLACE VIEW retention_by_cohort AS
SELECT
    cohort_day,
    game_id,
    countIf(day = cohort_day) AS players,
    if(cohort_day + 1 < toDate(now('UTC')), round(countIf(day = cohort_day + 1) / players, 4), NULL) AS d1,
    if(cohort_day + 3 < toDate(now('UTC')), round(countIf(day = cohort_day + 3) / players, 4), NULL) AS d3,
    if(cohort_day + 7 < toDate(now('UTC')), round(countIf(day = cohort_day + 7) / players, 4), NULL) AS d7,
    if(cohort_day + 14 < toDate(now('UTC')), round(countIf(day = cohort_day + 14) / players, 4), NULL) AS d14,
    if(cohort_day + 30 < toDate(now('UTC')), round(countIf(day = cohort_day + 30) / players, 4), NULL) AS d30
FROM player_days FINAL
WHERE environment = 'live' AND first_day = cohort_day
GROUP BY game_id, cohort_day;

CREATE OR REPLACE VIEW ltv_by_cohort AS
SELECT
    cohort_day,
    game_id,
    countIf(day = cohort_day) AS players,
    countIf(first_purchase_day = day) AS payers,
    sum(days.revenue) AS revenue,
    if(cohort_day < toDate(now('UTC')), round(toFloat64(sumIf(days.revenue, day <= cohort_day)) / players, 4), NULL) AS d0,
    if(cohort_day + 1 < toDate(now('UTC')), round(toFloat64(sumIf(days.revenue, day <= cohort_day + 1)) / players, 4), NULL) AS d1,
    if(cohort_day + 3 < toDate(now('UTC')), round(toFloat64(sumIf(days.revenue, day <= cohort_day + 3)) / players, 4), NULL) AS d3,
    if(cohort_day + 7 < toDate(now('UTC')), round(toFloat64(sumIf(days.revenue, day <= cohort_day + 7)) / players, 4), NULL) AS d7,
    if(cohort_day + 14 < toDate(now('UTC')), round(toFloat64(sumIf(days.revenue, day <= cohort_day + 14)) / players, 4), NULL) AS d14,
    if(cohort_day + 30 < toDate(now('UTC')), round(toFloat64(sumIf(days.revenue, day <= cohort_day + 30)) / players, 4), NULL) AS d30,
    if(cohort_day + 90 < toDate(now('UTC')), round(toFloat64(sumIf(days.revenue, day <= cohort_day + 90)) / players, 4), NULL) AS d90
FROM player_days AS days FINAL
WHERE environment = 'live' AND first_day = cohort_day
GROUP BY game_id, cohort_day;

CREATE OR REPLACE VIEW retention_by_country AS
SELECT
    cohort_day,
    game_id,
    cohort_country AS country,
    countIf(day = cohort_day) AS players,
    if(cohort_day + 1 < toDate(now('UTC')), round(countIf(day = cohort_day + 1) / players, 4), NULL) AS d1,
    if(cohort_day + 3 < toDate(now('UTC')), round(countIf(day = cohort_day + 3) / players, 4), NULL) AS d3,
    if(cohort_day + 7 < toDate(now('UTC')), round(countIf(day = cohort_day + 7) / players, 4), NULL) AS d7,
    if(cohort_day + 14 < toDate(now('UTC')), round(countIf(day = cohort_day + 14) / players, 4), NULL) AS d14,
    if(cohort_day + 30 < toDate(now('UTC')), round(countIf(day = cohort_day + 30) / players, 4), NULL) AS d30
FROM player_days FINAL
WHERE environment = 'live' AND first_day = cohort_day
GROUP BY game_id, cohort_day, cohort_country;

CREATE OR REPLACE VIEW retention_by_platform AS
SELECT
    cohort_day,
    game_id,
    cohort_platform AS platform,
    countIf(day = cohort_day) AS players,
    if(cohort_day + 1 < toDate(now('UTC')), round(countIf(day = cohort_day + 1) / players, 4), NULL) AS d1,
    if(cohort_day + 3 < toDate(now('UTC')), round(countIf(day = cohort_day + 3) / players, 4), NULL) AS d3,
    if(cohort_day + 7 < toDate(now('UTC')), round(countIf(day = cohort_day + 7) / players, 4), NULL) AS d7,
    if(cohort_day + 14 < toDate(now('UTC')), round(countIf(day = cohort_day + 14) / players, 4), NULL) AS d14,
    if(cohort_day + 30 < toDate(now('UTC')), round(countIf(day = cohort_day + 30) / players, 4), NULL) AS d30
FROM player_days FINAL
WHERE environment = 'live' AND first_day = cohort_day
GROUP BY game_id, cohort_day, cohort_platform;

CREATE OR REPLACE VIEW retention_by_app_version AS
SELECT
    cohort_day,
    game_id,
    cohort_app_version AS app_version,
    countIf(day = cohort_day) AS players,
    if(cohort_day + 1 < toDate(now('UTC')), round(countIf(day = cohort_day + 1) / players, 4), NULL) AS d1,
    if(cohort_day + 3 < toDate(now('UTC')), round(countIf(day = cohort_day + 3) / players, 4), NULL) AS d3,
    if(cohort_day + 7 < toDate(now('UTC')), round(countIf(day = cohort_day + 7) / players, 4), NULL) AS d7,
    if(cohort_day + 14 < toDate(now('UTC')), round(countIf(day = cohort_day + 14) / players, 4), NULL) AS d14,
    if(cohort_day + 30 < toDate(now('UTC')), round(countIf(day = cohort_day + 30) / players, 4), NULL) AS d30
FROM player_days FINAL
WHERE environment = 'live' AND first_day = cohort_day
GROUP BY game_id, cohort_day, cohort_app_version;

CREATE OR REPLACE VIEW retention_by_segment AS
SELECT
    days.cohort_day AS cohort_day,
    days.game_id AS game_id,
    members.segment_key AS segment_key,
    countIf(days.day = days.cohort_day) AS players,
    if(days.cohort_day + 1 < toDate(now('UTC')), round(countIf(days.day = days.cohort_day + 1) / players, 4), NULL) AS d1,
    if(days.cohort_day + 3 < toDate(now('UTC')), round(countIf(days.day = days.cohort_day + 3) / players, 4), NULL) AS d3,
    if(days.cohort_day + 7 < toDate(now('UTC')), round(countIf(days.day = days.cohort_day + 7) / players, 4), NULL) AS d7,
    if(days.cohort_day + 14 < toDate(now('UTC')), round(countIf(days.day = days.cohort_day + 14) / players, 4), NULL) AS d14,
    if(days.cohort_day + 30 < toDate(now('UTC')), round(countIf(days.day = days.cohort_day + 30) / players, 4), NULL) AS d30
FROM (SELECT * FROM player_days FINAL WHERE environment = 'live' AND first_day = cohort_day) AS days
INNER JOIN
(
    SELECT game_id, player_id, segment_key
    FROM segment_membership_states FINAL
    WHERE environment = 'live'
) AS members ON members.game_id = days.game_id AND members.player_id = days.player_id
GROUP BY game_id, cohort_day, segment_key;

CREATE OR REPLACE VIEW retention_24h_by_cohort AS
SELECT
    cohort_day,
    game_id,
    countIf(day = cohort_day) AS players,
    if(
        cohort_day + 2 < toDate(now('UTC')),
        round(uniqExactIf(player_id, (day = cohort_day + 1 AND last_at >= cohort_at + INTERVAL 24 HOUR) OR (day = cohort_day + 2 AND first_at < cohort_at + INTERVAL 48 HOUR)) / players, 4),
        NULL
    ) AS d1,
    if(
        cohort_day + 4 < toDate(now('UTC')),
        round(uniqExactIf(player_id, (day = cohort_day + 3 AND last_at >= cohort_at + INTERVAL 72 HOUR) OR (day = cohort_day + 4 AND first_at < cohort_at + INTERVAL 96 HOUR)) / players, 4),
        NULL
    ) AS d3,
    if(
        cohort_day + 8 < toDate(now('UTC')),
        round(uniqExactIf(player_id, (day = cohort_day + 7 AND last_at >= cohort_at + INTERVAL 168 HOUR) OR (day = cohort_day + 8 AND first_at < cohort_at + INTERVAL 192 HOUR)) / players, 4),
        NULL
    ) AS d7,
    if(
        cohort_day + 15 < toDate(now('UTC')),
        round(uniqExactIf(player_id, (day = cohort_day + 14 AND last_at >= cohort_at + INTERVAL 336 HOUR) OR (day = cohort_day + 15 AND first_at < cohort_at + INTERVAL 360 HOUR)) / players, 4),
        NULL
    ) AS d14,
    if(
        cohort_day + 31 < toDate(now('UTC')),
        round(uniqExactIf(player_id, (day = cohort_day + 30 AND last_at >= cohort_at + INTERVAL 720 HOUR) OR (day = cohort_day + 31 AND first_at < cohort_at + INTERVAL 744 HOUR)) / players, 4),
        NULL
    ) AS d30
FROM player_days FINAL
WHERE environment = 'live' AND first_day = cohort_day
GROUP BY game_id, cohort_day;

-- As in 0031. The details of a player are those of its first day here.
CREATE OR REPLACE VIEW funnel AS
WITH
    {steps: Array(String)} AS steps,
    toDateTime64({first_day: Date}, 3, 'UTC') AS since,
    toDateTime64({last_day: Date} + 1, 3, 'UTC') AS until,
    {window_seconds: UInt32} AS window_seconds,
    (
        SELECT throwIf(
            length({steps: Array(String)}) > 10
                OR length(arrayDistinct({steps: Array(String)})) < length({steps: Array(String)}),
            'A funnel has at most 10 steps, each named once')
    ) AS is_refused
SELECT
    value,
    step,
    steps[step] AS event_name,
    countIf(level >= step) AS players,
    countIf(level > step OR level = length(steps)) AS converted,
    countIf(level = step AND level < length(steps) AND is_inside) AS still_inside,
    toUInt64(players - converted - still_inside) AS dropped
FROM
(
    SELECT
        player_id,
        windowFunnel({window_seconds: UInt32} * 1000)(
            toUInt64(toUnixTimestamp64Milli(at)),
            event_name = steps[1] AND at < until,
            event_name = steps[2],
            event_name = steps[3],
            event_name = steps[4],
            event_name = steps[5],
            event_name = steps[6],
            event_name = steps[7],
            event_name = steps[8],
            event_name = steps[9],
            event_name = steps[10]
        ) AS level,
        maxIf(at, event_name = steps[1] AND at < until) + toIntervalSecond(window_seconds) > now64(3, 'UTC') AS is_inside
    FROM
    (
        SELECT player_id, event_name, if(timestamp <= received_at AND timestamp > received_at - INTERVAL 7 DAY, timestamp, received_at) AS at
        FROM events
        WHERE game_id = {game: String}
            AND environment = 'live'
            AND has(steps, event_name)
            AND received_at >= since
            AND received_at < until + toIntervalSecond(window_seconds) + INTERVAL 7 DAY
            AND at >= since
            AND is_refused = 0
    )
    GROUP BY player_id
    HAVING level > 0
) AS reached
LEFT ANY JOIN
(
    SELECT
        player_id,
        multiIf({breakdown: String} = 'country', cohort_country, {breakdown: String} = 'platform', cohort_platform, cohort_app_version) AS value
    FROM player_days FINAL
    WHERE game_id = {game: String} AND environment = 'live' AND day = first_day
        AND {breakdown: String} IN ('country', 'platform', 'app_version')
    UNION ALL
    SELECT player_id, 'member' AS value
    FROM segment_membership_states FINAL
    WHERE game_id = {game: String} AND environment = 'live'
        AND startsWith({breakdown: String}, 'segment:') AND segment_key = substring({breakdown: String}, 9)
    UNION ALL
    SELECT player_id, assumeNotNull(any(variant_key)) AS value
    FROM flag_exposures
    WHERE game_id = {game: String} AND environment = 'live' AND variant_key IS NOT NULL
        AND startsWith({breakdown: String}, 'variant:') AND flag_key = substring({breakdown: String}, 9)
    GROUP BY player_id
    HAVING uniqExact(variant_key) = 1
) AS details ON details.player_id = reached.player_id
ARRAY JOIN arrayEnumerate(steps) AS step
GROUP BY value, step;
