import type { TSchema, TString } from 'typebox';
import type { Json, JsonObject } from '../../../../core/kernel/text/json.ts';
import { isObject } from '../../../../core/kernel/text/json.ts';
import type { Failure } from '../../../../core/kernel/errors.ts';
import type { StoredVersion } from '../../../../clickhouse-schema/queries/lookups/definition-versions.ts';
import type { DocumentAddress } from '../../../../core/vocabulary/documents/documents.ts';
import type { RequestContext } from '../../route/request-context.ts';
import type { RouteDocs } from '../../route/route.ts';

/** What has a history: definitions of one kind, or the settings of a game. */
export interface Historied {
  shared: { tag: string; auth: { keys: readonly ['server'] }; limitClass: RouteDocs['limitClass'] };
  /** Path of the current version. */
  path: string;
  /** The parameters in its path. */
  params: Readonly<Record<string, TString>>;
  /** Its name in texts, with an article. */
  aOne: string;
  schema: TSchema;
  example: Readonly<Record<string, unknown>>;
  missing: () => Failure;
  addressOf: (params: Params, context: RequestContext) => DocumentAddress;
  /** The version that is stored now, also of an archived definition. */
  versionNow: (params: Params, context: RequestContext) => number | undefined;
  /** A version as answers show it. */
  shownVersion: (document: JsonObject, context: RequestContext) => string;
}

export type Params = Readonly<Record<string, string>>;

/** The document of a version; `undefined`: it was deleted, or is larger than the bound. */
export function documentIn({ document }: Pick<StoredVersion, 'document'>): JsonObject | undefined {
  const parsed: Json = document === '' ? null : JSON.parse(document);
  return isObject(parsed) ? parsed : undefined;
}

export const isDeletion = ({ action }: Pick<StoredVersion, 'action'>): boolean => action === 'deleted';

/** Fields whose players the history does not keep, with their number. */
export function playersLeftOut(document: JsonObject): Record<string, number> {
  const fields = Object.entries(document).flatMap(([name, value]) =>
    isObject(value) && typeof value['players'] === 'number' && Object.keys(value).length === 1
      ? [[name, value['players']] as const]
      : [],
  );
  return Object.fromEntries(fields);
}

/**
 * The versions that were made, newest first. A change whose outcome is not known was made if the definition has its
 * number or a later one now, and no other change is stored under it.
 * @param versionNow undefined: it was deleted
 */
export function madeVersions(found: readonly StoredVersion[], versionNow: number | undefined): StoredVersion[] {
  const stored = new Set(found.flatMap(({ outcome, version }) => (outcome === 'stored' ? [version] : [])));
  return found.filter(
    ({ outcome, version }) =>
      outcome === 'stored' || (!stored.has(version) && (versionNow === undefined || version <= versionNow)),
  );
}

/** A version as the text of a document of its kind: without players, marks of writes and periods. */
export function documentText(version: JsonObject): string {
  const leftOut = playersLeftOut(version);
  const kept = Object.fromEntries(Object.entries(version).filter(([name]) => !Object.hasOwn(leftOut, name)));
  return JSON.stringify({ ...kept, writes: [], periods: [] });
}
