import { Type } from 'typebox';
import type { ScoreDrift, ScoringReport } from '../../../clickhouse-schema/queries/scoring-report.ts';
import { ALPHA } from '../../analysis/experiment-results.ts';
import { wilsonInterval } from '../../analysis/wilson.ts';
import { API_LIMITS } from '../limits.ts';
import type { LoadedModel, LoadedModels } from '../../scoring/models.ts';
import { scopeOf } from '../analytics/queries.ts';
import { answer } from '../route/answer.ts';
import { defineRoute, readBy } from '../route/route.ts';
import { SCORING_REPORT_EXAMPLE, ScoringReportShown } from './scoring-report-resource.ts';

/* The route that shows how the scoring model does. */

const DEFAULT_DAYS = 7;

export const getScoringReport = defineRoute({
  method: 'GET',
  path: '/v1/scoring/report',
  tag: 'Scoring',
  summary: 'Get how the scoring model does: volume, drift, calibration, challenger, latency',
  description:
    'The model that answers, and what the stored scores of the last days say about it. Drift compares the devices of ' +
    'each day with those that the model learned from; calibration compares scores with first purchases within 24 ' +
    'hours. Scores of test keys are left out, so in the test environment only the models are shown. The time is the ' +
    'one between the score and its durable record, which the response waits for.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('viewer'),
  errors: ['SERVICE_UNAVAILABLE'],
  input: {
    query: Type.Object({
      days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: API_LIMITS.scoringReportDays,
          description: `Days in the game's time zone, this one included. Default: ${DEFAULT_DAYS}.`,
        }),
      ),
    }),
  },
  reply: { description: 'The report.', schema: ScoringReportShown, example: SCORING_REPORT_EXAMPLE },
  action: {
    kind: 'analytics',
    rowsOf: 'RECORDS',
    toQuestion: ({ query: { days = DEFAULT_DAYS } }, { key, services }) => ({
      kind: 'question',
      question: { ...scopeOf(key, services), days },
    }),
    read: async (analytics, { environment, ...question }) =>
      environment === 'live' ? analytics.scoringReport(question) : { kind: 'answered', value: NOTHING },
    toAnswer: (report, { days }, { services }) => answer(reportJson(report, days, services.scoringModels())),
  },
});

const NOTHING: ScoringReport = {
  volumes: [],
  drift: [],
  calibration: [],
  challengers: [],
  latency: { scores: 0, p50Ms: null, p99Ms: null },
};

function reportJson(report: ScoringReport, days: number, { current, challenger }: LoadedModels): string {
  const { volumes, drift, calibration, challengers, latency } = report;
  return JSON.stringify({
    days,
    current: current === undefined ? null : modelJson(current),
    challenger: challenger === undefined ? null : modelJson(challenger),
    scores: volumes.map(({ day, modelVersion, bucket, scores, devices, meanScore }) => ({
      day,
      model_version: modelVersion,
      bucket,
      scores,
      devices,
      mean_score: meanScore,
    })),
    drift: driftOf(drift),
    calibration: calibration.map(({ modelVersion, bucket, devices, buyers, meanScore }) => {
      const interval = wilsonInterval(buyers, devices, ALPHA);
      return {
        model_version: modelVersion,
        bucket,
        devices,
        buyers,
        mean_score: meanScore,
        conversion_rate: buyers / devices,
        low: interval?.low ?? 0,
        high: interval?.high ?? 1,
      };
    }),
    comparisons: challengers.map((one) => ({
      champion_version: one.championVersion,
      challenger_version: one.challengerVersion,
      scores: one.scores,
      champion_mean: one.championMean,
      challenger_mean: one.challengerMean,
      mean_difference: one.meanDifference,
      same_bucket: one.sameBucket,
      matured: one.matured,
      champion_brier: one.championBrier,
      challenger_brier: one.challengerBrier,
    })),
    latency: { scores: latency.scores, p50_ms: latency.p50Ms, p99_ms: latency.p99Ms },
  });
}

const modelJson = ({ name, version, trainedOn, thresholds }: LoadedModel) => ({
  name,
  version,
  trained_on: trainedOn,
  thresholds,
});

/** One entry for each model and measure: the days, and all of them together. A day's shares count by its devices. */
function driftOf(rows: readonly ScoreDrift[]) {
  const groups = Map.groupBy(rows, ({ modelVersion, measure }) => `${modelVersion} ${measure}`);
  return [...groups.values()].flatMap((days) => {
    const [first] = days;
    if (first === undefined) return [];
    const { modelVersion, measure, edges, referenceShares } = first;
    const devices = days.reduce((sum, day) => sum + day.devices, 0);
    const shares = referenceShares.map(
      (_, bin) => days.reduce((sum, day) => sum + (day.shares[bin] ?? 0) * day.devices, 0) / devices,
    );
    return [
      {
        model_version: modelVersion,
        measure,
        devices,
        psi: stabilityIndex(shares, referenceShares),
        edges,
        shares,
        reference_shares: referenceShares,
        days: days.map(({ day, devices: ofDay, psi }) => ({ day, devices: ofDay, psi })),
      },
    ];
  });
}

/** The population stability index, as score_drift_daily computes it. */
function stabilityIndex(shares: readonly number[], reference: readonly number[]): number {
  return shares.reduce((sum, found, bin) => {
    const [now, then] = [Math.max(found, LEAST_SHARE), Math.max(reference[bin] ?? 0, LEAST_SHARE)];
    return sum + (now - then) * Math.log(now / then);
  }, 0);
}

const LEAST_SHARE = 0.0001;
