import type { QueryResult } from '../../query-result.ts';
import { type RunQuery, SCOPE } from './run-query.ts';

/** Versions of one definition, newest first. */
export interface DefinitionVersionsQuery {
  game: string;
  /** `_`: a game's settings. */
  environment: string;
  kind: string;
  /** The key under which it is stored. */
  key: string;
  /** Only this version. */
  version?: number | undefined;
  /** Only versions made at or before this time, epoch milliseconds. */
  atMs?: number | undefined;
  /** Only versions before this one in the order of the list. */
  behind?: VersionPlace | undefined;
  limit: number;
}

/** The place of a version in the list. */
export interface VersionPlace {
  at: number;
  /** A UUID. */
  id: string;
}

export interface StoredVersion {
  id: string;
  /** Epoch milliseconds. */
  at: number;
  version: number;
  action: string;
  actorKind: string;
  actorId: string;
  actor: string;
  reason: string;
  /** Empty: it was deleted, or is larger than the bound. */
  document: string;
  /** `stored`; `begun` and `unknown`: whether it was made is not known. */
  outcome: string;
}

interface VersionRow extends Pick<StoredVersion, 'version' | 'action' | 'actor' | 'reason' | 'document' | 'outcome'> {
  entry_id: string;
  at_ms: string | number;
  actor_kind: string;
  actor_id: string;
}

export async function findDefinitionVersions(
  runQuery: RunQuery,
  query: DefinitionVersionsQuery,
): Promise<QueryResult<StoredVersion[]>> {
  const { sql, parameters } = versionsQuery(query);
  const found = await runQuery<VersionRow>(sql, parameters);
  return found.kind === 'unavailable' ? found : { kind: 'answered', value: found.value.map(storedVersion) };
}

function versionsQuery(query: DefinitionVersionsQuery): { sql: string; parameters: Record<string, unknown> } {
  const { game, environment, kind, key, version, atMs, behind, limit } = query;
  const conditions = [SCOPE, 'kind = {kind:String}', 'key = {key:String}'];
  const parameters: Record<string, unknown> = { game, environment, kind, key, limit };
  const add = (name: string, value: unknown, condition: string): void => {
    if (value === undefined) return;
    conditions.push(condition);
    parameters[name] = value;
  };
  add('version', version, 'version = {version:UInt32}');
  add('at', atMs, 'at <= fromUnixTimestamp64Milli({at:Int64})');
  add('ms', behind?.at, 'at <= fromUnixTimestamp64Milli({ms:Int64})');
  add('id', behind?.id, '(at < fromUnixTimestamp64Milli({ms:Int64}) OR entry_id < {id:UUID})');
  // Read in the order of the table, backwards, and no further than the page. Of the two rows of a change the one with
  // its outcome counts, which `FINAL` would find by reading all versions.
  const sql = `
SELECT entry_id, toUnixTimestamp64Milli(at) AS at_ms, version, action, actor_kind, actor_id, actor, reason, document,
  outcome
FROM (
  SELECT *
  FROM definition_changes
  WHERE ${conditions.join('\n    AND ')}
  ORDER BY at DESC, entry_id DESC, written DESC
  LIMIT 1 BY at, entry_id
)
WHERE outcome != 'refused'
LIMIT {limit:UInt32}`;
  return { sql, parameters };
}

function storedVersion({ entry_id, at_ms, actor_kind, actor_id, ...rest }: VersionRow): StoredVersion {
  return { ...rest, id: entry_id, at: Number(at_ms), actorKind: actor_kind, actorId: actor_id };
}
