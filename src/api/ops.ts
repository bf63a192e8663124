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
  summary: 'Check that the service can serve requests',
  errors: ['SERVICE_UNAVAILABLE'],
  reply: {
    statuses: [200],
    description: 'The service is ready.',
    schema: Type.Object(
      {
        status: Type.String({ description: 'Always `ready`.' }),
        checks: Type.Unsafe<Record<string, boolean>>({
          type: 'object',
          additionalProperties: { type: 'boolean' },
          description: 'Name of each check, and whether it passed.',
        }),
      },
      { description: 'Readiness.' },
    ),
    example: { status: 'ready', checks: { log: true, partitions: true } },
  },
  respond({ readiness }) {
    const { ready, checks } = readiness();
    if (!ready) return failure('SERVICE_UNAVAILABLE', 'The service is not ready; see `details.checks`.', { checks });
    return answer(JSON.stringify({ status: 'ready', checks }));
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
