import { Type } from 'typebox';
import { failure } from '../../../core/kernel/errors.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import { OPERATIONS_LIMITS } from './limits.ts';
import { answer, jsonAnswer } from '../route/answer.ts';
import { defineOpenRoute, type OpenRoute } from '../route/route.ts';
import { compressed, staticAnswer, type StaticContent } from '../route/static-answer.ts';
import { createTurns, type Turns } from '../route/turns.ts';

/* The operational routes: probes, metrics and the OpenAPI document. */

const tag = 'Operations';
/** A client keeps its copy and asks whether it is current. */
const REVALIDATED = { 'Cache-Control': 'no-cache' } as const;

export const healthz = defineOpenRoute({
  method: 'GET',
  path: '/healthz',
  tag,
  summary: 'Check that the process is alive',
  errors: [],
  reply: {
    description: 'The process is alive.',
    schema: Type.Object({ status: Type.String({ description: 'Always `ok`.' }) }, { description: 'Liveness.' }),
    example: { status: 'ok' },
  },
  respond: () => answer('{"status":"ok"}'),
});

export const readyz = defineOpenRoute({
  method: 'GET',
  path: '/readyz',
  tag,
  summary: 'Check that this process can serve requests',
  description:
    'Ready means that this process reaches the broker and that an owner answers it. `?verbose` adds `details`: every ' +
    'check with its state, such as the partitions without an owner.',
  errors: ['SERVICE_UNAVAILABLE'],
  input: {
    query: Type.Object({
      verbose: Type.Optional(Type.String({ description: 'Adds `details`, unless it is `false`.' })),
    }),
  },
  reply: {
    description: 'The process is ready.',
    schema: Type.Object(
      {
        status: Type.String({ description: 'Always `ready`.' }),
        checks: Type.Unsafe<Record<string, boolean>>({
          type: 'object',
          additionalProperties: { type: 'boolean' },
          description: 'Name of each check, and whether it passed. Some may fail while the process is ready.',
        }),
        details: Type.Optional(
          Type.Array(
            Type.Object(
              {
                name: Type.String({ description: 'Name of the check.' }),
                ok: Type.Boolean({ description: 'Whether it passed.' }),
                required: Type.Boolean({ description: 'Whether the process is not ready while the check fails.' }),
                info: Type.Optional(Type.Object({}, { description: 'What the check found; its fields may change.' })),
              },
              { description: 'One check.' },
            ),
            { description: 'The checks with their states; only with `verbose`.' },
          ),
        ),
      },
      { description: 'Readiness.' },
    ),
    example: { status: 'ready', checks: { log: true, owners: true, partitions: true, facts: true, clickhouse: true } },
  },
  respond({ readiness }, { verbose }) {
    const { ready, checks, details } = readiness();
    const shown = verbose === undefined || verbose === 'false' ? { checks } : { checks, details };
    if (!ready) return failure('SERVICE_UNAVAILABLE', 'The service is not ready; see `details.checks`.', shown);
    return jsonAnswer({ status: 'ready', ...shown });
  },
});

export const metrics = defineOpenRoute({
  method: 'GET',
  path: '/metrics',
  tag,
  summary: 'Get the metrics for Prometheus',
  description:
    'By default, available over loopback only and not through a proxy; other requests return 404. To scrape it from ' +
    'another host, set METRICS_PORT or METRICS_PUBLIC.',
  localOnly: true,
  errors: ['NOT_FOUND'],
  reply: {
    description: 'The metrics in the Prometheus text format.',
    mediaType: 'text/plain',
    schema: Type.String({ description: 'Prometheus text format.' }),
  },
  async respond({ metrics: source, clock }) {
    return { kind: 'text', contentType: source.contentType, body: await recentText(source, clock) };
  },
});

/** Text of metrics takes some milliseconds to make, so those who ask at the same time share it. */
const recent = new WeakMap<object, { madeMs: number; text: Promise<string> }>();

function recentText(source: { text: () => Promise<string> }, clock: Clock): Promise<string> {
  const nowMs = clock.monotonicMs();
  const last = recent.get(source);
  if (last !== undefined && nowMs - last.madeMs < OPERATIONS_LIMITS.metricsShareMs) return last.text;
  const text = source.text();
  recent.set(source, { madeMs: nowMs, text });
  return text;
}

/** The route of the OpenAPI document. @param document returns its JSON text; called once, at the first request */
export function openApiRoute(document: (turns: Turns) => Promise<string>): OpenRoute {
  let made: StaticContent | undefined;
  let making: Promise<StaticContent> | undefined;
  const make = async (clock: Clock): Promise<StaticContent> => {
    const text = await document(createTurns(clock));
    made = await compressed('application/json', Buffer.from(text));
    return made;
  };
  return defineOpenRoute({
    method: 'GET',
    path: '/openapi.json',
    tag,
    summary: 'Get this API description (OpenAPI 3.1)',
    errors: [],
    reply: {
      statuses: [200, 304],
      description: 'The OpenAPI document.',
      mediaType: 'application/json',
      schema: Type.Object({}, { description: 'An OpenAPI 3.1 document.' }),
    },
    respond({ clock }, _, negotiation) {
      if (made !== undefined) return staticAnswer(made, negotiation, REVALIDATED);
      making ??= make(clock).finally(() => (making = undefined));
      return making.then((content) => staticAnswer(content, negotiation, REVALIDATED));
    },
  });
}
