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
    toDate(received_at) AS day,
    game_id,
    flag_key,
    flag_version,
    variant_key,
    count() AS exposures,
    uniqExact(player_id) AS players
FROM flag_exposures
WHERE environment = 'live'
GROUP BY day, game_id, flag_key, flag_version, variant_key;

-- An experiment with several metrics. Parameters:
--   game, flag     the game, and the flag's key
--   period         of the flag
--   since, until   bounds of `received_at` of the period
--   variants       their keys, the control first; 'false' and 'true' of a boolean flag
--   weights        of the variants, in any unit
--   metrics        each 'conversion:EVENT', 'count:EVENT' or 'sum:PROPERTY:EVENT'
--   window_days    after a player's first exposure
--   covariate_days before it, for CUPED
-- Players, means, variances and lifts are those of the results of a flag (src/analysis): the delta method for a ratio
-- of independent means (Deng, Knoblich and Lu, KDD 2018, 2.2) with the degrees of freedom of Welch and Satterthwaite.
-- The t distribution is approximated by Wallace's normal deviate, z = (8n + 1)/(8n + 3) * sqrt(n ln(1 + t²/n)) (Annals
-- of Mathematical Statistics 30, 1959): its error is 0.04 % of the width at 10 degrees of freedom, and 0.002 % at 30.
-- The sample ratio is Pearson's chi-squared test, by Abramowitz and Stegun 26.4.4 and 26.4.5. CUPED (Deng, Xu, Kohavi
-- and Walker, WSDM 2013): Y - theta (X - mean of X), where X is the same metric before the exposure, and theta = cov(X,
-- Y) / var(X), both pooled within the variants.
CREATE OR REPLACE VIEW experiment_readout AS
WITH
    {variants: Array(String)} AS variants,
    {weights: Array(Float64)} AS weights,
    {metrics: Array(String)} AS metrics,
    arrayMap(metric -> splitByChar(':', metric)[1], metrics) AS kinds,
    arrayMap(metric -> if(startsWith(metric, 'sum:'), splitByChar(':', metric)[2], ''), metrics) AS paths,
    arrayMap((metric, path) -> substring(metric, length(splitByChar(':', metric)[1]) + 2 + if(startsWith(metric, 'sum:'), length(path) + 1, 0)), metrics, paths) AS names,
    exposed AS
    (
        SELECT
            player_id,
            minIf((received_at, facts_sequence, facts_index), is_current) AS first_place,
            minIf(seen, is_current) AS variant,
            variant != maxIf(seen, is_current) AS saw_two,
            countIf(is_current) AS own_exposures,
            countIf(is_current AND attribution = 'mismatch') > 0 AS mismatched,
            countIf(NOT is_current) > 0 AND (minIf(seen, NOT is_current) != variant OR maxIf(seen, NOT is_current) != variant) AS carried,
            player_id IN
            (
                SELECT player_id FROM flag_mixed_players
                WHERE game_id = {game: String} AND environment = 'live' AND flag_key = {flag: String} AND period = {period: UInt32}
            ) AS marked,
            saw_two OR mismatched OR carried OR marked AS excluded,
            NOT saw_two AND NOT mismatched AS arrived
        FROM
        (
            SELECT
                player_id,
                received_at,
                facts_sequence,
                facts_index,
                attribution,
                ifNull(variant_key, value) AS seen,
                period = {period: UInt32} AS is_current
            FROM flag_exposures
            WHERE game_id = {game: String} AND environment = 'live' AND flag_key = {flag: String}
                AND period <= {period: UInt32}
                AND (period != {period: UInt32} OR (received_at >= {since: DateTime64(3, 'UTC')} AND received_at < {until: DateTime64(3, 'UTC')}))
                AND reason NOT IN ('flag_disabled', 'player_override')
                AND has({variants: Array(String)}, ifNull(variant_key, value))
        )
        GROUP BY player_id
        HAVING countIf(is_current) > 0
    ),
    measured AS
    (
        WITH
            tracked.counts AND tracked.place > entered.first_place
                AND tracked.received_at < {until: DateTime64(3, 'UTC')}
                AND tracked.received_at < entered.first_place.1 + toIntervalDay({window_days: UInt16}) AS is_after,
            tracked.counts AND tracked.place < entered.first_place
                AND tracked.received_at >= entered.first_place.1 - toIntervalDay({covariate_days: UInt16}) AS is_before
        SELECT
            entered.player_id AS player,
            entered.metric AS metric,
            any(entered.variant) AS variant,
            any(entered.excluded) AS excluded,
            any(entered.arrived) AS arrived,
            any(entered.own_exposures) AS own_exposures,
            countIf(is_after) AS events_after,
            countIf(is_before) AS events_before,
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
                true AS counts,
                if(paths[number] = '', toFloat64(0), coalesce(
                    if(JSONType(properties, paths[number]) IN ('Int64', 'UInt64', 'Double'), toNullable(JSONExtractFloat(properties, paths[number])), NULL),
                    if(JSONType(concat('[', inner, ']'), 1) IN ('Int64', 'UInt64', 'Double'), toNullable(JSONExtractFloat(concat('[', inner, ']'), 1)), NULL),
                    toFloat64(0))) AS amount,
                arrayFold((found, key) -> JSONExtractRaw(found, key), splitByChar('.', paths[number]), properties) AS inner
            FROM events
            ARRAY JOIN arrayEnumerate(metrics) AS number
            WHERE game_id = {game: String} AND environment = 'live' AND has(names, event_name) AND names[number] = event_name
                AND received_at >= {since: DateTime64(3, 'UTC')} - toIntervalDay({covariate_days: UInt16})
                AND received_at < {until: DateTime64(3, 'UTC')}
        ) AS tracked
        RIGHT JOIN
        (
            SELECT *, number, metrics[number] AS metric, kinds[number] AS kind
            FROM exposed
            ARRAY JOIN arrayEnumerate(metrics) AS number
        ) AS entered ON tracked.player_id = entered.player_id AND tracked.number = entered.number
        GROUP BY player, metric
    ),
    samples AS
    (
        SELECT
            metric,
            variant,
            countIf(NOT excluded) AS players,
            countIf(excluded) AS left_out,
            countIf(arrived) AS came,
            sum(own_exposures) AS exposures,
            countIf(NOT excluded AND events_after > 0) AS conversions,
            sumIf(y, NOT excluded) AS total,
            avgIf(y, NOT excluded) AS mean_y,
            avgIf(x, NOT excluded) AS mean_x,
            varSampStableIf(y, NOT excluded) AS var_y,
            varSampStableIf(x, NOT excluded) AS var_x,
            covarSampStableIf(x, y, NOT excluded) AS cov
        FROM measured
        GROUP BY metric, variant
    ),
    pooled AS
    (
        SELECT
            *,
            weights[indexOf(variants, variant)] AS weight,
            sumIf((players - 1) * cov, players > 1) OVER every AS pooled_cov,
            sumIf((players - 1) * var_x, players > 1) OVER every AS pooled_var,
            sumIf(players * mean_x, players > 0) OVER every / sum(players) OVER every AS all_x,
            sumIf(came, weights[indexOf(variants, variant)] > 0) OVER every AS all_came,
            maxIf(came, weights[indexOf(variants, variant)] = 0) OVER every AS came_without_weight,
            anyIf(players, variant = variants[1]) OVER every AS control_players,
            anyIf((mean_y, var_y), variant = variants[1]) OVER every AS control
        FROM samples
        WINDOW every AS (PARTITION BY metric)
    ),
    adjusted AS
    (
        SELECT
            *,
            if(pooled_var > 0, pooled_cov / pooled_var, 0) AS theta,
            mean_y - theta * (mean_x - all_x) AS adjusted_mean,
            var_y + theta * theta * var_x - 2 * theta * cov AS adjusted_var,
            all_came * weight / arraySum(weights) AS awaited,
            if(weight > 0, pow(came - awaited, 2) / awaited, 0) AS deviation,
            arrayCount(one -> one > 0, weights) - 1 AS freedom
        FROM pooled
    ),
    tested AS
    (
        SELECT
            *,
            anyIf((adjusted_mean, adjusted_var), variant = variants[1]) OVER every AS adjusted_control,
            -- A variant without players has no row here; its part of the statistic is what is expected of it.
            sum(deviation) OVER every + all_came - sum(awaited) OVER every AS statistic
        FROM adjusted
        WINDOW every AS (PARTITION BY metric)
    ),
    compared AS
    (
        SELECT
            *,
            -- Of both forms: lift, its standard error and degrees of freedom; NULL where the results have none.
            arrayMap(
                (mean, variance, base, base_variance) -> (
                    if(base != 0, (mean - base) / abs(base), NULL),
                    variance / (players * base * base),
                    base_variance * mean * mean / (base * base) / (control_players * base * base)),
                [mean_y, adjusted_mean], [var_y, adjusted_var],
                [control.1, adjusted_control.1], [control.2, adjusted_control.2]) AS parts,
            arrayMap(
                part -> (
                    if(variant = variants[1] OR players = 0, NULL, part.1),
                    if(variant = variants[1] OR players < 2 OR control_players < 2 OR NOT (part.2 + part.3 > 0), NULL, sqrt(part.2 + part.3)),
                    pow(part.2 + part.3, 2) / (pow(part.3, 2) / (control_players - 1) + pow(part.2, 2) / (players - 1))),
                parts) AS lifts,
            -- Half the width of the interval in standard errors, and the normal deviate of the lift.
            arrayMap(one -> sqrt(one.3 * (exp(pow(1.959963984540054 * (8 * one.3 + 3) / (8 * one.3 + 1), 2) / one.3) - 1)), lifts) AS widths,
            arrayMap(one -> (8 * one.3 + 1) / (8 * one.3 + 3) * sqrt(one.3 * log1p(pow(one.1 / one.2, 2) / one.3)), lifts) AS deviates
        FROM tested
    )
