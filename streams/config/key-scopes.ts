import type { ApiKeyDocument } from '../../core/vocabulary/documents/documents.ts';

/*
 * What API keys may do. Each route that keys may call needs one of these (src/api/route/access.ts).
 *
 * A key that names limiting scopes has only those; one that names none has all of them. Additional scopes are granted
 * by name only, and limit nothing.
 */

/** What each limiting scope allows, in the order in which lists show them. */
export const LIMITING_SCOPES = {
  track: 'register players, and record sessions, purchases, refunds, events and attributes',
  evaluate: 'evaluate flags, on the service and in server SDKs',
  read: 'read players, events, definitions and figures',
  export: 'export all data of a player',
  define: 'change flags, segments, campaigns, schemas and other definitions, overrides and lists of players',
  configure: 'change settings of the game and webhooks',
  operate: 'replay the quarantine, and test, repeat and recover deliveries of webhooks',
  erase: 'erase players',
  notify: 'send notifications of stores',
} as const;

export const ADDITIONAL_SCOPES = {
  'scoring:write': 'score first-time purchases',
  'audit:read': 'read the audit',
} as const;

export type Scope = keyof typeof LIMITING_SCOPES | keyof typeof ADDITIONAL_SCOPES;

/** Those that a key of each kind may name: there is a route that needs it and that the kind may call. */
export const SCOPES_OF = {
  client: ['track', 'evaluate', 'read', 'scoring:write'],
  server: [
    'track',
    'evaluate',
    'read',
    'export',
    'define',
    'configure',
    'operate',
    'erase',
    'notify',
    'scoring:write',
    'audit:read',
  ],
} as const satisfies Record<ApiKeyDocument['kind'], readonly Scope[]>;

export const SCOPES: readonly Scope[] = SCOPES_OF.server;

const ALL_LIMITING = Object.keys(LIMITING_SCOPES);

/** What a key may do that names these scopes. One that this version does not know limits, so it widens nothing. */
export function grantedScopes(named: readonly string[]): ReadonlySet<string> {
  const isLimited = named.some((scope) => !Object.hasOwn(ADDITIONAL_SCOPES, scope));
  return new Set(isLimited ? named : [...ALL_LIMITING, ...named]);
}
