-- Sessions by the UTC day of their start, as player_days counts them.
CREATE OR REPLACE VIEW sessions_daily AS
SELECT
    toDate(if(ifNull(start_time <= received_at AND start_time > received_at - INTERVAL 7 DAY, 0), assumeNotNull(start_time), received_at), 'UTC') AS day,
    game_id,
    count() AS sessions,
    uniqExact(player_id) AS players,
    sum(duration_seconds) AS playtime_seconds,
    round(playtime_seconds / sessions, 1) AS mean_seconds,
    quantileExact(0.5)(duration_seconds) AS median_seconds,
    quantileExact(0.9)(duration_seconds) AS p90_seconds,
    round(sessions / players, 4) AS sessions_per_player,
    round(playtime_seconds / players, 1) AS playtime_per_player
FROM sessions
WHERE environment = 'live'
GROUP BY day, game_id;

-- As retention_by_cohort, by what the player's first day says of itself.
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
WHERE environment = 'live'
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
WHERE environment = 'live'
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
WHERE environment = 'live'
GROUP BY game_id, cohort_day, cohort_app_version;

-- As retention_by_cohort, of the players who are members of a segment now. A player counts in each of its segments.
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
FROM (SELECT * FROM player_days FINAL WHERE environment = 'live') AS days
INNER JOIN
(
    SELECT game_id, player_id, segment_key
    FROM segment_membership_states FINAL
    WHERE environment = 'live'
) AS members ON members.game_id = days.game_id AND members.player_id = days.player_id
GROUP BY game_id, cohort_day, segment_key;

-- Players by the day of their first exposure to a version of a flag, and which of them were active exactly N UTC days later.
-- Players who were served two variants are left out, as in the results of experiments.
CREATE OR REPLACE VIEW retention_by_variant AS
SELECT
    exposed.exposure_day AS exposure_day,
    exposed.game_id AS game_id,
    exposed.flag_key AS flag_key,
    exposed.flag_version AS flag_version,
    exposed.variant AS variant_key,
    uniqExact(exposed.player_id) AS players,
    if(exposed.exposure_day + 1 < toDate(now('UTC')), round(countIf(days.day = exposed.exposure_day + 1) / players, 4), NULL) AS d1,
    if(exposed.exposure_day + 3 < toDate(now('UTC')), round(countIf(days.day = exposed.exposure_day + 3) / players, 4), NULL) AS d3,
    if(exposed.exposure_day + 7 < toDate(now('UTC')), round(countIf(days.day = exposed.exposure_day + 7) / players, 4), NULL) AS d7,
    if(exposed.exposure_day + 14 < toDate(now('UTC')), round(countIf(days.day = exposed.exposure_day + 14) / players, 4), NULL) AS d14,
    if(exposed.exposure_day + 30 < toDate(now('UTC')), round(countIf(days.day = exposed.exposure_day + 30) / players, 4), NULL) AS d30
FROM
(
    SELECT
        game_id,
        flag_key,
        flag_version,
        player_id,
        assumeNotNull(any(variant_key)) AS variant,
        toDate(min(received_at), 'UTC') AS exposure_day
    FROM flag_exposures
    WHERE environment = 'live' AND variant_key IS NOT NULL
        AND (game_id, flag_key, flag_version, player_id) NOT IN
        (
            SELECT game_id, flag_key, flag_version, player_id FROM flag_mixed_players WHERE environment = 'live'
        )
    GROUP BY game_id, flag_key, flag_version, player_id
    HAVING uniqExact(variant_key) = 1
) AS exposed
LEFT JOIN
(
    SELECT game_id, player_id, day
    FROM player_days FINAL
    WHERE environment = 'live'
) AS days ON days.game_id = exposed.game_id AND days.player_id = exposed.player_id
GROUP BY game_id, flag_key, flag_version, variant_key, exposure_day;

-- Players of each first day, and which of them were active in the Nth window of 24 hours after their first event. NULL while
-- the window of some player of the cohort is not over. The first and the last time of a day decide: what begins before the
-- hour of the first event belongs to the window before.
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
WHERE environment = 'live'
GROUP BY game_id, cohort_day;

