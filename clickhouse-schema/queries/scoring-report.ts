import type { QueryResult } from '../query-result.ts';

/** What the models did for a game in the last days. Test keys' scores are left out, as in every view. */
export interface ScoringReportQuery {
  game: string;
  /** Days in the game's time zone, this one included. */
  days: number;
  zone: string;
}

export interface ScoringReport {
  volumes: ScoreVolume[];
  drift: ScoreDrift[];
  calibration: ScoreCalibration[];
  challengers: ChallengerComparison[];
  latency: { scores: number; p50Ms: number | null; p99Ms: number | null };
}

/** Scores of one day, model and bucket. `day` is YYYY-MM-DD. */
export interface ScoreVolume {
  day: string;
  modelVersion: string;
  bucket: string;
  scores: number;
  devices: number;
  meanScore: number;
}

/** One input of a model, or its score, on one day. */
export interface ScoreDrift {
  day: string;
  modelVersion: string;
  measure: string;
  devices: number;
  psi: number;
  /** Bounds of the bins, one fewer than shares. */
  edges: number[];
  shares: number[];
  referenceShares: number[];
}

/** Of the devices of one model and bucket whose 24 hours are over: those that bought. */
export interface ScoreCalibration {
  modelVersion: string;
  bucket: string;
  devices: number;
  buyers: number;
  meanScore: number;
}

/** Two models on the same requests. */
export interface ChallengerComparison {
  championVersion: string;
  challengerVersion: string;
  scores: number;
  championMean: number;
  challengerMean: number;
  meanDifference: number;
  sameBucket: number;
  /** Scores whose 24 hours are over, of devices that had not bought before. */
  matured: number;
  /** Mean of (score − bought)², bought being 0 or 1; null without matured scores. */
  championBrier: number | null;
  challengerBrier: number | null;
}

type RunQuery = <Row>(sql: string, parameters: Record<string, unknown>) => Promise<QueryResult<Row[]>>;

/** Reads the parts one after another, so that a report takes one place among the statements. */
export async function findScoringReport(
  runQuery: RunQuery,
  { game, days, zone }: ScoringReportQuery,
): Promise<QueryResult<ScoringReport>> {
  const parameters = { game, days: days - 1, zone };
  const volumes = await runQuery<VolumeRow>(VOLUMES, parameters);
  if (volumes.kind === 'unavailable') return volumes;
  const drift = await runQuery<DriftRow>(DRIFT, parameters);
  if (drift.kind === 'unavailable') return drift;
  const calibration = await runQuery<CalibrationRow>(CALIBRATION, parameters);
  if (calibration.kind === 'unavailable') return calibration;
  const challengers = await runQuery<ChallengerRow>(CHALLENGERS, parameters);
  if (challengers.kind === 'unavailable') return challengers;
  const latency = await runQuery<LatencyRow>(LATENCY, parameters);
  if (latency.kind === 'unavailable') return latency;
  const [times] = latency.value;
  return {
    kind: 'answered',
    value: {
      volumes: volumes.value.map((row) => ({
        day: row.day,
        modelVersion: row.model_version,
        bucket: row.bucket,
        scores: Number(row.scores),
        devices: Number(row.devices),
        meanScore: row.mean_score,
      })),
      drift: drift.value.map((row) => ({
        day: row.day,
        modelVersion: row.model_version,
        measure: row.measure,
        devices: Number(row.devices),
        psi: row.psi,
        edges: row.edges,
        shares: row.shares,
        referenceShares: row.reference_shares,
      })),
      calibration: calibration.value.map((row) => ({
        modelVersion: row.model_version,
        bucket: row.bucket,
        devices: Number(row.devices),
        buyers: Number(row.buyers),
        meanScore: row.mean_score,
      })),
      challengers: challengers.value.map((row) => ({
        championVersion: row.champion,
        challengerVersion: row.challenger,
        scores: Number(row.scores),
        championMean: row.champion_mean,
        challengerMean: row.challenger_mean,
        meanDifference: row.mean_difference,
        sameBucket: Number(row.same_bucket),
        matured: Number(row.matured),
        championBrier: row.champion_brier,
        challengerBrier: row.challenger_brier,
      })),
      latency: {
        scores: Number(times?.scores ?? 0),
        p50Ms: times?.p50 ?? null,
        p99Ms: times?.p99 ?? null,
      },
    },
  };
}

interface VolumeRow {
  day: string;
  model_version: string;
  bucket: string;
  scores: string | number;
  devices: string | number;
  mean_score: number;
}

interface DriftRow {
  day: string;
  model_version: string;
  measure: string;
  devices: string | number;
  psi: number;
  edges: number[];
  shares: number[];
  reference_shares: number[];
}

interface CalibrationRow {
  model_version: string;
  bucket: string;
  devices: string | number;
  buyers: string | number;
  mean_score: number;
}

