-- One row per answered score; `challenger_scores` holds what a model in the shadow of the answering one would have said of the
-- same installs. Plain MergeTrees: duplicates are prevented by the writer. Ordered as people ask, by day, and within a day by
-- device. Test keys are told by `environment`, reserved device ids by `forced`: every view leaves both out.
CREATE TABLE IF NOT EXISTS scores
(
    -- A UUIDv7 of the scoring process.
    record_id UUID CODEC(ZSTD(1)),
    game_id LowCardinality(String),
    tenant LowCardinality(String),
    environment LowCardinality(String),
    device_id String CODEC(ZSTD(1)),
    -- What the model was given; the model itself sees float32.
    loot_distinct_types Int64 CODEC(ZSTD(1)),
    sess_duration_total Float64 CODEC(ZSTD(1)),
    match_avg_fight_time Float64 CODEC(ZSTD(1)),
    match_wins Int64 CODEC(ZSTD(1)),
    install_hour UInt8 CODEC(ZSTD(1)),
    vpay_count Int64 CODEC(ZSTD(1)),
    -- As it was answered: a float32, widened.
    score Float64 CODEC(ZSTD(1)),
    bucket LowCardinality(String),
    model_version LowCardinality(String),
    forced Bool,
    scored_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    -- When the record became durable.
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    records_sequence UInt64 CODEC(Delta, ZSTD(1)),
    records_index UInt32 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, toDate(scored_at), device_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS challenger_scores AS scores;

-- How each input of a model, and its score, was spread over the installs it was evaluated on: what drift is measured against.
-- Share i is of values `edges[i - 1] < value <= edges[i]`, the last one of those above the last edge. A model is told of whenever
-- a process loads it: the newest row counts.
CREATE TABLE IF NOT EXISTS model_references
(
    model_version LowCardinality(String),
    -- A feature's name, or 'score'.
    measure LowCardinality(String),
    edges Array(Float64),
    shares Array(Float64),
    received_at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(received_at)
ORDER BY (model_version, measure)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE VIEW IF NOT EXISTS scores_daily AS
SELECT
    toDate(scored_at) AS day,
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
-- (share - reference) * ln(share / reference), with shares of at least 0.0001 so that an empty bin has a logarithm. A common
-- reading: under 0.1 stable, over 0.25 another population. Chance alone gives about (bins - 1) / devices: look at `devices`.
-- A device counts once a day, with its last score, as installs count once in the reference. Values compare as the model sees
-- them, as float32.
CREATE VIEW IF NOT EXISTS score_drift_daily AS
WITH
    installs AS
    (
        SELECT
            toDate(scored_at) AS day,
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

-- Whether scores came true, by bucket: of the devices scored on a day, how many made their first purchase within 24 hours. As in
-- training: a device's last score within an hour of its first counts; who had paid before is left out, and so is who was
-- scored less than 24 hours ago. A model is calibrated where `conversion_rate` is about `mean_score`.
CREATE VIEW IF NOT EXISTS score_calibration_daily AS
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
        GROUP BY game_id, device_id
    )
SELECT
    toDate(installs.last_scored_at) AS day,
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
