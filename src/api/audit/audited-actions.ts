import type { KeyedRoute, RawInput, RouteDocs } from '../route/route.ts';

/*
 * The endpoints that are audited apart from those that write a definition, which all are: what people and keys do to
 * single players, lists and deliveries. Requests of games are not audited: events, sessions, syncs and evaluations are
 * facts themselves.
 */

export interface AuditedAction {
  kind: 'player' | 'flag' | 'campaign' | 'segment' | 'webhook' | 'quarantine';
  action: string;
  /** The parameter with the key of the thing. */
  key?: string;
  /** Whether it only reads. Repeats of the same person within minutes have no further entry: screens read again. */
  reads?: true;
  /** The parameter with the player's id. */
  player?: string;
  /** The thing, if the body names it. */
  named?: (body: unknown) => Partial<{ kind: string; key: string }>;
  /** Servers do it all the time, so only people's requests are audited. */
  peopleOnly?: true;
  /** What the entry shows of the request. It must hold nothing of a player that an erasure would have to delete. */
  shows?: (input: RawInput) => Record<string, unknown>;
}

const ACTIONS: Readonly<Record<string, AuditedAction>> = {
  'PATCH /v1/players/players/{id}': {
    kind: 'player',
    action: 'changed',
    player: 'id',
    peopleOnly: true,
    shows: ({ body }) => ({ fields: Object.keys(Object(body)) }),
  },
  'DELETE /v1/players/players/{id}': { kind: 'player', action: 'erased', player: 'id' },
  'GET /v1/players/players/{id}/export': { kind: 'player', action: 'exported', player: 'id', peopleOnly: true },
  // People who look at players. What they searched for may be an e-mail address, so only its kind is shown.
  'GET /v1/players/players': {
    kind: 'player',
    action: 'searched',
    peopleOnly: true,
    reads: true,
    shows: ({ query }) => ({ by: Object.keys(query ?? {}) }),
  },
  'GET /v1/players/players/external/{external_id}': {
    kind: 'player',
    action: 'searched',
    peopleOnly: true,
    reads: true,
    shows: () => ({ by: ['external_id'] }),
  },
  'GET /v1/players/players/{id}': { kind: 'player', action: 'read', player: 'id', peopleOnly: true, reads: true },
  'GET /v1/players/players/{id}/timeline': {
    kind: 'player',
    action: 'timeline_read',
    player: 'id',
    peopleOnly: true,
    reads: true,
  },
  'GET /v1/segments/segments/{id}/players': {
    kind: 'segment',
    action: 'players_listed',
    key: 'id',
    peopleOnly: true,
    reads: true,
  },
  'GET /v1/segments/segments/{id}/members': {
    kind: 'segment',
    action: 'players_listed',
    key: 'id',
    peopleOnly: true,
    reads: true,
  },
  'GET /v1/events/quarantine': { kind: 'quarantine', action: 'read', peopleOnly: true, reads: true },
  'GET /v1/integrations/webhooks/{id}/deliveries/{delivery_id}/payload': {
    kind: 'webhook',
    action: 'payload_read',
    key: 'id',
    peopleOnly: true,
    reads: true,
  },
  'POST /v1/console/turn-off': {
    kind: 'flag',
    action: 'turned_off_alone',
    named: namedIn,
    shows: ({ body }) => ({ reason: Object(body).reason }),
  },
  'PUT /v1/flags/flags/{key}/overrides/{player_id}': {
    kind: 'flag',
    action: 'override_set',
    key: 'key',
    player: 'player_id',
    shows: ({ body }) => ({ ...Object(body) }),
  },
  'DELETE /v1/flags/flags/{key}/overrides/{player_id}': {
    kind: 'flag',
    action: 'override_removed',
    key: 'key',
    player: 'player_id',
  },
  'PUT /v1/segments/segments/{id}/members': { kind: 'segment', action: 'list_replaced', key: 'id' },
  'POST /v1/segments/segments/{id}/members': { kind: 'segment', action: 'list_extended', key: 'id' },
  'DELETE /v1/segments/segments/{id}/members/{player_id}': {
    kind: 'segment',
    action: 'list_shortened',
    key: 'id',
    player: 'player_id',
  },
  'POST /v1/events/quarantine/replay': { kind: 'quarantine', action: 'replayed' },
  'POST /v1/integrations/webhooks/{id}/test': { kind: 'webhook', action: 'tested', key: 'id' },
  'POST /v1/integrations/webhooks/{id}/deliveries/{delivery_id}/redeliver': {
    kind: 'webhook',
    action: 'redelivered',
    key: 'id',
  },
  'POST /v1/integrations/webhooks/{id}/recover': { kind: 'webhook', action: 'recovery_started', key: 'id' },
};

/** The endpoints of the table, for the test that compares it with the routes. */
export const AUDITED_ENDPOINTS: readonly string[] = Object.keys(ACTIONS);

export const auditedAction = ({ method, path }: Pick<RouteDocs, 'method' | 'path'>): AuditedAction | undefined =>
  ACTIONS[`${method} ${path}`];

/** Whether requests of a route may have entries. */
export function isAudited(route: KeyedRoute): boolean {
  return route.actionKind === 'write' || auditedAction(route) !== undefined;
}

/** The thing that a request acts on, by its parameters or its body. */
export function thingOf(
  { kind, key, player, named }: AuditedAction,
  { params = {}, body }: RawInput,
): { kind: string; key: string; playerId: string } {
  const playerId = player === undefined ? '' : (params[player] ?? '').toLowerCase();
  const thing = { kind, key: key === undefined ? playerId : (params[key] ?? ''), playerId };
  return named === undefined ? thing : { ...thing, ...named(body) };
}

function namedIn(body: unknown): Partial<{ kind: string; key: string }> {
  if (typeof body !== 'object' || body === null || !('kind' in body) || !('key' in body)) return {};
  const { kind, key } = body;
  return typeof kind === 'string' && typeof key === 'string' ? { kind, key } : {};
}
