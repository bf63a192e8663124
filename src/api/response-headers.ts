import { mayBeMetered } from './metering.ts';
import type { RouteDocs } from './route.ts';

/** Every response header of our own: exposed to browsers, and documented. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': { type: 'string', description: 'Names this request; quote it when asking for help.' },
  'X-Ignored-Fields': { type: 'string', description: 'Fields of the request nobody knows, comma separated.' },
  'Idempotent-Replayed': { type: 'string', description: '`true` when this repeats an earlier answer.' },
  'RateLimit-Limit': { type: 'integer', description: "Requests per minute of the key's tier." },
  'RateLimit-Remaining': { type: 'integer', description: 'Requests left in the sliding minute.' },
  'RateLimit-Reset': { type: 'integer', description: 'Seconds until the oldest counted requests leave the minute.' },
  'Retry-After': { type: 'integer', description: 'Seconds to wait before the next try.' },
  ETag: { type: 'string', description: 'Version of what is answered.' },
} as const;

type HeaderName = keyof typeof RESPONSE_HEADERS;

/** The headers a route's response of the given status may carry. */
export function responseHeadersOf(route: RouteDocs, status: number): HeaderName[] {
  const names: HeaderName[] = ['X-Request-Id'];
  if (mayBeMetered(route)) names.push('RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset');
  if (status === 429 || status === 503) names.push('Retry-After');
  if (status < 300 && route.auth !== 'none') names.push('X-Ignored-Fields');
  if (status < 300 && route.idempotent === true) names.push('Idempotent-Replayed');
  if (route.reply.statuses.includes(304) || (status < 300 && route.versioned === true)) names.push('ETag');
  return names;
}
