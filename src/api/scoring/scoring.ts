import { Type } from 'typebox';
import { API_LIMITS } from '../limits.ts';
import type { Thresholds } from '../../scoring/buckets.ts';
import { FLOAT32_MAX } from '../../scoring/features.ts';
import type { Scored } from '../../scoring/scorer.ts';
import type { TextAnswer } from '../route/answer.ts';
import { defineRoute, forGames, type KeyedRoute } from '../route/route.ts';
import { ScoreAnswer, SCORE_ANSWER_EXAMPLE } from './scoring-answer.ts';

/* The routes that score new installs. */

const count = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0, description }));
const seconds = (description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: FLOAT32_MAX, default: 0, description }));

const Body = Type.Object(
  {
    device_id: Type.String({
      minLength: 1,
      maxLength: API_LIMITS.scoredDeviceIdLength,
      description: 'Your device id. It is stored with the score and returned.',
    }),
    loot_distinct_types: count('Number of distinct loot-case types opened.'),
    sess_duration_total: seconds('Total active session time, seconds, without idle and background time.'),
    match_avg_fight_time: seconds('Mean fight time of all matches, seconds, without loading time.'),
    match_wins: count('Number of matches with the result `WIN`.'),
    install_hour: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 23,
        default: 0,
        description: 'Hour of the day of the install, 0 to 23, UTC.',
      }),
    ),
    vpay_count: count('Number of virtual-currency events, earned and spent, without real-money purchases.'),
  },
  { description: 'A device to score.' },
);

/** The route that scores the first half hour after an install. It exists under two paths. */
const scoreAt = (path: string): KeyedRoute =>
  defineRoute({
    method: 'POST',
    path,
    tag: 'Scoring',
    summary: 'Score the probability that a new player pays within the first day',
    description:
      'Takes six numbers about the first 30 minutes after the install. Leave out unknown numbers; null is not ' +
      'allowed. Every request stores a record, also a repeat. With a test key, the device ids SERVICE_TEST_TOP_1PCT, ' +
      'SERVICE_TEST_TOP_5PCT, SERVICE_TEST_TOP_10PCT and SERVICE_TEST_REST force the bucket.',
    auth: { keys: ['client', 'server'] },
    // Scoring is about a device, not a player, so the token of any player is accepted.
    players: 'none',
    limitClass: 'none',
    ...forGames('scoring:write'),
    repeatCounts: true,
    invalidStatus: 422,
    errors: ['MODEL_UNAVAILABLE'],
    input: { body: Body },
    reply: {
      description: 'The score. Its record is stored.',
      mediaType: 'application/json',
      schema: ScoreAnswer,
      example: SCORE_ANSWER_EXAMPLE,
    },
    example: {
      device_id: 'device_abc',
      loot_distinct_types: 5,
      sess_duration_total: 1800,
      match_avg_fight_time: 100.8,
      match_wins: 6,
      install_hour: 0,
      vpay_count: 19,
    },
    action: {
      kind: 'service',
      async call({ body }, { key, services }) {
        const outcome = await services.scorer.score({
          game: key.game,
          tenant: key.tenant,
          environment: key.environment,
          deviceId: body.device_id,
          features: {
            loot_distinct_types: body.loot_distinct_types ?? 0,
            sess_duration_total: body.sess_duration_total ?? 0,
            match_avg_fight_time: body.match_avg_fight_time ?? 0,
            match_wins: body.match_wins ?? 0,
            install_hour: body.install_hour ?? 0,
            vpay_count: body.vpay_count ?? 0,
          },
        });
        return outcome.kind === 'failure' ? outcome : scoreAnswer(body.device_id, outcome);
      },
    },
  });

export const scoringRoutes: readonly KeyedRoute[] = [
  scoreAt('/v1/scoring/first-user-conversion'),
  scoreAt('/api/v1/scoring/first-user-conversion/30m'),
];

/** The response with its own envelope, in which `error` and `meta` are null. */
function scoreAnswer(deviceId: string, scored: Scored): TextAnswer {
  const { score, bucket, modelVersion, thresholds, scoredAt } = scored;
  const data =
    `{"device_id":${JSON.stringify(deviceId)},"score":${score},"bucket":"${bucket}","model_version":"${modelVersion}",` +
    `"thresholds_used":${thresholdsText(thresholds)},"scored_at":"${timeText(scoredAt)}"}`;
  const body = `{"success":true,"data":${data},"error":null,"meta":null}`;
  return { kind: 'text', contentType: 'application/json', body };
}

/** A model's thresholds are one object, and a batch of scores has one time, so the texts of both are cached. */
let latestThresholds: { of: Thresholds | undefined; text: string } = { of: undefined, text: '' };
let latestTime = { atMs: Number.NaN, text: '' };

function thresholdsText(thresholds: Thresholds): string {
  if (latestThresholds.of !== thresholds) latestThresholds = { of: thresholds, text: JSON.stringify(thresholds) };
  return latestThresholds.text;
}

function timeText(atMs: number): string {
  if (latestTime.atMs !== atMs) latestTime = { atMs, text: new Date(atMs).toISOString() };
  return latestTime.text;
}
