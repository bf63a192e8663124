import type { Route } from '../../../src/api/route/route.ts';

/* Writes what the server's client needs to know of each endpoint beside its types. */

/** The text of `server/generated/endpoints.ts`, before it is formatted. */
export function endpointsText(routes: readonly Route[]): string {
  const entries = routes.map((route) => {
    const { method, path } = route;
    return `  '${method} ${path}': { repeats: '${repeatsOf(route)}', answers: '${answersOf(route)}' },`;
  });
  return `/* Written by scripts/generate-operations.ts from the routes of the service. Do not edit. */

/**
 * Whether an endpoint may be called again after a failure: always (it only reads), with an Idempotency-Key, or never
 * (repeats count again, or are recognised by ids that only the caller knows). And what it answers: the \`data\` of the
 * envelope, JSON without an envelope, text, or a stream.
 */
export const ENDPOINTS = {
${entries.join('\n')}
} as const;
`;
}

function repeatsOf({ method, idempotent, readsOnly }: Route): 'always' | 'key' | 'never' {
  if (method === 'GET' || readsOnly === true) return 'always';
  return idempotent === true ? 'key' : 'never';
}

function answersOf({ reply: { mediaType, schema } }: Route): 'data' | 'json' | 'text' | 'stream' {
  // Some routes describe their envelope by themselves.
  if (mediaType === undefined || ('properties' in schema && 'data' in Object(schema.properties))) return 'data';
  if (mediaType === 'text/event-stream') return 'stream';
  return mediaType.includes('json') ? 'json' : 'text';
}
