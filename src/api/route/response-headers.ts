import { mayBeMetered } from './metering.ts';
import type { RouteDocs } from './route.ts';

/** Every response header of the service. Browsers may read them (CORS) and OpenAPI documents them. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': { type: 'string', description: 'Id of the request. Quote it when you report a problem.' },
  'X-Ignored-Fields': {
    type: 'string',
    description:
      'Unknown fields and query parameters of the request, and a `timezone` that is none, which the service ignored; ' +
      'comma separated.',
  },
  'Idempotent-Replayed': {
    type: 'string',
    description: '`true` if the response repeats the response to an earlier request.',
  },
  'RateLimit-Limit': { type: 'integer', description: "Requests per minute of the key's tier." },
  'RateLimit-Remaining': { type: 'integer', description: 'Requests left in the sliding window of one minute.' },
  'RateLimit-Reset': { type: 'integer', description: 'Seconds until the oldest counted requests leave the window.' },
  'Retry-After': { type: 'integer', description: 'Seconds to wait before the next attempt.' },
  'X-Fresh-As-Of': {
    type: 'string',
    description:
      'Everything that was accepted before this time is in the response (RFC 3339). Absent if the service cannot tell.',
  },
  ETag: { type: 'string', description: 'Version of the returned resource.' },
} as const;

type HeaderName = keyof typeof RESPONSE_HEADERS;

/** The headers that a route's response with the given status may have. */
export function responseHeadersOf(route: RouteDocs, status: number): HeaderName[] {
  const names: HeaderName[] = ['X-Request-Id'];
  if (mayBeMetered(route)) names.push('RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset');
  if (status === 429 || status === 503) names.push('Retry-After');
  if (status < 300 && route.auth !== 'none') names.push('X-Ignored-Fields');
  if (status < 300 && route.idempotent === true) names.push('Idempotent-Replayed');
  if (status < 300 && route.readsRows === true) names.push('X-Fresh-As-Of');
  if (route.reply.statuses?.includes(304) === true || (status < 300 && route.versioned === true)) names.push('ETag');
  return names;
}
