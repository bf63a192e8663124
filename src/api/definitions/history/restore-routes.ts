import { type Static, type TObject, Type } from 'typebox';
import type { DefinitionKind } from '../../../../core/vocabulary/documents/document-kinds.ts';
import type { Documents } from '../../../../core/vocabulary/documents/documents.ts';
import { type ErrorCode, failure, type Failure, isFailure } from '../../../../core/kernel/errors.ts';
import { compile } from '../../../../core/kernel/validation/validation.ts';
import { isPlainObject } from '../../../../core/kernel/validation/plain-object.ts';
import { isObject, type Json, type JsonObject } from '../../../../core/kernel/text/json.ts';
import { AUDIT_ENTRY_LIMITS } from '../../../../streams/audit/limits.ts';
import { IfMatch, staleFor } from '../../input/if-match.ts';
import type { RawInput } from '../../route/access.ts';
import { jsonAnswer } from '../../route/answer.ts';
import type { RequestContext, WriteContext } from '../../route/request-context.ts';
import { defineRoute, invalid, type KeyedRoute, readBy } from '../../route/route.ts';
import type {
  DefinitionRoutes,
  Prepared,
  Remaking,
  Restorations,
  Restoring,
  WriteAccess,
} from '../definition-resource.ts';
import { changeDefinition, type Written } from '../definition-writes.ts';
import { DEFINITION_LIMITS } from '../limits.ts';
import { foreseenDifferences } from './differences.ts';
import { documentIn, type Historied, isDeletion, madeVersions, type Params, playersLeftOut } from './historied.ts';
import { sentFields } from './sent-fields.ts';
import { noVersion } from './history-routes.ts';
import { Difference } from './version-resource.ts';

/*
 * Restores a version of a definition: the change that PUT (or PATCH) would make with that version as its body, so it
 * is checked like one, makes a new version, and may wait for a second person.
 */

export const RestorePreviewed = Type.Object(
  {
    version: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The version that would be changed: the current one; null if the definition was deleted.',
    }),
    restores: Type.Integer({ description: 'The version that would be restored.' }),
    difference: Difference,
    notes: Type.Array(Type.String({ description: 'A sentence.' }), {
      description: 'What stays as it is now, because the history does not keep it.',
    }),
    edit_effect: Type.Optional(
      Type.String({ description: 'Of a flag: what it does to the players of the experiment, as in `preview`.' }),
    ),
  },
  { description: 'The effect of a restoration.' },
);
export const PREVIEW_EXAMPLE = {
  version: 5,
  restores: 3,
  difference: ['Rule 1: 100 % → 20 %'],
  notes: [],
  edit_effect: 'moves',
};

/** The document of a version that can be restored. */
export async function findOldVersion(
  historied: Historied,
  params: Params,
  version: number,
  context: RequestContext,
): Promise<{ kind: 'found'; document: JsonObject } | Failure> {
  const { game, environment, kind, key } = historied.addressOf(params, context);
  const query = { game, environment, kind, key, version, limit: DEFINITION_LIMITS.rowsOfVersion };
  const found = await context.services.analytics.lookups.definitionVersions(query);
  if (found.kind === 'unavailable') return NO_HISTORY;
  const versionNow = historied.versionNow(params, context);
  const [old] = madeVersions(found.value, versionNow);
  if (old === undefined) return versionNow === undefined ? historied.missing() : noVersion(version);
  const document = documentIn(old);
  if (document !== undefined) return { kind: 'found', document };
  return isDeletion(old) ? A_DELETION : TOO_LARGE;
}

export const RestoreBody = Type.Object(
  { version: Type.Integer({ minimum: 1, maximum: 2 ** 32 - 1, description: 'The version to restore.' }) },
  { additionalProperties: false, description: 'The version to restore.' },
);

