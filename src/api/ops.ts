import { Type } from 'typebox';
import { failure } from '../kernel/errors.ts';
import { answer } from './answer.ts';
import { defineOpenRoute, type OpenRoute } from './route.ts';

const tag = 'Operations';

export const healthz = defineOpenRoute({
  method: 'GET',
  path: '/healthz',
  tag,
  summary: 'Whether the process is alive',
  errors: [],
  reply: {
    statuses: [200],
    description: 'It is.',
    schema: Type.Object({ status: Type.String({ description: 'Always `ok`.' }) }, { description: 'Liveness.' }),
    example: { status: 'ok' },
  },
  respond: () => answer('{"status":"ok"}'),
});

export const readyz = defineOpenRoute({
  method: 'GET',
  path: '/readyz',
  tag,
  summary: 'Whether the service can take requests',
  errors: ['SERVICE_UNAVAILABLE'],
  reply: {
    statuses: [200],
    description: 'It can.',
    schema: Type.Object(
      {
        status: Type.String({ description: 'Always `ready`.' }),
        checks: Type.Unsafe<Record<string, boolean>>({
          type: 'object',
          additionalProperties: { type: 'boolean' },
          description: 'Each check and whether it passed.',
        }),
      },
      { description: 'Readiness.' },
    ),
    example: { status: 'ready', checks: { broker: true } },
  },
  respond({ readiness }) {
    const { ready, checks } = readiness();
    if (!ready) return failure('SERVICE_UNAVAILABLE', 'The service is not ready.', { checks });
    return answer(JSON.stringify({ status: 'ready', checks }));
  },
});

export const metrics = defineOpenRoute({
  method: 'GET',
  path: '/metrics',
  tag,
  summary: 'Metrics for Prometheus',
  description:
    'Answers over loopback only, and not through a proxy (404 otherwise). To scrape it from elsewhere, set METRICS_PORT or ' +
    'METRICS_PUBLIC.',
  localOnly: true,
  errors: ['NOT_FOUND'],
  reply: {
    statuses: [200],
    description: 'Prometheus text format.',
    mediaType: 'text/plain',
    schema: Type.String({ description: 'Prometheus text format.' }),
  },
  async respond({ metrics: { contentType, text } }) {
    return { kind: 'text', contentType, body: await text() };
  },
});

/** The route that serves the OpenAPI document. @param document makes its JSON text; called once, at the first request */
export function openApiRoute(document: () => string): OpenRoute {
  let text: string | undefined;
  return defineOpenRoute({
    method: 'GET',
    path: '/openapi.json',
    tag,
    summary: 'This description of the interface (OpenAPI 3.1)',
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
