CREATE OR REPLACE VIEW live_player_levels AS
SELECT * EXCEPT environment
FROM player_levels FINAL
WHERE environment = 'live';

-- Levels by the events level_started, level_failed and level_completed with the property `level`. A player who has not
-- completed a level is still trying for seven days after its last attempt.
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
WHERE environment = 'live' AND {{counted}}
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
        {{day happened_at}} AS day,
        game_id,
        currency,
        sumIf(currency_amount, event_name = 'currency_earned') AS sources,
        sumIf(currency_amount, event_name = 'currency_spent') AS sinks,
        countIf(event_name = 'currency_earned') AS source_events,
        countIf(event_name = 'currency_spent') AS sink_events
    FROM events
    WHERE environment = 'live' AND {{counted}} AND event_name IN ('currency_earned', 'currency_spent') AND currency != '' AND currency_amount > 0
    GROUP BY day, game_id, currency
);