interface ChallengerRow {
  champion: string;
  challenger: string;
  scores: string | number;
  champion_mean: number;
  challenger_mean: number;
  mean_difference: number;
  same_bucket: string | number;
  matured: string | number;
  champion_brier: number | null;
  challenger_brier: number | null;
}

interface LatencyRow {
  scores: string | number;
  p50: number | null;
  p99: number | null;
}

/** The first of the days. */
const SINCE = 'toDate(now(), {zone:String}) - {days:UInt16}';

const VOLUMES = `
SELECT toString(daily.day) AS day, model_version, bucket, scores, devices, mean_score
FROM scores_daily AS daily
WHERE game_id = {game:String} AND daily.day >= ${SINCE}
ORDER BY day, model_version, bucket`;

const DRIFT = `
SELECT toString(drift.day) AS day, drift.model_version AS model_version, drift.measure AS measure,
  drift.devices AS devices, drift.psi AS psi, reference.edges AS edges, drift.shares AS shares,
  drift.reference_shares AS reference_shares
FROM (SELECT * FROM score_drift_daily WHERE game_id = {game:String} AND day >= ${SINCE}) AS drift
INNER JOIN (SELECT model_version, measure, edges FROM model_references FINAL) AS reference
  ON reference.model_version = drift.model_version AND reference.measure = drift.measure
ORDER BY day, model_version, measure`;

/** The days' rows of score_calibration_daily, added up: a day's mean counts by its devices. */
const CALIBRATION = `
SELECT model_version, bucket, sum(daily.devices) AS devices, sum(daily.buyers) AS buyers,
  sum(daily.mean_score * daily.devices) / devices AS mean_score
FROM score_calibration_daily AS daily
WHERE game_id = {game:String} AND day >= ${SINCE}
GROUP BY model_version, bucket
ORDER BY model_version, bucket`;

const CHALLENGERS = `
WITH
  first_purchases AS
  (
    SELECT assumeNotNull(players.device_id) AS device_id, toNullable(min(purchases.received_at)) AS first_purchase_at
    FROM players
    INNER JOIN purchases ON purchases.game_id = players.game_id AND purchases.player_id = players.player_id
    WHERE players.game_id = {game:String} AND purchases.game_id = {game:String} AND players.environment = 'live'
      AND purchases.environment = 'live' AND players.device_id IS NOT NULL AND purchases.counts > 0
    GROUP BY device_id
  ),
  pairs AS
  (
    SELECT champion.model_version AS champion, challenger.model_version AS challenger,
      champion.score AS champion_score, challenger.score AS challenger_score,
      champion.bucket = challenger.bucket AS is_same, champion.device_id AS device_id, champion.scored_at AS scored_at
    FROM
    (
      SELECT record_id, device_id, model_version, score, bucket, scored_at FROM scores
      WHERE game_id = {game:String} AND environment = 'live' AND NOT forced
        AND toDate(scored_at, {zone:String}) >= ${SINCE}
    ) AS champion
    INNER JOIN
    (
      SELECT record_id, model_version, score, bucket FROM challenger_scores
      WHERE game_id = {game:String} AND environment = 'live' AND toDate(scored_at, {zone:String}) >= ${SINCE}
    ) AS challenger ON challenger.record_id = champion.record_id
  )
SELECT champion, challenger, count() AS scores, avg(champion_score) AS champion_mean,
  avg(challenger_score) AS challenger_mean, avg(abs(challenger_score - champion_score)) AS mean_difference,
  countIf(is_same) AS same_bucket,
  countIf(scored_at <= now64(3) - INTERVAL 24 HOUR
    AND (first_purchase_at IS NULL OR first_purchase_at > scored_at)) AS matured,
  avgIf(pow(champion_score - ifNull(first_purchase_at <= scored_at + INTERVAL 24 HOUR, 0), 2),
    scored_at <= now64(3) - INTERVAL 24 HOUR
      AND (first_purchase_at IS NULL OR first_purchase_at > scored_at)) AS champion_brier,
  avgIf(pow(challenger_score - ifNull(first_purchase_at <= scored_at + INTERVAL 24 HOUR, 0), 2),
    scored_at <= now64(3) - INTERVAL 24 HOUR
      AND (first_purchase_at IS NULL OR first_purchase_at > scored_at)) AS challenger_brier
FROM pairs LEFT JOIN first_purchases ON first_purchases.device_id = pairs.device_id
GROUP BY champion, challenger
ORDER BY scores DESC, champion, challenger
LIMIT 20`;

/** From the model's answer to the durable record, which the response waits for. */
const LATENCY = `
SELECT count() AS scores, quantile(0.5)(waited) AS p50, quantile(0.99)(waited) AS p99
FROM
(
  SELECT greatest(0, toUnixTimestamp64Milli(received_at) - toUnixTimestamp64Milli(scored_at)) AS waited
  FROM scores
  WHERE game_id = {game:String} AND environment = 'live' AND toDate(scored_at, {zone:String}) >= ${SINCE}
)`;
