-- Who made an event: 'service' for what the service makes of recorded sessions and purchases, 'caller' for all else. Of older
-- rows the events of those two names may be either, which '' says.
ALTER TABLE events ADD COLUMN IF NOT EXISTS source LowCardinality(String)
    DEFAULT if(event_name IN ('purchase', 'session_recorded'), '', 'caller') AFTER schema_fault;

-- The kind of the API key that it came with, 'client' or 'server'; '' where the service made it, and in older rows.
ALTER TABLE events ADD COLUMN IF NOT EXISTS key_kind LowCardinality(String) DEFAULT '' AFTER source;

ALTER TABLE quarantined_events ADD COLUMN IF NOT EXISTS key_kind LowCardinality(String) DEFAULT '' AFTER reason;

-- A server key's purchase replaces one that a client key recorded under the same transaction_id. Then there is one more row
-- that takes the client's back: all its values, with the negative amount, and -1 in `counts`. So sum(amount) is what was
-- paid and sum(counts) how often, by whatever rows are grouped.
ALTER TABLE purchases ADD COLUMN IF NOT EXISTS recorded_by LowCardinality(String) DEFAULT '' AFTER received_at;

ALTER TABLE purchases ADD COLUMN IF NOT EXISTS counts Int8 DEFAULT 1 AFTER recorded_by;

CREATE OR REPLACE VIEW purchases_daily AS
SELECT
    day,
    game_id,
    sum(times) AS purchases,
    countIf(times > 0) AS payers,
    sum(spent) AS revenue
FROM
(
    SELECT
        toDate(received_at) AS day,
        game_id,
        player_id,
        sum(counts) AS times,
        sum(amount) AS spent
    FROM purchases
    WHERE environment = 'live'
    GROUP BY day, game_id, player_id
)
GROUP BY day, game_id;

-- As in 0009, but for `counts`.
CREATE OR REPLACE VIEW campaign_funnels AS
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
            sum(purchases.counts) AS times,
            sum(purchases.amount) AS spent
        FROM entries
        INNER JOIN
        (
            SELECT game_id, player_id, amount, counts, received_at
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
