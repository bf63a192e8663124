-- One row for everything that happens between a campaign and a player, in the order of the funnel. Ordered as campaigns are
-- looked at: all players of one.
CREATE TABLE IF NOT EXISTS campaign_events
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    campaign_id LowCardinality(String),
    campaign_key LowCardinality(String),
    -- As it was when the intervention was triggered.
    campaign_version UInt32,
    player_id UUID CODEC(ZSTD(1)),
    external_id String CODEC(ZSTD(1)),
    -- 'triggered', 'suppressed', 'offered' (by a sync), 'shown' or 'clicked'.
    event LowCardinality(String),
    -- Of 'suppressed', else '': 'cap_total', 'cap_per_day', 'cooldown', 'cap_all_campaigns', 'quiet_hours', 'waiting_full' or
    -- 'holdout'. Once per campaign, player, reason and UTC day.
    reason LowCardinality(String),
    -- Of 'triggered' and 'suppressed', else '': what set it off, as 'event:level_failed'.
    cause LowCardinality(String),
    -- NULL for 'suppressed'.
    intervention_id Nullable(String) CODEC(ZSTD(1)),
    -- The session that brought it, showed it or was clicked in, as far as there is one.
    session_id Nullable(String) CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    facts_sequence UInt64 CODEC(Delta, ZSTD(1)),
    facts_index UInt32 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, campaign_id, player_id, received_at)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

-- Each campaign's funnel, and what those who were held out did without it. A player belongs to an arm from the first time the
-- campaign would have given it something; holdout is the last thing asked, so both arms are players of one kind. Who was in
-- both arms (the share was changed) is in neither. Purchases count for 7 days (of 24 hours) from then on: who entered later
-- than that ago counts with what it did so far. The test environment is left out, as in every such view.
CREATE VIEW IF NOT EXISTS campaign_funnels AS
WITH
    entries AS
    (
        SELECT
            game_id,
            campaign_id,
            player_id,
            argMax(campaign_key, received_at) AS key_then,
            countIf(event = 'triggered') > 0 AS is_treated,
            countIf(event = 'suppressed' AND reason = 'holdout') > 0 AS is_held_out,
            minIf(received_at, event = 'triggered' OR reason = 'holdout') AS entered_at,
            countIf(event = 'offered') > 0 AS was_offered,
            countIf(event = 'shown') > 0 AS was_shown,
            countIf(event = 'clicked') > 0 AS has_clicked
        FROM campaign_events
        WHERE environment = 'live'
        GROUP BY game_id, campaign_id, player_id
        HAVING is_treated != is_held_out
    ),
    bought AS
    (
        SELECT
            entries.game_id AS game_id,
            entries.campaign_id AS campaign_id,
            entries.player_id AS player_id,
            count() AS times,
            sum(purchases.amount) AS spent
        FROM entries
        INNER JOIN
        (
            SELECT game_id, player_id, amount, received_at
            FROM purchases
            WHERE environment = 'live'
        ) AS purchases ON purchases.game_id = entries.game_id AND purchases.player_id = entries.player_id
        WHERE purchases.received_at >= entries.entered_at
            AND purchases.received_at < entries.entered_at + INTERVAL 168 HOUR
        GROUP BY game_id, campaign_id, player_id
    )
SELECT
    entries.game_id AS game_id,
    entries.campaign_id AS campaign_id,
    any(entries.key_then) AS campaign_key,
    if(entries.is_treated, 'treatment', 'holdout') AS arm,
    count() AS players,
    countIf(entries.was_offered) AS players_offered,
    countIf(entries.was_shown) AS players_shown,
    countIf(entries.has_clicked) AS players_clicked,
    countIf(bought.times > 0) AS players_purchased,
    players_purchased / players AS conversion_rate,
    sum(bought.times) AS purchases,
    sum(bought.spent) AS revenue
FROM entries
LEFT JOIN bought ON bought.game_id = entries.game_id AND bought.campaign_id = entries.campaign_id AND bought.player_id = entries.player_id
GROUP BY game_id, campaign_id, arm;

-- How often each campaign did what, by day.
CREATE VIEW IF NOT EXISTS campaign_events_daily AS
SELECT
    toDate(received_at) AS day,
    game_id,
    campaign_id,
    campaign_key,
    event,
    reason,
    count() AS events,
    uniqExact(player_id) AS players
FROM campaign_events
WHERE environment = 'live'
GROUP BY day, game_id, campaign_id, campaign_key, event, reason;
