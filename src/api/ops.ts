import { Type } from 'typebox';
import { failure } from '../kernel/errors.ts';
import { answer } from './answer.ts';
import { defineOpenRoute, type OpenRoute } from './route.ts';

/* The operational routes: probes, metrics and the OpenAPI document. */

const tag = 'Operations';

export const healthz = defineOpenRoute({
  method: 'GET',
  path: '/healthz',
  tag,
  summary: 'Check that the process is alive',
  errors: [],
  reply: {
    statuses: [200],
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
    statuses: [200],
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
    return answer(JSON.stringify({ status: 'ready', ...shown }));
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
    statuses: [200],
    description: 'The metrics in the Prometheus text format.',
    mediaType: 'text/plain',
    schema: Type.String({ description: 'Prometheus text format.' }),
  },
  async respond({ metrics: { contentType, text } }) {
    return { kind: 'text', contentType, body: await text() };
  },
});

/** The route of the OpenAPI document. @param document returns its JSON text; called once, at the first request */
export function openApiRoute(document: () => string): OpenRoute {
  let text: string | undefined;
  return defineOpenRoute({
    method: 'GET',
    path: '/openapi.json',
    tag,
    summary: 'Get this API description (OpenAPI 3.1)',
    errors: [],
    reply: {
      statuses: [200],
      description: 'The OpenAPI document.',
      mediaType: 'application/json',
      schema: Type.Object({}, { description: 'An OpenAPI 3.1 document.' }),
    },
    respond() {
      text ??= document();
      return { kind: 'text', contentType: 'application/json', body: text };
    },
  });
}
