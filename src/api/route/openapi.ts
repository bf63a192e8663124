import { ERRORS, type ErrorCode } from '../../../core/kernel/errors.ts';
import { API_LIMITS } from '../limits.ts';
import { ROUTE_LIMITS } from './limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { PLAIN_COOKIE, SECURE_COOKIE } from '../console/sign-in/session-cookie.ts';
import { isPlainObject } from '../../../core/kernel/validation/plain-object.ts';
import { mayBeMetered } from './metering.ts';
import { RESPONSE_HEADERS, responseHeadersOf } from './response-headers.ts';
import type { Route } from './route.ts';
import type { Turns } from './turns.ts';

/* Builds the OpenAPI document from the declarations of routes. */

/** The OpenAPI 3.1 document of the given routes, derived from their declarations alone. */
export function openApi(routes: readonly Route[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = (paths[route.path] ??= {});
    path[route.method.toLowerCase()] = operation(route);
  }
  return { ...withoutPaths(routes), paths };
}

function withoutPaths(routes: readonly Route[]) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Player analytics and targeting',
      version: '1.0.0',
      summary: 'Players, events, segments, feature flags, campaigns, scoring and webhooks for live games.',
      description:
        'Every JSON response is `{"success": true, "data": …}` or `{"success": false, "error": {code, message, ' +
        `details}}\`. Request bodies are JSON in UTF-8 of at most ${API_LIMITS.bodyBytes} bytes, counted after gzip ` +
        `decompression; a string in a body has at most ${TEXT_LIMITS.stringBytes} bytes. Times without an offset are UTC. ` +
        `The service keeps idle connections open for at least ${ROUTE_LIMITS.keepAliveSeconds} seconds. It closes a ` +
        'connection after a chunked request.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This service.' }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    security: [{ apiKey: [] }, { bearer: [] }],
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'Client keys are `pk_live_…` or `pk_test_…`, server keys `sk_live_…` or `sk_test_…`.',
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The same keys as a bearer token. If you send both, `X-API-Key` is used.',
        },
        writeKey: {
          type: 'http',
          scheme: 'basic',
          description:
            'The same keys as the user, without a password. Clients that cannot send headers put the key into the ' +
            'query parameter or body field `writeKey`.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: PLAIN_COOKIE,
          description:
            `The session of a person, which \`POST /v1/console/sessions\` sets; over TLS \`${SECURE_COOKIE}\`. Changes also ` +
            'need `X-CSRF-Token`.',
        },
        streamToken: {
          type: 'apiKey',
          in: 'query',
          name: 'token',
          description: 'A token from `POST /v1/events/stream-tokens`. It opens one event stream.',
        },
      },
      schemas: { Error: ERROR_SCHEMA },
      headers: Object.fromEntries(
        Object.entries(RESPONSE_HEADERS).map(([name, { type, description }]) => [
          name,
          { description, schema: { type } },
        ]),
      ),
    },
  };
}

/** The JSON text of the same document. Made in turns, because it takes longer than a request may. */
export async function openApiText(routes: readonly Route[], turns: Turns): Promise<string> {
  const paths = new Map<string, string[]>();
  for (const route of routes) {
    await turns.pause();
    const text = `${JSON.stringify(route.method.toLowerCase())}:${JSON.stringify(operation(route))}`;
    paths.set(route.path, [...(paths.get(route.path) ?? []), text]);
  }
  const texts = [...paths].map(([path, operations]) => `${JSON.stringify(path)}:{${operations.join()}}`);
  return `${JSON.stringify(withoutPaths(routes)).slice(0, -1)},"paths":{${texts.join()}}}`;
}

