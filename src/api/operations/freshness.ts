import { Type } from 'typebox';
import type { OutputFreshness } from '../../../streams/freshness/output-freshness.ts';
import { OPERATIONS_LIMITS } from './limits.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../../core/kernel/text/timestamp.ts';
import { jsonAnswer } from '../route/answer.ts';
import { nullable, timeOrNull, timeOut } from '../input/fields.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, readBy } from '../route/route.ts';

/* The route that tells how far behind the outputs are. */

const seconds = (description: string) => nullable(Type.Number({ minimum: 0, description }));

const Output = Type.Object(
  {
    output: Type.String({
      description:
        '`stream` (event streams of the process that answers), `clickhouse` (rows) or `webhooks` (deliveries).',
    }),
    fresh_as_of: timeOrNull(
      'Everything accepted before this time has passed: it was sent to open streams, is in ClickHouse, or is queued for ' +
        'its webhooks. null if this process cannot tell.',
    ),
    behind_records: nullable(
      Type.Integer({
        minimum: 0,
        description: 'Records of the log that have not passed. null if this process cannot tell.',
      }),
    ),
    newest_event_at: timeOrNull(
      'When the newest event was accepted that has passed, of all games; null before the first. For `webhooks`: the ' +
        'newest that a webhook has taken.',
    ),
    newest_event_age_seconds: seconds('Age of that event.'),
    p50_seconds: seconds(
      'Median time from accepted to passed, measured on one real event a second over the last five minutes; for ' +
        '`webhooks` to the answer of a receiver that took the first attempt. null without samples.',
    ),
    p99_seconds: seconds('99th percentile of the same events.'),
    samples: Type.Integer({ description: 'Number of these events.' }),
  },
  { description: 'The freshness of one output.' },
);

const Game = Type.Object(
  {
    newest_event_at: timeOrNull(
      "When the newest event in ClickHouse of the key's game and environment was received; null without one.",
    ),
    age_seconds: seconds('Age of that event.'),
    silent: Type.Boolean({
      description:
        `Whether ClickHouse has no event of the last ${OPERATIONS_LIMITS.gameSilentMs / 1000} seconds of this game and ` +
        'environment. Then old figures are no fault of the outputs, unless `fresh_as_of` is old too.',
    }),
  },
  { description: 'The newest event of a game and environment.' },
);

const Freshness = Type.Object(
  {
    measured_at: timeOut('Time of this answer.'),
    outputs: Type.Array(Output, { description: 'The outputs.' }),
    game: Type.Union([Game, Type.Null({ description: 'ClickHouse does not answer.' })], {
      description: "The events of the key's game and environment; null while ClickHouse does not answer.",
    }),
  },
  { description: 'How fresh the outputs are.' },
);

const EXAMPLE = {
  measured_at: '2026-01-15T10:30:00.512Z',
  outputs: [
    {
      output: 'clickhouse',
      fresh_as_of: '2026-01-15T10:29:59.821Z',
      behind_records: 3,
      newest_event_at: '2026-01-15T10:29:59.790Z',
      newest_event_age_seconds: 0.722,
      p50_seconds: 0.412,
      p99_seconds: 0.871,
      samples: 300,
    },
  ],
  game: { newest_event_at: '2026-01-15T10:29:59.790Z', age_seconds: 0.722, silent: false },
};

export const getFreshness = defineRoute({
  method: 'GET',
  path: '/v1/ops/freshness',
  tag: 'Operations',
  summary: 'Get how far behind the outputs are',
  description:
    'For the event stream, the rows in ClickHouse and the webhooks: up to when everything has passed, and how long ' +
    'accepted events took. A silent game shows its age; it has no samples of its own, because figures are of all games.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('viewer'),
  errors: [],
  input: {},
  reply: { description: 'The freshness.', schema: Freshness, example: EXAMPLE },
  action: { kind: 'service', call: (_, context) => readFreshness(context) },
});

async function readFreshness({ key, services }: RequestContext) {
  const { freshness, analytics, clock } = services;
  const [outputs, newest] = await Promise.all([
    freshness.outputs(),
    analytics.events({ game: key.game, environment: key.environment, limit: 1 }),
  ]);
  const nowMs = clock.wallMs();
  return jsonAnswer({
    measured_at: formatTimestamp(nowMs),
    outputs: outputs.map((output) => outputJson(output, nowMs)),
    game: newest.kind === 'unavailable' ? null : gameJson(newest.value.events[0]?.receivedAt, nowMs),
  });
}

function gameJson(newestMs: number | undefined, nowMs: number) {
  const age = ageSeconds(nowMs, newestMs);
  const silent = age === null || age * 1000 > OPERATIONS_LIMITS.gameSilentMs;
  return { newest_event_at: formatTimestampOrNull(newestMs), age_seconds: age, silent };
}

function outputJson({ output, asOf, newestEventMs, delay }: OutputFreshness, nowMs: number) {
  return {
    output,
    fresh_as_of: formatTimestampOrNull(asOf?.asOfMs),
    behind_records: asOf?.behind ?? null,
    newest_event_at: formatTimestampOrNull(newestEventMs),
    newest_event_age_seconds: ageSeconds(nowMs, newestEventMs),
    p50_seconds: delay.p50Ms === null ? null : delay.p50Ms / 1000,
    p99_seconds: delay.p99Ms === null ? null : delay.p99Ms / 1000,
    samples: delay.samples,
  };
}

const ageSeconds = (nowMs: number, ms: number | undefined): number | null =>
  ms === undefined ? null : Math.max(0, nowMs - ms) / 1000;