/** What restorations need to know of the routes of a kind. */
export interface RestoredKind<K extends DefinitionKind> extends Pick<
  DefinitionRoutes<K>,
  'addressOf' | 'findStored' | 'missing'
> {
  historied: Historied;
  /** Stores a new definition. */
  create: (
    document: Documents[K],
    overQuota: Remaking<K>['overQuota'],
    context: WriteContext,
  ) => Promise<Written<K> | Failure>;
  idIn: (params: Params) => string;
}

export function restorations<K extends DefinitionKind, B extends TObject>(
  { historied, idIn, addressOf, findStored, missing, create }: RestoredKind<K>,
  { by, again, fitted = (wire) => wire, kept }: Restoring<K, B>,
): Restorations<K> {
  const check = compile<TObject, Static<B>>(by.body);

  /** An old version as GET showed it. */
  function wireOf(document: JsonObject, context: RequestContext): JsonObject {
    const shown: Json = JSON.parse(historied.shownVersion(document, context));
    return isObject(shown) ? shown : {};
  }

  /** Of a definition that was deleted. */
  async function remade(
    document: JsonObject,
    params: Params,
    version: number,
    context: RequestContext,
  ): Promise<Prepared<K> | Failure> {
    if (again === undefined) return GONE;
    const lost = Object.entries(playersLeftOut(document)).filter(([, count]) => count > 0);
    if (lost.length > 0) return withoutPlayers(lost.map(([name]) => name));
    const next = await again.make(wireOf(document, context), idIn(params), context);
    return isFailure(next)
      ? refused(version, next)
      : { kind: 'prepared', from: undefined, next, notes: again.notes(next) };
  }

  async function prepare(params: Params, version: number, context: RequestContext): Promise<Prepared<K> | Failure> {
    const held = findStored(idIn(params), context);
    const found = await findOldVersion(historied, params, version, context);
    if (found.kind === 'failure') return found;
    if (held === undefined) return remade(found.document, params, version, context);
    const body = sentFields(by.body, fitted(wireOf(found.document, context), held.document));
    if (!check.accepts(body)) return refused(version, invalid(check.faultsOf(body)));
    const change = await by.change(body, context);
    if (isFailure(change)) return refused(version, change);
    const next = change(held.document, held);
    if (isFailure(next)) return refused(version, next);
    const players = Object.entries(playersLeftOut(found.document)).map(
      ([name, count]) => `\`${name}\` stays as it is: the history has only the number of its players then, ${count}.`,
    );
    return {
      kind: 'prepared',
      from: { held, change },
      next,
      notes: [...players, ...(kept === undefined ? [] : [kept])],
    };
  }

  return {
    prepare,
    async restore(params, version, headers, context) {
      const prepared = await prepare(params, version, context);
      if (isFailure(prepared)) return prepared;
      const address = addressOf(idIn(params), context);
      if (prepared.from === undefined) {
        const ended = context.services.config.ended(address);
        return staleFor(headers, ended.version) ?? create(prepared.next, again?.overQuota, context);
      }
      const { held, change } = prepared.from;
      return changeDefinition<K>(
        {
          address,
          basis: { ...headers, version: held.document.version },
          missing: missing(),
          change,
          conflict: (written) => by.conflict?.(written, context),
        },
        context,
      );
    },
  };
}

/** What the old version lacks today, such as a segment that was deleted since. */
function refused(version: number, { message = 'It is not valid any more.', details }: Failure): Failure {
  return failure('CONFLICT', `Version ${version} cannot be restored as it was: ${message}`, details);
}

