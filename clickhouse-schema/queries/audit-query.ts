/** Filters of audit entries; a missing filter matches all of them. */
export interface AuditQuery {
  /** `_`: the deployment's own. */
  game: string;
  /** Entries of both environments are found too. */
  environment: string;
  kind?: string | undefined;
  key?: string | undefined;
  /** The key that an event schema has if its events are named `key`. */
  schemaKey?: string | undefined;
  action?: string | undefined;
  /** E-mail address of a user, or the id of a user, key or account. */
  actor?: string | undefined;
  /** A UUID. */
  playerId?: string | undefined;
  /** Default: all except refused ones. */
  outcome?: string | undefined;
  /** Bounds, epoch milliseconds, the upper one exclusive. */
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
  /** Only entries before this one in the order of the list. */
  behind?: EntryPlace | undefined;
  limit: number;
}

/** The place of an entry in the list. */
export interface EntryPlace {
  at: number;
  /** A UUID. */
  id: string;
}

export interface FoundEntry {
  id: string;
  at: number;
  environment: string;
  actorKind: string;
  actorId: string;
  actor: string;
  network: string;
  kind: string;
  key: string;
  action: string;
  /** Empty: about no player. */
  playerId: string;
  before: string;
  after: string;
  reason: string;
  outcome: string;
}

/** A row of the result. */
export interface AuditRow {
  entry_id: string;
  at_ms: string | number;
  environment: string;
  actor_kind: string;
  actor_id: string;
  actor: string;
  network: string;
  kind: string;
  key: string;
  action: string;
  player_id: string;
  before: string;
  after: string;
  reason: string;
  outcome: string;
}

/** Entries, newest first. An entry whose outcome is not written yet has one row. Callers' values are parameters. */
export function auditQuery(query: AuditQuery): { sql: string; parameters: Record<string, unknown> } {
  const { game, environment, behind, limit } = query;
  const conditions = ['game_id = {game:String}', "environment IN ({environment:String}, '_')"];
  const parameters: Record<string, unknown> = { game, environment, limit };
  const add = (name: string, value: unknown, condition: string): void => {
    if (value === undefined) return;
    conditions.push(condition);
    parameters[name] = value;
  };
  add('kind', query.kind, 'kind = {kind:String}');
  if (query.schemaKey === undefined) add('key', query.key, 'key = {key:String}');
  else {
    add('key', query.key, "if(kind = 'event_schema', {schema_key:String}, {key:String}) = key");
    parameters['schema_key'] = query.schemaKey;
  }
  add('action', query.action, 'action = {action:String}');
  add('actor', query.actor, '(actor = {actor:String} OR actor_id = {actor:String})');
  add('player', query.playerId, 'player_id = {player:UUID}');
  add('outcome', query.outcome, 'outcome = {outcome:String}');
  if (query.outcome === undefined) conditions.push("outcome != 'refused'");
  add('since', query.sinceMs, 'at >= fromUnixTimestamp64Milli({since:Int64})');
  add('until', query.untilMs, 'at < fromUnixTimestamp64Milli({until:Int64})');
  add('ms', behind?.at, 'at <= fromUnixTimestamp64Milli({ms:Int64})');
  add('id', behind?.id, '(at < fromUnixTimestamp64Milli({ms:Int64}) OR entry_id < {id:UUID})');
  // The conditions hold for both rows of an entry, except that on the outcome, which FINAL must precede.
  const sql = `
SELECT entry_id, toUnixTimestamp64Milli(at) AS at_ms, environment, actor_kind, actor_id, actor, network, kind, key,
  action, player_id, before, after, reason, outcome
FROM audit_entries FINAL
WHERE ${conditions.join('\n  AND ')}
ORDER BY at DESC, entry_id DESC
LIMIT {limit:UInt32}`;
  return { sql, parameters };
}

const NOBODY = '00000000-0000-0000-0000-000000000000';

export function foundEntry(row: AuditRow): FoundEntry {
  const { entry_id, at_ms, actor_kind, actor_id, player_id, ...rest } = row;
  return {
    ...rest,
    id: entry_id,
    at: Number(at_ms),
    actorKind: actor_kind,
    actorId: actor_id,
    playerId: player_id === NOBODY ? '' : player_id,
  };
}
