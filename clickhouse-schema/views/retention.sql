-- Players of each first day, and which of them were active exactly N days later. NULL while day N is not over.
-- Without the players of no cohort: see `first_day` of player_days.
CREATE OR REPLACE VIEW retention_by_cohort AS
{{retention}};

-- Players of each first day, and which of them were active in the Nth window of 24 hours after their first event. NULL
-- while the window of some player of the cohort is not over. The first and the last time of a day decide: what begins
-- before the hour of the first event belongs to the window before.
CREATE OR REPLACE VIEW retention_24h_by_cohort AS
{{retention_24h}};

-- As retention_by_cohort, by the details of the player's first day.
CREATE OR REPLACE VIEW retention_by_country AS
{{retention cohort_country AS country}};

CREATE OR REPLACE VIEW retention_by_platform AS
{{retention cohort_platform AS platform}};

CREATE OR REPLACE VIEW retention_by_app_version AS
{{retention cohort_app_version AS app_version}};

-- As retention_by_cohort, of the players who are members of a segment now. A player counts in each of its segments.
CREATE OR REPLACE VIEW retention_by_segment AS
SELECT
    days.cohort_day AS cohort_day,
    days.game_id AS game_id,
    members.segment_key AS segment_key,
    countIf(days.day = days.cohort_day) AS players,
    {{retained_days days.cohort_day days.day}}
FROM (SELECT * FROM player_days FINAL WHERE environment = 'live' AND {{counted}} AND first_day = cohort_day) AS days
INNER JOIN
(
    SELECT game_id, player_id, segment_key
    FROM segment_membership_states FINAL
    WHERE environment = 'live' AND {{counted}}
) AS members ON members.game_id = days.game_id AND members.player_id = days.player_id
GROUP BY game_id, cohort_day, segment_key;

-- Players by the day of their first exposure in a period of a flag, and which of them were active exactly N days later.
-- Players count as in the results of experiments: those for whom a variant was drawn, who met no other, and who took
-- part in no earlier period. Compare variants of one period and stratum.
CREATE OR REPLACE VIEW retention_by_variant AS
SELECT
    exposed.exposure_day AS exposure_day,
    exposed.game_id AS game_id,
    exposed.flag_key AS flag_key,
    exposed.period AS period,
    exposed.stratum AS stratum,
    exposed.variant AS variant_key,
    uniqExact(exposed.player_id) AS players,
    {{retained_days exposed.exposure_day days.day}}
FROM
(
    SELECT game_id, flag_key, period, stratum, variant, player_id, {{day first_place.1}} AS exposure_day
    FROM ({{drawn_players}})
) AS exposed
LEFT JOIN
(
    SELECT game_id, player_id, day
    FROM player_days FINAL
    WHERE environment = 'live' AND {{counted}}
) AS days ON days.game_id = exposed.game_id AND days.player_id = exposed.player_id
GROUP BY game_id, flag_key, period, stratum, variant_key, exposure_day;

-- Revenue per player of each first day, up to and including the Nth day after it, less what was refunded by then.
-- NULL while that day is not over.
CREATE OR REPLACE VIEW ltv_by_cohort AS
SELECT
    cohort_day,
    game_id,
    countIf(is_first) AS players,
    countIf(has_first_purchase) AS payers,
    sum(paid) AS revenue,
    sumIf(paid, NOT is_refund) AS gross_revenue,
    gross_revenue - revenue AS refunds,
    if(cohort_day < {{today}}, round(toFloat64(sumIf(paid, day <= cohort_day)) / players, 4), NULL) AS d0,
    if(cohort_day + 1 < {{today}}, round(toFloat64(sumIf(paid, day <= cohort_day + 1)) / players, 4), NULL) AS d1,
    if(cohort_day + 3 < {{today}}, round(toFloat64(sumIf(paid, day <= cohort_day + 3)) / players, 4), NULL) AS d3,
    if(cohort_day + 7 < {{today}}, round(toFloat64(sumIf(paid, day <= cohort_day + 7)) / players, 4), NULL) AS d7,
    if(cohort_day + 14 < {{today}}, round(toFloat64(sumIf(paid, day <= cohort_day + 14)) / players, 4), NULL) AS d14,
    if(cohort_day + 30 < {{today}}, round(toFloat64(sumIf(paid, day <= cohort_day + 30)) / players, 4), NULL) AS d30,
    if(cohort_day + 90 < {{today}}, round(toFloat64(sumIf(paid, day <= cohort_day + 90)) / players, 4), NULL) AS d90
FROM
(
    SELECT
        game_id,
        cohort_day,
        day,
        gross_revenue AS paid,
        day = cohort_day AS is_first,
        {{added first_time_payers}} AS has_first_purchase,
        false AS is_refund
    FROM player_days FINAL
    WHERE environment = 'live' AND {{counted}} AND first_day = cohort_day
    UNION ALL
    SELECT first_days.game_id, first_days.cohort_day, refunds.day, refunds.paid, false, false, true
    FROM player_days AS first_days FINAL
    INNER JOIN
    (
        SELECT game_id, player_id, {{day happened_at}} AS day, -{{measure refunds}} AS paid
        FROM purchases
        WHERE environment = 'live' AND {{counted}} AND kind = 'refund'
        GROUP BY game_id, player_id, day
    ) AS refunds ON refunds.game_id = first_days.game_id AND refunds.player_id = first_days.player_id
    WHERE first_days.environment = 'live' AND {{counted first_days}} AND first_days.first_day = first_days.cohort_day
        AND first_days.day = first_days.cohort_day
)
GROUP BY game_id, cohort_day;
