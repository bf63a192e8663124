CREATE OR REPLACE VIEW live_flag_exposures AS
SELECT * EXCEPT environment
FROM flag_exposures
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_flag_mixed_players AS
SELECT * EXCEPT environment
FROM flag_mixed_players
WHERE environment = 'live';

CREATE OR REPLACE VIEW flag_exposures_daily AS
SELECT
    {{day received_at}} AS day,
    game_id,
    flag_key,
    flag_version,
    variant_key,
    count() AS exposures,
    uniqExact(player_id) AS players
FROM flag_exposures
WHERE environment = 'live' AND {{counted}}
GROUP BY day, game_id, flag_key, flag_version, variant_key;

-- Counts and sums of an experiment with several metrics; src/analysis makes lifts, intervals and p-values of such figures.
-- Parameters:
--   game, flag     the game, and the flag's key
--   period         of the flag
--   since, until   bounds of `received_at` of the period
--   variants       their keys; 'false' and 'true' of a boolean flag
--   metrics        each 'conversion:EVENT', 'count:EVENT' or 'sum:PROPERTY:EVENT'
--   window_days    after a player's first exposure
--   covariate_days before it
-- Players count as in the results of a flag. Compare rows of one stratum only: a boolean flag may have several. The
-- covariate is the same metric before the exposure. The event `purchase` counts recorded purchases, each transaction
-- once, less what was refunded of it.
CREATE OR REPLACE VIEW experiment_readout AS
WITH
    {metrics: Array(String)} AS metrics,
    arrayMap(metric -> splitByChar(':', metric)[1], metrics) AS kinds,
    arrayMap(metric -> if(startsWith(metric, 'sum:'), splitByChar(':', metric)[2], ''), metrics) AS paths,
    arrayMap((metric, path) -> substring(metric, length(splitByChar(':', metric)[1]) + 2 + if(startsWith(metric, 'sum:'), length(path) + 1, 0)), metrics, paths) AS names,
    (
        SELECT throwIf(
            NOT arrayAll(metric -> splitByChar(':', metric)[1] IN ({{readout_kinds}}), {metrics: Array(String)}),
            'A metric of experiment_readout begins with its kind: conversion:EVENT, count:EVENT or sum:PROPERTY:EVENT')
    ) AS is_refused,
    exposed AS
    (
        {{exposed_players}}
    ),
    measured AS
    (
        WITH
            tracked.place > entered.first_place
                AND tracked.received_at < {until: DateTime64(3, 'UTC')}
                AND tracked.received_at < entered.first_place.1 + toIntervalDay({window_days: UInt16}) AS is_after,
            tracked.place < entered.first_place
                AND tracked.received_at >= entered.first_place.1 - toIntervalDay({covariate_days: UInt16}) AS is_before
        SELECT
            entered.player_id AS player,
            entered.metric AS metric,
            any(entered.variant) AS variant,
            any(entered.stratum) AS stratum,
            any(entered.earlier) AS earlier,
            any(entered.excluded) AS excluded,
            any(entered.arrived) AS arrived,
            any(entered.own_exposures) AS own_exposures,
            sumIf(tracked.counts, is_after) AS events_after,
            sumIf(tracked.counts, is_before) AS events_before,
            multiIf(
                any(entered.kind) = 'sum', sumIf(tracked.amount, is_after),
                any(entered.kind) = 'count', toFloat64(events_after),
                toFloat64(events_after > 0)) AS y,
            multiIf(
                any(entered.kind) = 'sum', sumIf(tracked.amount, is_before),
                any(entered.kind) = 'count', toFloat64(events_before),
                toFloat64(events_before > 0)) AS x
        FROM
        (
            SELECT
                player_id,
                number,
                received_at,
                (received_at, facts_sequence, facts_index) AS place,
                toInt64(1) AS counts,
                if(paths[number] = '', toFloat64(0), coalesce(
                    if(JSONType(properties, paths[number]) IN ('Int64', 'UInt64', 'Double'), toNullable(JSONExtractFloat(properties, paths[number])), NULL),
                    if(JSONType(concat('[', inner, ']'), 1) IN ('Int64', 'UInt64', 'Double'), toNullable(JSONExtractFloat(concat('[', inner, ']'), 1)), NULL),
                    toFloat64(0))) AS amount,
                arrayFold((found, key) -> JSONExtractRaw(found, key), splitByChar('.', paths[number]), properties) AS inner
            FROM events
            ARRAY JOIN arrayEnumerate(metrics) AS number
            WHERE game_id = {game: String} AND environment = 'live' AND {{counted}} AND has(names, event_name) AND names[number] = event_name
                AND received_at >= {since: DateTime64(3, 'UTC')} - toIntervalDay({covariate_days: UInt16})
                AND received_at < {until: DateTime64(3, 'UTC')}
                AND NOT (event_name = 'purchase' AND source = 'service')
            UNION ALL
            SELECT player_id, number, first_place.1, first_place, bought, if(paths[number] = 'amount', paid, 0), ''
            FROM
            (
                SELECT
                    player_id,
                    min((received_at, facts_sequence, facts_index)) AS first_place,
                    toFloat64(sumIf(amount, recorded_by != 'import')) AS paid,
                    sumIf(counts, recorded_by != 'import' AND kind != 'refund') AS bought
                FROM purchases
                WHERE game_id = {game: String} AND environment = 'live' AND {{counted}} AND has(names, 'purchase')
                    AND received_at >= {since: DateTime64(3, 'UTC')} - toIntervalDay({covariate_days: UInt16})
                GROUP BY player_id, transaction_id, if(isNull(transaction_id), (facts_sequence, facts_index), (0, 0))
                HAVING countIf(kind = 'purchase') > 0
            )
            ARRAY JOIN arrayEnumerate(metrics) AS number
            WHERE names[number] = 'purchase'
        ) AS tracked
        RIGHT JOIN
        (
            SELECT *, number, metrics[number] AS metric, kinds[number] AS kind
            FROM exposed
            ARRAY JOIN arrayEnumerate(metrics) AS number
            WHERE stratum > 0
        ) AS entered ON tracked.player_id = entered.player_id AND tracked.number = entered.number
        GROUP BY player, metric
    )
SELECT
    metric,
    variant AS variant_key,
    stratum,
    countIf(NOT excluded) AS players,
    countIf(excluded) AS excluded_players,
    countIf(earlier) AS left_out_earlier,
    countIf(arrived) AS arrived,
    sum(own_exposures) AS exposures,
    countIf(NOT excluded AND events_after > 0) AS conversions,
    sumIf(y, NOT excluded) AS sum,
    sumIf(y * y, NOT excluded) AS sum_of_squares,
    skewPopIf(y, NOT excluded) AS skewness,
    kurtPopIf(y, NOT excluded) AS kurtosis,
    sumIf(x, NOT excluded) AS covariate_sum,
    sumIf(x * x, NOT excluded) AS covariate_sum_of_squares,
    sumIf(x * y, NOT excluded) AS covariate_product_sum
FROM measured
WHERE is_refused = 0
GROUP BY metric, variant, stratum;
