CREATE OR REPLACE VIEW live_sessions AS
SELECT * EXCEPT environment, happened_at
FROM sessions
WHERE environment = 'live';

-- Sessions by the day of their start, as player_days counts them.
CREATE OR REPLACE VIEW sessions_daily AS
SELECT
    {{day happened_at}} AS day,
    game_id,
    {{measure sessions}} AS sessions,
    uniqExact(player_id) AS players,
    {{measure playtime_seconds}} AS playtime_seconds,
    round(playtime_seconds / sessions, 1) AS mean_seconds,
    quantilesExact(0.5, 0.9)(duration_seconds)[1] AS median_seconds,
    quantilesExact(0.5, 0.9)(duration_seconds)[2] AS p90_seconds,
    round(sessions / players, 4) AS sessions_per_player,
    round(playtime_seconds / players, 1) AS playtime_per_player
FROM sessions
WHERE environment = 'live' AND {{counted}}
GROUP BY day, game_id;

CREATE OR REPLACE VIEW live_purchases AS
SELECT * EXCEPT environment, happened_at
FROM purchases
WHERE environment = 'live';

-- One row per transaction with a receipt: what the store said of it last, and what it counts now.
CREATE OR REPLACE VIEW purchase_receipts AS
SELECT
    game_id,
    player_id,
    assumeNotNull(transaction_id) AS transaction,
    min(received_at) AS reported_at,
    argMaxIf(store, (facts_created, facts_sequence, facts_index), receipt_state != '') AS last_store,
    argMaxIf(receipt_state, (facts_created, facts_sequence, facts_index), receipt_state != '') AS state,
    argMaxIf(receipt_reason, (facts_created, facts_sequence, facts_index), receipt_state != '') AS reason,
    argMaxIf(product_id, (facts_created, facts_sequence, facts_index), isNotNull(reported_amount)) AS product,
    argMaxIf(proven_product_id, (facts_created, facts_sequence, facts_index), receipt_state = 'verified') AS proven_product,
    argMaxIf(reported_amount, (facts_created, facts_sequence, facts_index), isNotNull(reported_amount)) AS reported,
    sum(amount) AS revenue
FROM purchases
WHERE environment = 'live' AND {{counted}} AND isNotNull(transaction_id)
GROUP BY game_id, player_id, transaction_id
HAVING state != '';

-- Purchases and payers of a day are those who bought, whatever is refunded later. A refund counts on its own day.
CREATE OR REPLACE VIEW purchases_daily AS
SELECT
    day,
    game_id,
    sum(times) AS purchases,
    countIf(paid > 0) AS payers,
    sum(net) AS revenue,
    sum(gross) AS gross_revenue,
    sum(refunded) AS refunds
FROM
(
    SELECT
        {{day happened_at}} AS day,
        game_id,
        player_id,
        {{measure purchases}} AS times,
        {{measure payers}} AS paid,
        {{measure revenue}} AS net,
        {{measure gross_revenue}} AS gross,
        {{measure refunds}} AS refunded
    FROM purchases
    WHERE environment = 'live' AND {{counted}}
    GROUP BY day, game_id, player_id
)
GROUP BY day, game_id;