SELECT
    metric,
    variant AS variant_key,
    weight,
    players,
    left_out AS excluded_players,
    exposures,
    conversions,
    total AS sum,
    mean_y AS mean,
    var_y AS variance,
    lifts[1].1 AS lift,
    lifts[1].2 AS standard_error,
    lifts[1].1 - widths[1] * lifts[1].2 AS ci_low,
    lifts[1].1 + widths[1] * lifts[1].2 AS ci_high,
    erfc(deviates[1] / sqrt(2)) AS p_value,
    theta AS cuped_theta,
    adjusted_mean AS cuped_mean,
    adjusted_var AS cuped_variance,
    lifts[2].1 AS cuped_lift,
    lifts[2].2 AS cuped_standard_error,
    lifts[2].1 - widths[2] * lifts[2].2 AS cuped_ci_low,
    lifts[2].1 + widths[2] * lifts[2].2 AS cuped_ci_high,
    erfc(deviates[2] / sqrt(2)) AS cuped_p_value,
    if(var_y > 0, 1 - adjusted_var / var_y, 0) AS cuped_variance_removed,
    came AS arrived,
    multiIf(
        came_without_weight > 0, 0,
        freedom < 1 OR all_came = 0, NULL,
        freedom % 2 = 0, exp(-statistic / 2) * arraySum(j -> pow(statistic / 2, j) / tgamma(j + 1), range(toUInt64(intDiv(freedom, 2)))),
        erfc(sqrt(statistic / 2)) + exp(-statistic / 2) * arraySum(j -> pow(statistic / 2, j + 0.5) / tgamma(j + 1.5), range(toUInt64(intDiv(freedom - 1, 2))))
    ) AS sample_ratio_p_value
FROM compared;
