-- For dashboards. Every view here leaves the test environment out; the tables hold both.
CREATE VIEW IF NOT EXISTS event_counts_daily AS
SELECT
    toDate(received_at) AS day,
    game_id,
    event_name,
    count() AS events,
    uniqExact(player_id) AS players
FROM events
WHERE environment = 'live'
GROUP BY day, game_id, event_name;

CREATE VIEW IF NOT EXISTS active_players_daily AS
SELECT
    toDate(received_at) AS day,
    game_id,
    country,
    uniqExact(player_id) AS players,
    uniqExactIf(player_id, is_payer) AS payers,
    count() AS events
FROM events
WHERE environment = 'live'
GROUP BY day, game_id, country;

CREATE VIEW IF NOT EXISTS players_by_stage AS
SELECT
    game_id,
    lifecycle_stage,
    count() AS players,
    countIf(is_payer) AS payers,
    sum(total_revenue) AS revenue
FROM players
WHERE environment = 'live'
GROUP BY game_id, lifecycle_stage;
