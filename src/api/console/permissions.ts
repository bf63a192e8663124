import { type Role, ROLES } from '../../../actors/vocabulary/users.ts';
import type { RouteDocs } from '../route.ts';

/**
 * The lowest role that may call each endpoint from the console; `null`: no person may, because it is for games and
 * their servers. An endpoint that is missing here is refused to every person (`src/api/routes.test.ts` names it).
 *
 * `viewer` sees definitions, players and figures. `analyst` also asks ClickHouse for what costs time, and takes data
 * out. `editor` changes what players get. `admin` manages keys and people, erases players, and reads the audit.
 */
const LEAST_ROLES: Readonly<Record<string, Role | null>> = {
  'POST /v1/players/players': null,
  'GET /v1/players/players/{id}': 'viewer',
  'PATCH /v1/players/players/{id}': 'editor',
  'DELETE /v1/players/players/{id}': 'admin',
  'GET /v1/players/players/external/{external_id}': 'viewer',
  'GET /v1/players/players/{id}/lifecycle': 'viewer',
  'GET /v1/players/players/{id}/churn-risk': 'viewer',
  'GET /v1/players/players/{id}/erasure': 'viewer',
  'GET /v1/players/players/{id}/export': 'admin',
  'POST /v1/players/players/{id}/session': null,
  'POST /v1/players/players/{id}/purchase': null,
  'POST /v1/bff/game/init': null,
  'POST /v1/bff/game/sync': null,
  'POST /v1/bff/game/end-session': null,
  'POST /v1/events/events': null,
  'POST /v1/events/events/batch': null,
  'GET /v1/events/events': 'viewer',
  'GET /v1/events/events/stream': 'viewer',
  'POST /v1/events/stream-tokens': null,
  'GET /v1/events/dictionary': 'viewer',
  'GET /v1/ops/freshness': 'viewer',
  'POST /v1/analytics/queries': 'viewer',
  'POST /v1/analytics/queries/sql': 'viewer',
  'GET /v1/analytics/saved-queries': 'viewer',
  'GET /v1/analytics/saved-queries/{key}': 'viewer',
  'POST /v1/analytics/saved-queries': 'analyst',
  'PUT /v1/analytics/saved-queries/{key}': 'analyst',
  'DELETE /v1/analytics/saved-queries/{key}': 'analyst',
  'GET /v1/audit': 'admin',
  'GET /v1/console/keys': 'admin',
  'POST /v1/console/keys': 'admin',
  'DELETE /v1/console/keys/{id}': 'admin',
  'GET /v1/events/schemas': 'viewer',
  'GET /v1/events/schemas/{event_name}': 'viewer',
  'POST /v1/events/schemas': 'editor',
  'PUT /v1/events/schemas/{event_name}': 'editor',
  'DELETE /v1/events/schemas/{event_name}': 'editor',
  'GET /v1/events/quarantine': 'viewer',
  'POST /v1/events/quarantine/replay': 'editor',
  // Evaluations count as exposures.
  'POST /v1/flags/flags/{key}/evaluate': null,
  'POST /v1/flags/flags/evaluate': null,
  'POST /ofrep/v1/evaluate/flags/{key}': null,
  'POST /ofrep/v1/evaluate/flags': null,
  'POST /v1/flags/exposures': null,
  'GET /v1/flags/definitions': 'viewer',
  'GET /v1/flags/changes': 'viewer',
  'GET /v1/flags/flags': 'viewer',
  'GET /v1/flags/flags/{key}': 'viewer',
  'GET /v1/flags/flags/{key}/results': 'viewer',
  'POST /v1/flags/flags': 'editor',
  'PUT /v1/flags/flags/{key}': 'editor',
  'PATCH /v1/flags/flags/{key}': 'editor',
  'DELETE /v1/flags/flags/{key}': 'editor',
  'PUT /v1/flags/flags/{key}/overrides/{player_id}': 'editor',
  'DELETE /v1/flags/flags/{key}/overrides/{player_id}': 'editor',
  'GET /v1/properties/properties': 'viewer',
  'GET /v1/properties/properties/{key}': 'viewer',
  'POST /v1/properties/properties': 'editor',
  'PUT /v1/properties/properties/{key}': 'editor',
  'DELETE /v1/properties/properties/{key}': 'editor',
  'GET /v1/segments/segments': 'viewer',
  'GET /v1/segments/segments/{id}': 'viewer',
  'GET /v1/segments/segments/{id}/players': 'viewer',
  'GET /v1/segments/segments/{id}/members': 'viewer',
  'POST /v1/segments/segments/preview': 'analyst',
  'POST /v1/segments/segments': 'editor',
  'PUT /v1/segments/segments/{id}': 'editor',
  'DELETE /v1/segments/segments/{id}': 'editor',
  'PUT /v1/segments/segments/{id}/members': 'editor',
  'POST /v1/segments/segments/{id}/members': 'editor',
  'DELETE /v1/segments/segments/{id}/members/{player_id}': 'editor',
  'GET /v1/campaigns/campaigns': 'viewer',
  'GET /v1/campaigns/campaigns/{id}': 'viewer',
  'POST /v1/campaigns/campaigns': 'editor',
  'PUT /v1/campaigns/campaigns/{id}': 'editor',
  'PATCH /v1/campaigns/campaigns/{id}': 'editor',
  'DELETE /v1/campaigns/campaigns/{id}': 'editor',
  'POST /v1/scoring/first-user-conversion': null,
  'POST /api/v1/scoring/first-user-conversion/30m': null,
  'GET /v1/integrations/webhooks': 'viewer',
  'GET /v1/integrations/webhooks/{id}': 'viewer',
  'GET /v1/integrations/webhooks/{id}/deliveries': 'viewer',
  'GET /v1/integrations/webhooks/{id}/recover': 'viewer',
  // A webhook sends players' data to any address, so changing where is for admins; repeating a delivery is not.
  'POST /v1/integrations/webhooks': 'admin',
  'PATCH /v1/integrations/webhooks/{id}': 'admin',
  'DELETE /v1/integrations/webhooks/{id}': 'admin',
  'POST /v1/integrations/webhooks/{id}/rotate-secret': 'admin',
  'POST /v1/integrations/webhooks/{id}/test': 'editor',
  'POST /v1/integrations/webhooks/{id}/deliveries/{delivery_id}/redeliver': 'editor',
  'POST /v1/integrations/webhooks/{id}/recover': 'editor',
  'POST /v1/batch': null,
  'POST /v1/b': null,
  'POST /v1/import': null,
  'POST /beacon/v1/batch': null,
  'POST /v1/track': null,
  'POST /v1/t': null,
  'POST /v1/identify': null,
  'POST /v1/i': null,
  'POST /v1/page': null,
  'POST /v1/p': null,
  'POST /v1/screen': null,
  'POST /v1/s': null,
  'POST /v1/group': null,
  'POST /v1/g': null,
  'POST /v1/alias': null,
  'POST /v1/a': null,
  'GET /v1/projects/{write_key}/settings': null,
  'GET /projects/{write_key}/settings': null,
  'GET /sourceConfig': null,
  'GET /sourceConfig/': null,
};

/** The lowest role for a route; undefined: no person may call it. */
export function leastRoleOf({ method, path }: Pick<RouteDocs, 'method' | 'path'>): Role | undefined {
  return LEAST_ROLES[`${method} ${path}`] ?? undefined;
}

/** The endpoints of the table, for the test that compares it with the routes. */
export const LISTED_ENDPOINTS: readonly string[] = Object.keys(LEAST_ROLES);

/** Whether a role may do what needs at least another one. */
export function mayAct(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}
