import type { KeyedRoute, RawInput, RouteDocs } from '../route.ts';

/*
 * The endpoints that are audited apart from those that write a definition, which all are: what people and keys do to
 * single players, lists and deliveries. Requests of games are not audited: events, sessions, syncs and evaluations are
 * facts themselves.
 */

export interface AuditedAction {
  kind: 'player' | 'flag' | 'segment' | 'webhook' | 'quarantine';
  action: string;
  /** The parameter with the key of the thing. */
  key?: string;
  /** The parameter with the player's id. */
  player?: string;
  /** Servers do it all the time, so only people's requests are audited. */
  peopleOnly?: true;
  /** What the entry shows of the request. It must hold nothing of a player that an erasure would have to delete. */
  shows?: (body: unknown) => Record<string, unknown>;
}

const ACTIONS: Readonly<Record<string, AuditedAction>> = {
  'PATCH /v1/players/players/{id}': {
    kind: 'player',
    action: 'changed',
    player: 'id',
    peopleOnly: true,
    shows: (body) => ({ fields: Object.keys(Object(body)) }),
  },
  'DELETE /v1/players/players/{id}': { kind: 'player', action: 'erased', player: 'id' },
  'GET /v1/players/players/{id}/export': { kind: 'player', action: 'exported', player: 'id', peopleOnly: true },
  'PUT /v1/flags/flags/{key}/overrides/{player_id}': {
    kind: 'flag',
    action: 'override_set',
    key: 'key',
    player: 'player_id',
    shows: (body) => ({ ...Object(body) }),
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

/** The thing that a request acts on, by its parameters. */
export function thingOf({ key, player }: AuditedAction, { params = {} }: RawInput): { key: string; playerId: string } {
  const playerId = player === undefined ? '' : (params[player] ?? '').toLowerCase();
  return { key: key === undefined ? playerId : (params[key] ?? ''), playerId };
}
