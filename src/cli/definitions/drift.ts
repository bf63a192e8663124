import { isObject, type JsonObject } from '../../../core/kernel/text/json.ts';
import { printable } from '../printable.ts';
import type { CurrentDefinition } from './current.ts';
import { DEFINITION_FILE_LIMITS } from './limits.ts';
import { textOf } from './references.ts';
import type { GameService } from './service.ts';

/** Says who changed a definition since the files were applied, from its history; empty: nobody did. */
export async function driftOf(
  { managedBy, version, kind, id }: CurrentDefinition,
  by: string | undefined,
  service: GameService,
): Promise<string[]> {
  if (managedBy === undefined || managedBy.version >= version) return [];
  const since = by === managedBy.by ? 'since the files were applied' : `since ${managedBy.by} wrote it`;
  const path = `${kind.path}/${encodeURIComponent(id)}/versions?limit=${DEFINITION_FILE_LIMITS.driftVersions}`;
  const answered = await service.get(path);
  const listed = answered.kind === 'answered' ? answered.data['versions'] : undefined;
  const later = (Array.isArray(listed) ? listed.filter(isObject) : []).filter(
    (one) => Number(one['version']) > managedBy.version,
  );
  const [newest, ...others] = later;
  if (newest === undefined) return [`changed in the service ${since} (the history does not say by whom)`];
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return [`changed in the service ${since}: ${said(newest)}${more}`];
}

function said({ version, made_by: madeBy, at, reason }: JsonObject): string {
  const { kind, id, email } = isObject(madeBy) ? madeBy : {};
  const who = typeof email === 'string' ? email : `${textOf(kind)} ${textOf(id)}`;
  const why = typeof reason === 'string' ? ` (“${printable(reason)}”)` : '';
  return `version ${textOf(version)} by ${printable(who)} at ${textOf(at)}${why}`;
}
