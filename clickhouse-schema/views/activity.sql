CREATE OR REPLACE VIEW live_player_days AS
SELECT * EXCEPT environment
FROM player_days FINAL
WHERE environment = 'live';

-- Daily figures of the live environment, from `player_days`. `gap` is how many days ago the player was active before,
-- at most 30: a player counts in the windows of 7 and 30 days from the first day of its absence from them, once. A
-- refund and the correction of an amount count on their own day, which need not have a player: they are events of the
-- service, and no activity.
CREATE OR REPLACE VIEW kpis_daily AS
WITH
    grouped AS
    (
        SELECT
            game_id,
            day,
            toInt64(if(isNull(previous_day), 30, least(day - assumeNotNull(previous_day), 30))) AS gap,
            toInt64(count()) AS players,
            countIf(cohort_day = day) AS beginners,
            countIf(purchases > 0) AS paying,
            {{measure first_time_payers}} AS converted,
            sum(gross_revenue) AS paid,
            toDecimal128(0, 4) AS refunded,
            sum(purchases) AS bought,
            sum(sessions) AS played,
            sum(playtime_seconds) AS seconds,
            sum(events) AS counted
        FROM player_days FINAL
        WHERE environment = 'live' AND {{counted}}
        GROUP BY game_id, day, gap
        UNION ALL
        SELECT
            game_id,
            {{day happened_at}} AS day,
            toInt64(30),
            toInt64(0),
            0,
            0,
            0,
            toDecimal128(0, 4),
            toDecimal128({{measure refunds}}, 4),
            0,
            0,
            0,
            0
        FROM purchases
        WHERE environment = 'live' AND {{counted}} AND kind = 'refund'
        GROUP BY game_id, day
        UNION ALL
        SELECT
            game_id,
            {{day happened_at}} AS day,
            toInt64(30),
            toInt64(0),
            0,
            0,
            0,
            toDecimal128(0, 4),
            toDecimal128(0, 4),
            0,
            0,
            0,
            {{measure events}}
        FROM events
        WHERE environment = 'live' AND {{counted}} AND event_name IN ({{passive_events}}) AND source != 'caller'
        GROUP BY game_id, day
    ),
    changes AS
    (
        SELECT
            *,
            arrayJoin([
                (day, toInt64(0), toInt64(0), true),
                (day + greatest(0, 7 - gap), players, 0, false),
                (day + 7, -players, 0, false),
                (day + greatest(0, 30 - gap), 0, players, false),
                (day + 30, 0, -players, false)
            ]) AS change
        FROM grouped
    ),
    days AS
    (
        SELECT
            game_id,
            change.1 AS on_day,
            sum(change.2) AS week,
            sum(change.3) AS month,
            sumIf(players, change.4) AS active,
            sumIf(beginners, change.4) AS beginners,
            sumIf(paying, change.4) AS paying,
            sumIf(converted, change.4) AS converted,
            sumIf(paid, change.4) AS paid,
            sumIf(refunded, change.4) AS refunded,
            sumIf(bought, change.4) AS bought,
            sumIf(played, change.4) AS played,
            sumIf(seconds, change.4) AS seconds,
            sumIf(counted, change.4) AS counted
        FROM changes
        GROUP BY game_id, on_day
    ),
    rolling AS
    (
        SELECT
            *,
            sum(week) OVER (PARTITION BY game_id ORDER BY on_day) AS in_week,
            sum(month) OVER (PARTITION BY game_id ORDER BY on_day) AS in_month
        FROM days
    )
SELECT
    on_day AS day,
    game_id,
    toUInt64(active) AS dau,
    toUInt64(in_week) AS wau,
    toUInt64(in_month) AS mau,
    round(dau / nullIf(mau, 0), 4) AS stickiness,
    beginners AS new_players,
    toUInt64(dau - new_players) AS returning_players,
    paying AS payers,
    converted AS first_time_payers,
    round(payers / nullIf(dau, 0), 4) AS payer_share,
    round(first_time_payers / nullIf(new_players, 0), 4) AS conversion,
    paid - refunded AS revenue,
    paid AS gross_revenue,
    refunded AS refunds,
    bought AS purchases,
    round(toFloat64(revenue) / nullIf(dau, 0), 4) AS arpdau,
    round(toFloat64(revenue) / nullIf(payers, 0), 4) AS arppu,
    played AS sessions,
    round(sessions / nullIf(dau, 0), 4) AS sessions_per_player,
    seconds AS playtime_seconds,
    round(playtime_seconds / nullIf(dau, 0), 1) AS playtime_per_player,
    counted AS events
FROM rolling
WHERE active > 0 OR refunded != 0 OR counted != 0;

-- Active players by the country of their day: each counts once, so the sum of a day is its `dau`.
CREATE OR REPLACE VIEW active_players_daily AS
SELECT
    day,
    game_id,
    country,
    count() AS players,
    countIf(first_purchase_day <= day) AS payers,
    sum(events) AS events
FROM player_days FINAL
WHERE environment = 'live' AND {{counted}}
GROUP BY day, game_id, country;

-- Up to when the days of each game are built. A game with nothing that waits is built up to where the builder looked.
CREATE OR REPLACE VIEW freshness AS
WITH (SELECT maxOrNull(built_to) FROM player_days_builds FINAL WHERE game_id = '') AS looked_to
SELECT
    game_id,
    if(waits_to > 0, nullIf(built_to, toDateTime64(0, 3, 'UTC')), looked_to) AS built_to,
    waits_to > 0 AS waits,
    zone AS time_zone
FROM player_days_builds FINAL
WHERE environment = 'live';
