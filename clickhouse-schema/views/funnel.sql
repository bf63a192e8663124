-- Ordered steps of players. Parameters:
--   game            the game
--   steps           names of events, at most 10, each named once; else the query fails, also where no event matches
--   window_seconds  from the first step to the last
--   first_day, last_day  UTC days of the first step
--   breakdown       '', 'country', 'platform' or 'app_version' of the player's first day here, 'segment:KEY' or
--                   'variant:FLAG'
-- A player counts with its furthest attempt. Without the next step it is still inside while the window of its latest
-- first step is open; afterwards it has dropped out.
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
        SELECT player_id, event_name, happened_at AS at
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
