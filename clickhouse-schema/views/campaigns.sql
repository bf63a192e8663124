CREATE OR REPLACE VIEW live_campaign_events AS
SELECT * EXCEPT environment
FROM campaign_events
WHERE environment = 'live';

CREATE OR REPLACE VIEW campaign_events_daily AS
SELECT
    {{day received_at}} AS day,
    game_id,
    campaign_id,
    campaign_key,
    event,
    reason,
    count() AS events,
    uniqExact(player_id) AS players
FROM campaign_events
WHERE environment = 'live' AND {{counted}}
GROUP BY day, game_id, campaign_id, campaign_key, event, reason;

-- What players clicked, by button and variant: the button is '' if the game named none.
CREATE OR REPLACE VIEW campaign_buttons AS
SELECT
    game_id,
    campaign_id,
    campaign_key,
    variant,
    button,
    count() AS clicks,
    uniqExact(player_id) AS players
FROM campaign_events
WHERE environment = 'live' AND {{counted}} AND event = 'clicked'
GROUP BY game_id, campaign_id, campaign_key, variant, button;

-- The funnel of each campaign, and what held-out players did without it. A player belongs to an arm from the first time
-- that the campaign would have given it a message; holdout is checked last, so both arms have players of one kind. A
-- player of both arms (the share was changed) is in neither. Purchases count for 7 times 24 hours from then on, each
-- transaction once, less what was refunded of it, whenever that was; players who entered later than that count with
-- what they did so far.
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
        WHERE environment = 'live' AND {{counted}}
        GROUP BY game_id, campaign_id, player_id
        HAVING is_treated != is_held_out
    ),
    bought AS
    (
        SELECT
            entries.game_id AS game_id,
            entries.campaign_id AS campaign_id,
            entries.player_id AS player_id,
            sum(purchases.times) AS times,
            sum(purchases.gross) AS gross,
            sum(purchases.net) AS spent
        FROM entries
        INNER JOIN
        (
            SELECT
                game_id,
                player_id,
                {{measure purchases}} AS times,
                {{measure gross_revenue}} AS gross,
                {{measure revenue}} AS net,
                min(received_at) AS bought_at
            FROM purchases
            WHERE environment = 'live' AND {{counted}} AND (game_id, player_id) IN (SELECT game_id, player_id FROM entries)
            GROUP BY game_id, player_id, transaction_id, if(isNull(transaction_id), (facts_sequence, facts_index), (0, 0))
        ) AS purchases ON purchases.game_id = entries.game_id AND purchases.player_id = entries.player_id
        WHERE purchases.bought_at >= entries.entered_at
            AND purchases.bought_at < entries.entered_at + INTERVAL 168 HOUR
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
    sum(bought.spent) AS revenue,
    sum(bought.gross) AS gross_revenue,
    gross_revenue - revenue AS refunds
FROM entries
LEFT JOIN bought ON bought.game_id = entries.game_id AND bought.campaign_id = entries.campaign_id AND bought.player_id = entries.player_id
GROUP BY game_id, campaign_id, arm;

-- A campaign's arms over the same time of each player. Parameters:
--   game, campaign    the game, and the campaign's id or key
--   conversion_event  the event that counts as converted
--   window_hours      from the first time that the campaign would have given the player something
--   variants_since    0: the arms are treatment and holdout. Otherwise each variant is an arm, by the messages of
--                     campaigns of this version and later ones
-- A player belongs to an arm as in campaign_funnels; of variants, to the only one whose messages it got. The last columns are guardrails: what a message must not make
-- worse.
CREATE OR REPLACE VIEW campaign_readout AS
WITH
    entries AS
    (
        SELECT
            campaign_id,
            player_id,
            argMax(campaign_key, received_at) AS key_then,
            countIf(event = 'triggered') > 0 AS is_treated,
            countIf(event = 'suppressed' AND reason = 'holdout') > 0 AS is_held_out,
            minIf(received_at, event = 'triggered' OR reason = 'holdout') AS entered_at,
            entered_at + toIntervalHour({window_hours: UInt32}) AS left_at,
            countIf(event = 'triggered') AS own_messages,
            countIf(event = 'offered') > 0 AS was_sent,
            countIf(event = 'shown') > 0 AS was_shown,
            countIf(event = 'clicked') > 0 AS has_clicked,
            anyIf(variant, event = 'triggered') AS drawn
        FROM campaign_events
        WHERE game_id = {game: String} AND environment = 'live' AND {{counted}}
            AND (campaign_id = {campaign: String} OR campaign_key = {campaign: String})
            AND campaign_version >= {variants_since: UInt32}
        GROUP BY campaign_id, player_id
        HAVING is_treated != is_held_out
            AND ({variants_since: UInt32} = 0 OR (is_treated AND drawn != '' AND uniqExactIf(variant, event = 'triggered') = 1))
    ),
    activity AS
    (
        SELECT
            entries.campaign_id AS campaign_id,
            entries.player_id AS player_id,
            sum(done.is_conversion) AS conversions,
            sum(done.counts) AS times,
            sum(done.gross) AS gross,
            sum(done.net) AS spent,
            sum(done.is_session) AS sessions,
            sum(done.seconds) AS seconds,
            uniqExactIf({{day done.at {game: String}}}, done.is_activity) AS days,
            countIf(done.is_activity AND done.at >= entries.entered_at + INTERVAL 24 HOUR) > 0 AS has_returned
        FROM entries
        INNER JOIN
        (
            SELECT player_id, received_at AS at, event_name = {conversion_event: String} AS is_conversion,
                0 AS counts, toDecimal64(0, 4) AS gross, toDecimal64(0, 4) AS net, 0 AS is_session, 0 AS seconds,
                event_name NOT IN ({{passive_events}}) OR source = 'caller' AS is_activity
            FROM events
            WHERE game_id = {game: String} AND environment = 'live' AND {{counted}}
                AND received_at >= (SELECT min(received_at) FROM campaign_events WHERE game_id = {game: String} AND environment = 'live' AND {{counted}} AND (campaign_id = {campaign: String} OR campaign_key = {campaign: String}))
            UNION ALL
            SELECT player_id, min(received_at), 0, {{measure purchases}}, {{measure gross_revenue}}, {{measure revenue}},
                0, 0, false
            FROM purchases
            WHERE game_id = {game: String} AND environment = 'live' AND {{counted}} AND player_id IN (SELECT player_id FROM entries)
            GROUP BY player_id, transaction_id, if(isNull(transaction_id), (facts_sequence, facts_index), (0, 0))
            UNION ALL
            SELECT player_id, happened_at, 0, 0, toDecimal64(0, 4), toDecimal64(0, 4), 1, duration_seconds, false
            FROM sessions
            WHERE game_id = {game: String} AND environment = 'live' AND {{counted}}
        ) AS done ON done.player_id = entries.player_id
        WHERE done.at >= entries.entered_at AND done.at < entries.left_at
        GROUP BY campaign_id, player_id
    )
SELECT
    entries.campaign_id AS campaign_id,
    any(entries.key_then) AS campaign_key,
    multiIf({variants_since: UInt32} > 0, entries.drawn, entries.is_treated, 'treatment', 'holdout') AS arm,
    count() AS players,
    countIf(entries.left_at > now64(3, 'UTC')) AS players_inside,
    sum(entries.own_messages) AS messages,
    countIf(entries.was_sent) AS sent,
    countIf(entries.was_shown) AS shown,
    countIf(entries.has_clicked) AS clicked,
    countIf(activity.conversions > 0) AS converted,
    converted / players AS conversion_rate,
    countIf(activity.times > 0) AS payers,
    sum(activity.times) AS purchases,
    sum(activity.spent) AS revenue,
    sum(activity.gross) AS gross_revenue,
    gross_revenue - revenue AS refunds,
    toFloat64(revenue) / players AS revenue_per_player,
    stddevSampStable(toFloat64(activity.spent)) AS revenue_deviation,
    skewPop(toFloat64(activity.spent)) AS revenue_skewness,
    kurtPop(toFloat64(activity.spent)) AS revenue_kurtosis,
    sum(activity.sessions) / players AS sessions_per_player,
    sum(activity.seconds) / players AS playtime_per_player,
    sum(activity.days) / players AS active_days_per_player,
    countIf(activity.has_returned) / players AS return_rate,
    countIf(stages.lifecycle_stage IN ('at_risk', 'churned')) / players AS lapsed_rate
FROM entries
LEFT JOIN activity ON activity.campaign_id = entries.campaign_id AND activity.player_id = entries.player_id
LEFT ANY JOIN
(
    SELECT player_id, lifecycle_stage
    FROM player_snapshots FINAL
    WHERE game_id = {game: String} AND environment = 'live' AND {{counted}} AND kind = 'player'
) AS stages ON stages.player_id = entries.player_id
GROUP BY campaign_id, arm;