const ERROR_SCHEMA = {
  type: 'object',
  description: 'A failed request.',
  required: ['success', 'error'],
  properties: {
    success: { const: false, description: 'Always false.' },
    error: {
      type: 'object',
      description: 'The error.',
      required: ['code', 'message', 'details'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERRORS), description: 'Error code.' },
        message: { type: 'string', description: 'Explanation for people. The wording may change.' },
        details: {
          type: 'object',
          description: 'Details of the error.',
          properties: {
            session_id: { type: 'string', description: 'The session in the request that is not open.' },
            suggestion: { type: 'string', description: 'How a game client can continue.' },
            scope: { type: 'string', description: 'The scope that the key lacks.' },
            version: { type: 'integer', description: 'The current version, if `If-Match` names another one.' },
            field: { type: 'string', description: 'The field whose value is already taken.' },
            archived: { type: 'boolean', description: 'Whether the value belongs to a deleted flag.' },
            flags: { type: 'array', items: { type: 'string' }, description: 'Keys of the flags that use the segment.' },
            campaigns: {
              type: 'array',
              items: { type: 'string' },
              description: 'Keys of the campaigns that use the segment.',
            },
            remaining: {
              type: 'number',
              description: "What remains of the purchase that the request refunds, in the game's currency.",
            },
            since: { type: 'string', description: 'Start time of the recovery that is already running.' },
            fields: {
              type: 'array',
              description: 'The faults of the request.',
              items: {
                type: 'object',
                description: 'One fault.',
                required: ['path', 'message'],
                properties: {
                  path: {
                    type: 'string',
                    description: 'JSON Pointer into the body, or the name of a header or parameter.',
                  },
                  message: { type: 'string', description: 'The rule that the value breaks.' },
                },
              },
            },
          },
        },
      },
    },
  },
};

function operation(route: Route) {
  const { auth, input } = route;
  const keys = callersOf(auth);
  const scope = route.kind === 'keyed' && route.scope !== 'none' ? ` Scope: ${route.scope}.` : '';
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    description: `${route.description ?? ''} ${keys}${scope}`.trim(),
    ...securityOf(auth),
    parameters: parameters(route),
    ...(route.streamedBody === undefined ? {} : { requestBody: streamed(route.streamedBody) }),
    ...(input.body === undefined
      ? {}
      : {
          requestBody: {
            required: route.bodyOptional !== true,
            content: {
              'application/json': {
                schema: documented(input.body),
                ...(route.example === undefined ? {} : { example: route.example }),
              },
            },
          },
        }),
    responses: { ...successes(route), ...failures(route) },
  };
}

function callersOf(auth: Route['auth']): string {
  if (auth === 'none') return 'No API key required.';
  if (auth.keys.length === 0) return 'For people who are signed in to the console; API keys cannot call it.';
  return `Keys: ${auth.keys.join(', ')}.`;
}

function streamed({ types, description, example }: NonNullable<Route['streamedBody']>) {
  const schema = { type: 'string', description };
  return {
    required: true,
    content: Object.fromEntries(types.map((type, place) => [type, place === 0 ? { schema, example } : { schema }])),
  };
}

function securityOf(auth: Route['auth']): { security?: Record<string, never[]>[] } {
  if (auth === 'none') return { security: [] };
  if (auth.keys.length === 0) return { security: [{ session: [] }] };
  if (auth.writeKeys === true) return { security: [{ apiKey: [] }, { bearer: [] }, { writeKey: [] }] };
  return auth.streamTokens === true ? { security: [{ apiKey: [] }, { bearer: [] }, { streamToken: [] }] } : {};
}

function operationId({ method, path, operationId: own }: Route): string {
  if (own !== undefined) return own;
  const words = path.replace(/^\/v1\//, '').match(/[A-Za-z0-9]+/g) ?? [];
  return [method.toLowerCase(), ...words].join('_');
}

function parameters(route: Route) {
  const { params, query, headers } = route.input;
  const of = (place: 'path' | 'query' | 'header', schema: typeof params) =>
    Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
      name,
      in: place,
      required: place === 'path' || (schema?.required ?? []).some((required) => required === name),
      ...described(property),
      schema: documented(property),
    }));
  const idempotencyKey = {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes the write safe to repeat. For 24 hours, a repeat with the same key and body returns the first response; ' +
      'another body returns 409.',
    schema: { type: 'string', minLength: 1, maxLength: ROUTE_LIMITS.idempotencyKeyLength, pattern: '^[!-~]+$' },
  };
  const playerToken = {
    name: 'X-Player-Token',
    in: 'header',
    required: false,
    description:
      "For client keys: a JWT (HS256) signed with the game's player token secret. `sub` is the player's external_id, " +
      '`exp` the expiry. The request may act for that player only; a request that names another player returns 403. ' +
      'Required if the game requires player tokens.',
    schema: { type: 'string', maxLength: ROUTE_LIMITS.playerTokenLength },
  };
  const own = [...of('path', params), ...of('query', query), ...of('header', headers)];
  const isForClients = route.auth !== 'none' && route.auth.keys.includes('client');
  return [...own, ...(route.idempotent === true ? [idempotencyKey] : []), ...(isForClients ? [playerToken] : [])];
}

