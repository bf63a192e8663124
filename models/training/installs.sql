-- Labelled installs for training: one row for each device that was scored in the live environment.
--
-- Features: those of a device's last score within an hour of its first. An app may score early and again at 30 minutes;
-- a score of the next day does not describe the first 30 minutes.
-- Label: whether the first purchase of a player with this device was within 24 hours after that score. Devices that had
-- already paid are left out, because the effects of a purchase would leak into the features. Scores younger than 24
-- hours have no label yet and are left out.
-- Times are the server's. Sampling by hash of the device keeps the share of payers.
WITH
    first_hour AS
    (
        SELECT
            game_id,
            device_id,
            (loot_distinct_types, sess_duration_total, match_avg_fight_time, match_wins, install_hour, vpay_count)
                AS features,
            scored_at,
            min(scored_at) OVER (PARTITION BY game_id, device_id) AS first_scored_at
        FROM scores
        WHERE environment = 'live' AND NOT forced AND (game_id = {game:String} OR {game:String} = '')
    ),
    installs AS
    (
        SELECT game_id, device_id, argMax(features, scored_at) AS features, max(scored_at) AS last_scored_at
        FROM first_hour
        WHERE scored_at <= first_scored_at + INTERVAL 1 HOUR
        GROUP BY game_id, device_id
    ),
    first_purchases AS
    (
        SELECT
            players.game_id AS game_id,
            assumeNotNull(players.device_id) AS device_id,
            min(purchases.received_at) AS first_purchase_at
        FROM players
        INNER JOIN purchases ON purchases.game_id = players.game_id AND purchases.player_id = players.player_id
        WHERE players.environment = 'live' AND purchases.environment = 'live' AND players.device_id IS NOT NULL
        GROUP BY game_id, device_id
    ),
    labelled AS
    (
        -- Devices without a purchase join to the type's default: the start of 1970, before any score.
        SELECT
            installs.device_id AS device_id,
            installs.features AS features,
            installs.last_scored_at AS last_scored_at,
            toUnixTimestamp64Milli(toDateTime64(first_purchases.first_purchase_at, 3, 'UTC')) AS purchase_ms,
            toUnixTimestamp64Milli(toDateTime64(installs.last_scored_at, 3, 'UTC')) AS score_ms
        FROM installs
        LEFT JOIN first_purchases
            ON first_purchases.game_id = installs.game_id AND first_purchases.device_id = installs.device_id
    )
SELECT
    features.1,
    features.2,
    features.3,
    features.4,
    features.5,
    features.6,
    purchase_ms > score_ms AND purchase_ms <= score_ms + 86400000,
    score_ms / 1000
FROM labelled
WHERE purchase_ms NOT BETWEEN 1 AND score_ms
    AND last_scored_at >= parseDateTime64BestEffort({from:String}, 3, 'UTC')
    AND last_scored_at < parseDateTime64BestEffort({until:String}, 3, 'UTC')
    AND last_scored_at <= now64(3) - INTERVAL 24 HOUR
ORDER BY cityHash64(device_id), score_ms
LIMIT {rows:UInt64}
FORMAT TabSeparated