-- Levels by the events level_started, level_failed and level_completed with the property `level`. A player who has not
-- completed a level is still trying for seven days after its last attempt.
CREATE OR REPLACE VIEW progression_by_level AS
SELECT
    game_id,
    level,
    toInt64OrNull(level) AS level_number,
    count() AS players,
    sum(own_starts) AS starts,
    sum(own_fails) AS fails,
    sum(own_completes) AS completes,
    sum(greatest(own_starts, own_fails + own_completes)) AS attempts,
    round(attempts / players, 4) AS attempts_per_player,
    countIf(own_completes > 0) AS players_completed,
    countIf(own_completes = 0 AND last_at > now64(3, 'UTC') - INTERVAL 7 DAY) AS players_trying,
    toUInt64(players - players_completed - players_trying) AS players_dropped,
    round(players_completed / players, 4) AS completion_rate,
    round(players_dropped / players, 4) AS drop_off
FROM
(
    SELECT
        game_id,
        JSONExtractString(properties, 'level') AS level,
        player_id,
        countIf(event_name = 'level_started') AS own_starts,
        countIf(event_name = 'level_failed') AS own_fails,
        countIf(event_name = 'level_completed') AS own_completes,
        max(if(timestamp <= received_at AND timestamp > received_at - INTERVAL 7 DAY, timestamp, received_at)) AS last_at
    FROM events
    WHERE environment = 'live' AND event_name IN ('level_started', 'level_failed', 'level_completed') AND level != ''
    GROUP BY game_id, level, player_id
)
GROUP BY game_id, level;

-- What players earned and spent of each currency, by the events currency_earned and currency_spent with the properties
-- `currency` and `amount`. `balance` is what all players hold at the end of the day.
CREATE OR REPLACE VIEW economy_daily AS
SELECT
    day,
    game_id,
    currency,
    sources,
    sinks,
    sources - sinks AS flow,
    sum(sources - sinks) OVER (PARTITION BY game_id, currency ORDER BY day) AS balance,
    source_events,
    sink_events
FROM
(
    SELECT
        day,
        game_id,
        currency,
        sumIf(amount, event_name = 'currency_earned') AS sources,
        sumIf(amount, event_name = 'currency_spent') AS sinks,
        countIf(event_name = 'currency_earned') AS source_events,
        countIf(event_name = 'currency_spent') AS sink_events
    FROM
    (
        SELECT
            toDate(if(timestamp <= received_at AND timestamp > received_at - INTERVAL 7 DAY, timestamp, received_at), 'UTC') AS day,
            game_id,
            event_name,
            JSONExtractString(properties, 'currency') AS currency,
            toDecimal64OrZero(JSONExtractRaw(properties, 'amount'), 4) AS amount
        FROM events
        WHERE environment = 'live' AND event_name IN ('currency_earned', 'currency_spent')
    )
    WHERE currency != '' AND amount > 0
    GROUP BY day, game_id, currency
);

-- Changes between stages, by the UTC day on which they fell due.
CREATE OR REPLACE VIEW stage_flows_daily AS
SELECT
    toDate(changed_at, 'UTC') AS day,
    game_id,
    from_stage,
    to_stage,
    count() AS transitions,
    uniqExact(player_id) AS players
FROM lifecycle_transitions
WHERE environment = 'live'
GROUP BY day, game_id, from_stage, to_stage;

-- Ordered steps of players. Parameters:
--   game            the game
--   steps           names of events, at most 10, each named once
--   window_seconds  from the first step to the last
--   first_day, last_day  UTC days of the first step
--   breakdown       '', 'country', 'platform' or 'app_version' of the player's first day, 'segment:KEY' or 'variant:FLAG'
-- A player counts with its furthest attempt. Who did not reach the next step is still inside while the window of its
-- latest first step is open, and has dropped out afterwards.
CREATE OR REPLACE VIEW funnel AS
WITH
    {steps: Array(String)} AS steps,
    toDateTime64({first_day: Date}, 3, 'UTC') AS since,
    toDateTime64({last_day: Date} + 1, 3, 'UTC') AS until,
    {window_seconds: UInt32} AS window_seconds
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
            AND throwIf(length(steps) > 10 OR length(arrayDistinct(steps)) < length(steps), 'A funnel has at most 10 steps, each named once') = 0
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
    WHERE game_id = {game: String} AND environment = 'live' AND day = cohort_day
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