function described(schema: unknown): { description?: string } {
  if (!isPlainObject(schema)) return {};
  const { description } = schema;
  return typeof description === 'string' ? { description } : {};
}

/**
 * A schema as published: `x-items` replaces `items` where each item is validated apart (event-batch.ts), and `x-shown`
 * replaces a schema that validates text where callers send something else.
 */
function documented(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(documented);
  if (!isPlainObject(schema)) return schema;
  const { 'x-items': items, 'x-shown': whole, ...rest } = schema;
  if (whole !== undefined) return documented(whole);
  const shown = items === undefined ? rest : { ...rest, items };
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, documented(value)]));
}

function successes(route: Route): Record<string, unknown> {
  const { schema, description, mediaType, example, statuses = [200] } = route.reply;
  const enveloped = mediaType === undefined;
  const content = enveloped
    ? {
        schema: {
          type: 'object',
          required: ['success', 'data'],
          properties: { success: { const: true, description: 'Always true.' }, data: documented(schema) },
        },
        ...(example === undefined ? {} : { example: { success: true, data: example } }),
      }
    : { schema: documented(schema), ...(example === undefined ? {} : { example }) };
  const headers = headerRefs(responseHeadersOf(route, 200));
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      status === 304
        ? { description: 'Not modified: the response with the ETag in `If-None-Match` is current.', headers }
        : { description, headers, content: { [mediaType ?? 'application/json']: content } },
    ]),
  );
}

/** Every error a route can return: its own, and those that follow from its declaration. */
export function errorsOf(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>([...route.errors, 'INTERNAL_ERROR']);
  if (route.basis === 'needed') codes.add('PRECONDITION_REQUIRED');
  if (route.auth !== 'none') {
    codes.add('UNAUTHORIZED');
    codes.add('VALIDATION_ERROR');
    codes.add('SERVICE_UNAVAILABLE');
    codes.add('FORBIDDEN');
  }
  if (mayBeMetered(route)) codes.add('RATE_LIMIT_EXCEEDED');
  if (route.idempotent === true) codes.add('CONFLICT');
  if (route.input.body !== undefined || route.streamedBody !== undefined) {
    codes.add('PAYLOAD_TOO_LARGE');
    if (route.lenientBody !== true) codes.add('UNSUPPORTED_MEDIA_TYPE');
  }
  return [...codes];
}

function failures(route: Route): Record<string, unknown> {
  const statusOf = (code: ErrorCode): number =>
    route.failures?.statuses?.[code] ??
    (code === 'VALIDATION_ERROR' ? (route.invalidStatus ?? ERRORS[code].status) : ERRORS[code].status);
  const byStatus = Map.groupBy(errorsOf(route), statusOf);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `${code}: ${ERRORS[code].meaning}`).join(' '),
        headers: headerRefs(responseHeadersOf(route, status)),
        content: {
          'application/json':
            route.failures !== undefined
              ? { schema: documented(route.failures.schema) }
              : {
                  schema: { $ref: '#/components/schemas/Error' },
                  examples: Object.fromEntries(
                    codes.map((code) => [
                      code,
                      { value: { success: false, error: { code, message: ERRORS[code].message, details: {} } } },
                    ]),
                  ),
                },
        },
      },
    ]),
  );
}

function headerRefs(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
