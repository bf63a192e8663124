CREATE OR REPLACE VIEW live_flag_exposures AS
SELECT * EXCEPT environment
FROM flag_exposures
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_flag_mixed_players AS
SELECT * EXCEPT environment
FROM flag_mixed_players
WHERE environment = 'live';

CREATE OR REPLACE VIEW flag_overrides AS
SELECT game_id, environment, flag_key, player_id, external_id, value, received_at
FROM flag_override_states FINAL;

CREATE OR REPLACE VIEW live_flag_overrides AS
SELECT * EXCEPT environment
FROM flag_overrides
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
--   experiment     '': what the flag's own rules drew; else the key of an experiment on it
--   period         of the flag, or phase of the experiment
--   since, until   bounds of `received_at` of the period
--   variants       their keys; 'false' and 'true' of a boolean flag
--   metrics        each 'conversion:EVENT', 'count:EVENT', 'sum:PROPERTY:EVENT', or
--                  'revenue', 'gross_revenue', 'payer', 'sessions', 'session'
--   window_days    after a player's first exposure
--   covariate_days before it
-- Players count as in the results of the API, and the figures are those of its statement. Compare rows of one stratum
-- only: a boolean flag may have several. The covariate is the same metric before the exposure. The event `purchase`
-- counts recorded purchases, each transaction once, less what was refunded of it. Players who were drawn together are
-- one unit: `variance` is the number of units times the variance of `sum / players`.
CREATE OR REPLACE VIEW experiment_readout AS
WITH
    {metrics: Array(String)} AS metrics,
    arrayMap(metric -> splitByChar(':', metric)[1], metrics) AS kinds,
    arrayMap(metric -> if(startsWith(metric, 'sum:'), splitByChar(':', metric)[2], ''), metrics) AS paths,
    arrayMap((metric, path) -> substring(metric, length(splitByChar(':', metric)[1]) + 2 + if(startsWith(metric, 'sum:'), length(path) + 1, 0)), metrics, paths) AS names,
    (
        SELECT throwIf(
            NOT arrayAll(metric -> metric IN ({{readout_kinds}}) OR (metric LIKE '%:%' AND splitByChar(':', metric)[1] IN ({{readout_event_kinds}})), {metrics: Array(String)}),
            'A metric of experiment_readout is conversion:EVENT, count:EVENT, sum:PROPERTY:EVENT, revenue, gross_revenue, payer, sessions or session')
    ) AS is_refused,
    exposed AS
    (
        {{exposed_players}}
    ),
    measured AS
    (
        WITH
            tracked.place > entered.first_place
                AND tracked.at < {until: DateTime64(3, 'UTC')}
                AND tracked.at < entered.first_place.1 + toIntervalDay({window_days: UInt16}) AS is_after,
            tracked.place < entered.first_place
                AND tracked.at >= entered.first_place.1 - toIntervalDay({covariate_days: UInt16}) AS is_before
        SELECT
            entered.player_id AS player,
            entered.metric AS metric,
            any(entered.variant) AS variant,
            any(entered.stratum) AS stratum,
            any(entered.earlier) AS earlier,
            any(entered.excluded) AS excluded,
            any(entered.arrived) AS arrived,
            any(entered.cluster) AS cluster,
            any(entered.own_exposures) AS own_exposures,
            sumIf(tracked.counts, is_after) AS events_after,
            sumIf(tracked.counts, is_before) AS events_before,
            sumIf(tracked.amount, is_after) AS total_after,
            sumIf(tracked.amount, is_before) AS total_before,
            multiIf(
                any(entered.kind) = 'conversion', toFloat64(events_after > 0),
                any(entered.kind) = 'count', toFloat64(events_after),
                any(entered.kind) IN ({{readout_shares}}), toFloat64(total_after > 0),
                total_after) AS y,
            multiIf(
                any(entered.kind) = 'conversion', toFloat64(events_before > 0),
                any(entered.kind) = 'count', toFloat64(events_before),
                any(entered.kind) IN ({{readout_shares}}), toFloat64(total_before > 0),
                total_before) AS x
        FROM
        (
            SELECT
                player_id,
                number,
                received_at AS at,
                (received_at, facts_sequence, facts_index) AS place,
                toInt64(1) AS counts,
                if(paths[number] = '', toFloat64(0), coalesce(
                    if(JSONType(properties, paths[number]) IN ('Int64', 'UInt64', 'Double'), toNullable(JSONExtractFloat(properties, paths[number])), NULL),
                    if(JSONType(concat('[', inner, ']'), 1) IN ('Int64', 'UInt64', 'Double'), toNullable(JSONExtractFloat(concat('[', inner, ']'), 1)), NULL),
                    toFloat64(0))) AS amount,
                arrayFold((found, key) -> JSONExtractRaw(found, key), splitByChar('.', paths[number]), properties) AS inner
            FROM events
            ARRAY JOIN arrayEnumerate(metrics) AS number
            WHERE game_id = {game: String} AND environment = 'live' AND {{counted}}
                AND hasAny(kinds, [{{readout_event_kinds}}]) AND has(names, event_name) AND names[number] = event_name
                AND received_at >= {since: DateTime64(3, 'UTC')} - toIntervalDay({covariate_days: UInt16})
                AND received_at < {until: DateTime64(3, 'UTC')}
                AND NOT (event_name = 'purchase' AND source = 'service')
            UNION ALL
            SELECT player_id, number, first_place.1, first_place, bought,
                multiIf({{readout_amounts purchases}}, paths[number] = 'amount', revenue, 0), ''
            FROM
            (
                {{transactions game_id = {game: String} AND environment = 'live' AND received_at >= {since: DateTime64(3, 'UTC')} - toIntervalDay({covariate_days: UInt16})}}
            )
            ARRAY JOIN arrayEnumerate(metrics) AS number
            WHERE kinds[number] IN ({{readout_kinds purchases}}) OR (names[number] = 'purchase' AND NOT is_imported)
            UNION ALL
            SELECT player_id, number, happened_at, (happened_at, toUInt64(0), toUInt32(0)), {{added sessions}},
                multiIf({{readout_amounts sessions}}, 0), ''
            FROM sessions
            ARRAY JOIN arrayEnumerate(metrics) AS number
            WHERE game_id = {game: String} AND environment = 'live' AND {{counted}}
                AND hasAny(kinds, [{{readout_kinds sessions}}]) AND kinds[number] IN ({{readout_kinds sessions}})
                AND received_at >= {since: DateTime64(3, 'UTC')} - toIntervalDay({covariate_days: UInt16})
        ) AS tracked
        RIGHT JOIN
        (
            SELECT *, number, metrics[number] AS metric, kinds[number] AS kind
            FROM exposed
            ARRAY JOIN arrayEnumerate(metrics) AS number
            WHERE stratum > 0
        ) AS entered ON tracked.player_id = entered.player_id AND tracked.number = entered.number
        GROUP BY player, metric
    ),
    clustered AS
    (
        SELECT
            metric, variant, stratum, excluded, earlier, arrived,
            {{unit player}} AS unit,
            count() AS size,
            countIf(events_after > 0) AS had,
            sum(own_exposures) AS shown,
            sum(y) AS sum_y,
            sum(x) AS sum_x,
            sum(y * y) AS sum_yy,
            sum(x * x) AS sum_xx,
            sum(x * y) AS sum_xy
        FROM measured
        GROUP BY metric, variant, stratum, excluded, earlier, arrived, unit
    ),
    centered AS
    (
        SELECT *, {{away sum_y}} AS away_y, {{away sum_x}} AS away_x
        FROM clustered
        WINDOW arm AS (PARTITION BY metric, variant, stratum, excluded)
    )