const GONE = failure(
  'CONFLICT',
  'It was deleted. Get the version (`…/versions/{version}`) and create it again: `definition` is a valid body once you ' +
    'write what it shows as `[hidden]`.',
);
const withoutPlayers = (fields: readonly string[]): Failure =>
  failure(
    'CONFLICT',
    `It was deleted, and the history does not have the players of ${fields.map((name) => `\`${name}\``).join(' and ')}. ` +
      'Get the version (`…/versions/{version}`) and create it again with them.',
  );
const A_DELETION = failure('CONFLICT', 'This version is a deletion. Restore an earlier one.');
const TOO_LARGE = failure(
  'CONFLICT',
  `The history does not have this version: it is larger than ${AUDIT_ENTRY_LIMITS.definitionBytes} bytes.`,
);
const NO_HISTORY = failure(
  'SERVICE_UNAVAILABLE',
  'ClickHouse, which holds the earlier versions, is temporarily unavailable; retry later. Other changes are possible.',
);

/** The route that restores a version. */
export const restoreRoute = <K extends DefinitionKind>(
  { historied, errors, shown }: RestoredKind<K> & { errors: readonly ErrorCode[]; shown: DefinitionRoutes<K>['shown'] },
  access: WriteAccess,
  { restore }: Restorations<K>,
): KeyedRoute =>
  defineRoute({
    ...historied.shared,
    role: access.role,
    scope: access.scope,
    audit: access.audit,
    approval: access.approval,
    versioned: true,
    method: 'POST',
    path: `${historied.path}/restore`,
    summary: `Restore a version of ${historied.aOne}`,
    description: RESTORES,
    bringsBack: (input, context) => broughtBack(historied, input, context),
    idempotent: true,
    errors: [...errors, 'NOT_FOUND', 'CONFLICT'],
    input: { params: Type.Object(historied.params), headers: IfMatch, body: RestoreBody },
    example: { version: 3 },
    reply: { description: 'The new version.', schema: historied.schema, example: historied.example },
    action: {
      kind: 'write',
      write: ({ params, headers, body }, context) => restore(params, body.version, headers, context),
      toAnswer: (written, context) => shown(written, context),
    },
  });

/** The old version that a request restores; undefined: it names none. */
export async function broughtBack(
  historied: Historied,
  { params = {}, body }: RawInput,
  context: RequestContext,
): Promise<JsonObject | Failure | undefined> {
  const version = isPlainObject(body) ? body['version'] : undefined;
  if (typeof version !== 'number') return undefined;
  const found = await findOldVersion(historied, params, version, context);
  return isFailure(found) ? found : found.document;
}

export const RESTORES =
  'Makes an earlier version the current one, as a new version, with the checks of any other change; a definition that ' +
  'was deleted is made again, under its id. Ask `restore/preview` what it would change. What the history does ' +
  'not keep (secrets, ids of players) stays as it is.';

/** The route that says what a restoration would do. */
export const restorePreview = <K extends DefinitionKind>(
  historied: Historied,
  { prepare }: Restorations<K>,
): KeyedRoute =>
  defineRoute({
    ...historied.shared,
    ...readBy('viewer'),
    method: 'POST',
    path: `${historied.path}/restore/preview`,
    summary: `Say what restoring a version of ${historied.aOne} would change`,
    description: 'Changes nothing. It refuses what `restore` would refuse.',
    readsOnly: true,
    errors: ['NOT_FOUND', historied.missing().code, 'CONFLICT', 'SERVICE_UNAVAILABLE'],
    input: { params: Type.Object(historied.params), body: RestoreBody },
    example: { version: 3 },
    reply: { description: 'What would change.', schema: RestorePreviewed, example: PREVIEW_EXAMPLE },
    action: {
      kind: 'service',
      async call({ params, body: { version } }, context) {
        const prepared = await prepare(params, version, context);
        if (isFailure(prepared)) return prepared;
        const { from, next, notes } = prepared;
        const now = from?.held.document;
        const kind = historied.addressOf(params, context).kind;
        const [difference = []] = await foreseenDifferences(kind, [{ before: now, after: next }], context);
        const effect = 'editEffect' in next ? { edit_effect: next.editEffect } : {};
        return jsonAnswer({ version: now?.version ?? null, restores: version, difference, notes, ...effect });
      },
    },
  });
