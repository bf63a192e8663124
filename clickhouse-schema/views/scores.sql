-- Scores that a test device id forced are tests too.
CREATE OR REPLACE VIEW live_scores AS
SELECT * EXCEPT (environment, forced)
FROM scores
WHERE environment = 'live' AND NOT forced;

CREATE OR REPLACE VIEW live_challenger_scores AS
SELECT * EXCEPT (environment, forced)
FROM challenger_scores
WHERE environment = 'live' AND NOT forced;

CREATE OR REPLACE VIEW scores_daily AS
SELECT
    {{day scored_at}} AS day,
    game_id,
    model_version,
    bucket,
    count() AS scores,
    uniqExact(device_id) AS devices,
    avg(score) AS mean_score
FROM scores
WHERE environment = 'live' AND NOT forced
GROUP BY day, game_id, model_version, bucket;

-- Population stability index of every input of a model and of its score, by day: the sum over the reference's bins of
-- (share - reference) * ln(share / reference), with shares of at least 0.0001 so that an empty bin has a logarithm. A
-- common reading: under 0.1 stable, over 0.25 another population. Chance gives about (bins - 1) / devices: look at
-- `devices`. A device counts once a day, with its last score, as installs count once in the reference. Values compare
-- as the model sees them, as float32.
CREATE OR REPLACE VIEW score_drift_daily AS
WITH
    installs AS
    (
        SELECT
            {{day scored_at}} AS day,
            game_id,
            model_version,
            argMax(
                (loot_distinct_types, sess_duration_total, match_avg_fight_time, match_wins, install_hour, vpay_count, score),
                (scored_at, records_sequence, records_index)
            ) AS last
        FROM scores
        WHERE environment = 'live' AND NOT forced
        GROUP BY day, game_id, model_version, device_id
    ),
    measured AS
    (
        SELECT
            day,
            game_id,
            model_version,
            arrayJoin([
                ('loot_distinct_types', toFloat32(last.1)),
                ('sess_duration_total', toFloat32(last.2)),
                ('match_avg_fight_time', toFloat32(last.3)),
                ('match_wins', toFloat32(last.4)),
                ('install_hour', toFloat32(last.5)),
                ('vpay_count', toFloat32(last.6)),
                ('score', toFloat32(last.7))
            ]) AS measurement
        FROM installs
    ),
    binned AS
    (
        SELECT
            measured.day AS day,
            measured.game_id AS game_id,
            measured.model_version AS model_version,
            reference.measure AS measure,
            any(reference.shares) AS expected,
            arrayCount(edge -> measured.measurement.2 > edge, reference.edges) + 1 AS bin,
            count() AS devices
        FROM measured
        INNER JOIN
        (
            SELECT model_version, measure, arrayMap(edge -> toFloat32(edge), edges) AS edges, shares
            FROM model_references FINAL
        ) AS reference
            ON reference.model_version = measured.model_version AND reference.measure = measured.measurement.1
        GROUP BY day, game_id, model_version, measure, bin
    ),
    spread AS
    (
        SELECT
            day,
            game_id,
            model_version,
            measure,
            any(expected) AS reference_shares,
            sum(devices) AS all_devices,
            sumForEach(arrayMap(place -> if(place = bin, devices, 0), arrayEnumerate(expected))) AS counts
        FROM binned
        GROUP BY day, game_id, model_version, measure
    )
SELECT
    day,
    game_id,
    model_version,
    measure,
    all_devices AS devices,
    arrayMap(found -> found / all_devices, counts) AS shares,
    reference_shares,
    arraySum(
        (found, reference) -> (greatest(found, 0.0001) - greatest(reference, 0.0001))
            * log(greatest(found, 0.0001) / greatest(reference, 0.0001)),
        shares,
        reference_shares
    ) AS psi
FROM spread;

-- Whether scores came true, by bucket: of the devices scored on a day, how many made their first purchase within 24
-- hours. As in training, a device's last score within an hour of its first counts. Devices that had paid before, or
-- were scored less than 24 hours ago, are left out. A model is calibrated where `conversion_rate` is about
-- `mean_score`.
CREATE OR REPLACE VIEW score_calibration_daily AS
WITH
    installs AS
    (
        SELECT
            game_id,
            device_id,
            arraySort(groupArray((scored_at, score, bucket, model_version))) AS answers,
            arrayLast(answer -> answer.1 <= answers[1].1 + INTERVAL 1 HOUR, answers) AS answer,
            answer.1 AS last_scored_at
        FROM scores
        WHERE environment = 'live' AND NOT forced
        GROUP BY game_id, device_id
    ),
    first_purchases AS
    (
        SELECT
            players.game_id AS game_id,
            assumeNotNull(players.device_id) AS device_id,
            toNullable(min(purchases.received_at)) AS first_purchase_at
        FROM players
        INNER JOIN purchases ON purchases.game_id = players.game_id AND purchases.player_id = players.player_id
        WHERE players.environment = 'live' AND purchases.environment = 'live' AND players.device_id IS NOT NULL
            AND purchases.counts > 0
        GROUP BY game_id, device_id
    )
SELECT
    {{day installs.last_scored_at installs.game_id}} AS day,
    installs.game_id AS game_id,
    installs.answer.4 AS model_version,
    installs.answer.3 AS bucket,
    count() AS devices,
    countIf(first_purchases.first_purchase_at <= installs.last_scored_at + INTERVAL 24 HOUR) AS buyers,
    avg(installs.answer.2) AS mean_score,
    buyers / devices AS conversion_rate
FROM installs
LEFT JOIN first_purchases
    ON first_purchases.game_id = installs.game_id AND first_purchases.device_id = installs.device_id
WHERE (first_purchases.first_purchase_at IS NULL OR first_purchases.first_purchase_at > installs.last_scored_at)
    AND installs.last_scored_at <= now64(3) - INTERVAL 24 HOUR
GROUP BY day, game_id, model_version, bucket;