SELECT
    metric,
    variant AS variant_key,
    stratum,
    sumIf(size, NOT excluded) AS players,
    sumIf(size, excluded) AS excluded_players,
    sumIf(size, earlier) AS left_out_earlier,
    sumIf(size, arrived) AS arrived,
    sum(shown) AS exposures,
    sumIf(had, NOT excluded) AS conversions,
    sumIf(sum_y, NOT excluded) AS sum,
    sumIf(sum_yy, NOT excluded) AS sum_of_squares,
    countIf(NOT excluded) AS clusters,
    sumIf(size * size, NOT excluded) AS cluster_sizes_squared,
    countIf(NOT excluded AND had > 0) AS converted_clusters,
    {{of_means away_y away_y}} AS variance,
    skewPopIf(away_y, NOT excluded) AS skewness,
    kurtPopIf(away_y, NOT excluded) AS kurtosis,
    sumIf(sum_x, NOT excluded) AS covariate_sum,
    sumIf(sum_xx, NOT excluded) AS covariate_sum_of_squares,
    sumIf(sum_xy, NOT excluded) AS covariate_product_sum,
    {{of_means away_x away_x}} AS covariate_variance,
    {{of_means away_x away_y}} AS covariance
FROM centered
WHERE is_refused = 0
GROUP BY metric, variant, stratum;
