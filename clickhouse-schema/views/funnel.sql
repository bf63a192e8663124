-- Ordered steps of players: the query API's funnel in order, made of the same text. Parameters:
--   game            the game
--   steps           names of events, at most 10; else the query fails, also where no event matches
--   window_seconds  from the first step to the last
--   first_day, last_day  days of the first step
--   breakdown       '', 'country', 'platform' or 'app_version' of the player's first day here, 'segment:KEY' or
--                   'variant:FLAG': players of the flag's newest period, as results of experiments count them
CREATE OR REPLACE VIEW funnel AS
WITH
    {steps: Array(String)} AS steps,
    {first_day: Date} AS first_day_of_range,
    {last_day: Date} + 1 AS day_after_range,
    {{start first_day_of_range {game: String}}} AS since,
    {{start day_after_range {game: String}}} AS until,
    {window_seconds: UInt32} AS window_seconds,
    (
        SELECT throwIf(
            length({steps: Array(String)}) > 10
                OR {last_day: Date} - {first_day: Date} + {window_seconds: UInt32} / 86400 > 1500,
            'A funnel has at most 10 steps, and its days with the window are at most 1500')
    ) AS is_refused,
    named AS
    (
        SELECT player_id, event_name, happened_at, facts_sequence, facts_index
        FROM events
        WHERE game_id = {game: String}
            AND environment = 'live' AND {{counted}}
            AND has(steps, event_name)
            AND received_at >= since
            AND received_at < until + toIntervalSecond(window_seconds) + INTERVAL 7 DAY
            AND happened_at >= since
            AND happened_at < until + toIntervalSecond(window_seconds)
            AND is_refused = 0
    )
SELECT
    value,
    step,
    steps[step] AS event_name,
    reached[step] AS players,
    if(step = length(steps), players, reached[step + 1]) AS converted,
    waiting[step] AS still_inside,
    toUInt64(players - converted - still_inside) AS dropped,
    if(step = 1 OR players = 0, NULL, from_previous[step][1] / 1000) AS median_from_previous,
    if(step = 1 OR players = 0, NULL, from_previous[step][2] / 1000) AS p90_from_previous,
    if(step = 1 OR players = 0, NULL, from_first[step][1] / 1000) AS median_from_first,
    if(step = 1 OR players = 0, NULL, from_first[step][2] / 1000) AS p90_from_first
FROM
(
    SELECT
        details.value AS value,
        {{funnel_figures length(steps)}}
    FROM
    (
        {{funnel_players named}}
    ) AS attempts
    LEFT ANY JOIN
    (
        SELECT
            player_id,
            multiIf({breakdown: String} = 'country', cohort_country, {breakdown: String} = 'platform', cohort_platform, cohort_app_version) AS value
        FROM player_days FINAL
        WHERE game_id = {game: String} AND environment = 'live' AND {{counted}} AND day = first_day
            AND {breakdown: String} IN ('country', 'platform', 'app_version')
        UNION ALL
        SELECT player_id, 'member' AS value
        FROM segment_membership_states FINAL
        WHERE game_id = {game: String} AND environment = 'live' AND {{counted}}
            AND startsWith({breakdown: String}, 'segment:') AND segment_key = substring({breakdown: String}, 9)
        UNION ALL
        -- Players with different chances are never mixed: they are 'true of 25 %' and 'true of 50 %', or 'a' and 'a of
        -- split 1093486411'.
        SELECT
            player_id,
            multiIf(
                stratum % 2147483648 = 10000, variant,
                stratum % 2147483648 < 10000, concat(variant, ' of ', toString(stratum % 2147483648 / 100), ' %'),
                concat(variant, ' of split ', toString(stratum))
            ) AS value
        FROM ({{drawn_players game_id = {game: String} AND startsWith({breakdown: String}, 'variant:') AND flag_key = substring({breakdown: String}, 9) }}) AS drawn
        WHERE period =
            (
                SELECT max(period)
                FROM flag_exposures
                WHERE game_id = {game: String} AND environment = 'live' AND {{counted}} AND experiment = ''
                    AND flag_key = substring({breakdown: String}, 9)
            )
    ) AS details ON details.player_id = attempts.player_id
    GROUP BY value
)
ARRAY JOIN arrayEnumerate(steps) AS step;
