import { Type, type Static } from 'typebox';
import { withPeriods } from '../../../actors/flags/periods.ts';
import type { ConfigEntry } from '../../../streams/config/config-store.ts';
import { newSalt } from '../../../streams/config/games.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import { failure, type Failure, isFailure } from '../../../core/kernel/errors.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { FLAG_API_LIMITS } from './limits.ts';
import { jsonAnswer } from '../route/answer.ts';
import { SWITCHED } from '../definitions/definition-list.ts';
import { definitionRoutes, firstVersion } from '../definitions/definition-routes.ts';
import { broughtBack, RestoreBody, restorePreview, RESTORES } from '../definitions/history/restore-routes.ts';
import { createSchedules } from '../definitions/schedule/schedule-routes.ts';
import type { WarnedConditions } from '../definitions/name-warnings.ts';
import { changeDefinition, type Written } from '../definitions/definition-writes.ts';
import { emptyContent, formFaults } from './flag-content.ts';
import { conflictOf, contentIn, cycleOf, faultsOf, flagChangedBy, flagEditedTo } from './flag-edits.ts';
import {
  FLAG_BODY_EXAMPLE,
  FLAG_EXAMPLE,
  FlagBody,
  flagJson,
  FlagPatch,
  FlagShown,
  FlagWhole,
} from './flag-resource.ts';
import { ruleAt, stepped } from './flag-rollout.ts';
import { staleFlags } from './stale-flags.ts';
import { IfMatch } from '../input/if-match.ts';
import { heldByExperiment } from '../experiments/rivals.ts';
import type { RequestContext, WriteContext } from '../route/request-context.ts';
import { defineRoute, invalid, writtenBy } from '../route/route.ts';

/* The routes that read and write flags. A deleted flag is archived, so its key stays taken. */

export const missingFlag = (): Failure => failure('FLAG_NOT_FOUND');

const flags = definitionRoutes({
  kind: 'flag',
  states: { ...SWITCHED, stale: { description: 'those that can probably go', holds: () => true, needsLookUp: true } },
  tag: 'Feature flags',
  path: '/v1/flags/flags',
  one: 'flag',
  many: 'flags',
  id: { parameter: 'key', field: 'key', description: "The flag's key." },
  idOf: ({ key }) => key,
  schema: FlagShown,
  example: FLAG_EXAMPLE,
  toJson: (flag) => flagJson(flag),
  async lookUp(documents, context) {
    const stale = await staleFlags(documents, context);
    return {
      toJson: (flag) => flagJson(flag, stale),
      states: { stale: (flag) => stale.of(flag) !== undefined },
    };
  },
  missing: missingFlag,
  taken,
  most: FLAG_API_LIMITS.flagsPerEnvironment,
  isThere: ({ archivedAt }) => archivedAt === null,
  isArchived: ({ archivedAt }) => archivedAt !== null,
});
const ByKey = Type.Object({ key: Type.String({ description: "The flag's key." }) });

const createFlag = flags.createRoute({
  ...writtenBy('editor', { id: 'flag.create', of: 'flag' }),
  description: 'The flag is in effect on this node when the response is sent.',
  body: FlagBody,
  example: FLAG_BODY_EXAMPLE,
  make(body, context) {
    const { key } = body;
    const malformed = formFaults(body);
    if (malformed.length > 0) return invalid(malformed);
    const empty = emptyContent(key, body.flag_type);
    const made = firstVersion(context);
    const document: FlagDocument = {
      key,
      ...contentIn(body, empty, empty, context),
      salt: newSalt(context.services.ids),
      ...made,
      archivedAt: null,
      periods: [{ period: 1, version: 1, since: made.createdAt }],
    };
    return faultsOf(document, context) ?? document;
  },
  overQuota: overFlagQuota,
  warned,
});

const replacing = {
  body: FlagWhole,
  change: (body: Static<typeof FlagWhole>, context: RequestContext) => (held: FlagDocument) =>
    flagChangedBy(held, body, emptyContent(held.key, held.flagType), context),
  conflict: conflictOf,
};

const putFlag = flags.changeRoute({
  ...replacing,
  ...writtenBy('editor', { id: 'flag.replace', of: 'flag' }),
  method: 'PUT',
  description: 'Fields that you leave out get their defaults. The salt stays, so players keep their variants.',
  example: FLAG_BODY_EXAMPLE,
  warned,
});

export const patchFlag = flags.changeRoute({
  ...writtenBy('editor', { id: 'flag.patch', of: 'flag' }),
  method: 'PATCH',
  description:
    'Replaces the fields that you send; lists are replaced, not merged. null sets a field to its default. A ' +
    'fault that the flag already has, such as a deleted prerequisite, does not prevent the change: you can always ' +
    'disable a flag.',
  body: FlagPatch,
  example: { enabled: false },
  change: (body, context) => (held) => flagChangedBy(held, body, held, context),
  conflict: conflictOf,
  warned,
});

const deleteFlag = defineRoute({
  ...flags.shared,
  ...writtenBy('editor', { id: 'flag.delete', of: 'flag' }),
  method: 'DELETE',
  path: flags.itemPath,
  summary: 'Delete (archive) a flag',
  description:
    'The flag is not evaluated any more, and flags that require it serve their default. Its key stays taken. Its ' +
    'definition (`?state=archived`), results and exposures stay readable, and `restore` brings it back.',
  idempotent: true,
  errors: [...flags.changeErrors, 'CONFLICT'],
  input: { params: ByKey, headers: IfMatch },
  reply: {
    description: 'The flag is archived.',
    schema: Type.Object(
      {
        key: Type.String({ description: "The flag's key." }),
        archived: Type.Boolean({ description: 'Always true.' }),
      },
      { description: 'An archived flag.' },
    ),
    example: { key: FLAG_EXAMPLE.key, archived: true },
  },
  action: {
    kind: 'write',
    write: ({ params, headers }, context) =>
      flags.change(
        { id: params.key, basis: headers },
        context,
        (held) => {
          const nowMs = context.origin.receivedAt;
          const archived = withPeriods(held, { ...held, archivedAt: nowMs }, nowMs);
          return heldByExperiment(archived, context) ?? archived;
        },
        heldByExperiment,
      ),
    toAnswer: ({ replayed }, _context, { params }) => jsonAnswer({ key: params.key, archived: true }, { replayed }),
  },
});

const restorations = flags.restorations({
  ...writtenBy('editor', { id: 'flag.restore', of: 'flag' }),
  by: {
    ...replacing,
    // A version is restored alive, also if the flag is archived now.
    change: (body, context) => (held) =>
      (held.archivedAt === null ? undefined : flags.overQuota(context)) ??
      flagChangedBy(held, body, emptyContent(held.key, held.flagType), context, null),
  },
});

const restoreFlag = defineRoute({
  ...flags.shared,
  ...writtenBy('editor', { id: 'flag.restore', of: 'flag' }),
  versioned: true,
  method: 'POST',
  path: `${flags.itemPath}/restore`,
  summary: 'Restore a version, or an archived flag',
  description:
    `${RESTORES} Without a body an archived flag is evaluated again, as it was when it was archived, and one that is not ` +
    'archived is answered as it is.',
  bringsBack: async (input, context) =>
    (await broughtBack(flags.historied, input, context)) ?? findStoredFlag(input.params?.['key'] ?? '', context),
  idempotent: true,
  bodyOptional: true,
  errors: [...flags.changeErrors, 'NOT_FOUND', 'CONFLICT'],
  input: {
    params: ByKey,
    headers: IfMatch,
    body: Type.Object({ version: Type.Optional(RestoreBody.properties.version) }, { additionalProperties: false }),
  },
  example: { version: 3 },
  reply: { description: 'The flag.', schema: FlagShown, example: FLAG_EXAMPLE },
  action: {
    kind: 'write',
    write({ params, headers, body: { version } }, context) {
      if (version !== undefined) return restorations.restore(params, version, headers, context);
      const address = flags.addressOf(params.key, context);
      const held = flags.find(params.key, context);
      if (held !== undefined) return { kind: 'written', entry: held, replayed: false };
      const restore = (archived: FlagDocument): FlagDocument | Failure => {
        const alive = { ...archived, archivedAt: null };
        const document = withPeriods(archived, alive, context.origin.receivedAt);
        // What a fault makes unusable, such as a deleted segment, can be changed once the flag is back.
        return cycleOf(document, context) ?? flags.overQuota(context) ?? document;
      };
      const conflict = (written: FlagDocument) => cycleOf(written, context);
      return changeDefinition({ address, basis: headers, missing: missingFlag(), change: restore, conflict }, context);
    },
    toAnswer: flags.shown,
  },
});

export const flagSchedules = createSchedules<'flag', typeof FlagWhole>(
  {
    kind: 'flag',
    routes: flags,
    idIn: ({ key = '' }) => key,
    isThere: ({ archivedAt }) => archivedAt === null,
    toJson: (flag) => flagJson(flag),
  },
  {
    role: 'editor',
    approvals: { add: 'flag.schedule.add', cancel: 'flag.schedule.cancel' },
    by: replacing,
    stepped,
    ruleAt,
  },
);

export const flagRoutes = [
  flags.listRoute({ description: 'Ordered by key. Archived flags are in the list with `state=archived` only.' }),
  createFlag,
  flags.getRoute({ summary: 'Get a flag by key' }),
  putFlag,
  patchFlag,
  deleteFlag,
  restoreFlag,
  ...flags.historyRoutes(),
  restorePreview(flags.historied, restorations),
  ...flagSchedules.routes,
];

/** The flag with this key, also if it is archived: its past stays readable. */
export function findStoredFlag(key: string, context: RequestContext): FlagDocument | undefined {
  return flags.findStored(key, context)?.document;
}

/** Makes an edit of the service's own. */
export function editFlag(
  key: string,
  context: WriteContext,
  edit: (held: FlagDocument) => FlagDocument | Failure,
): Promise<Written<'flag'> | Failure> {
  return flags.change(
    { id: key, basis: {} },
    context,
    (held) => {
      const next = edit(held);
      return isFailure(next) ? next : flagEditedTo(held, next, context);
    },
    conflictOf,
  );
}

function taken({ document }: ConfigEntry<'flag'>): Failure {
  const archived = document.archivedAt !== null;
  const holder = archived ? 'An archived flag' : 'Another flag';
  const remedy = archived ? 'restore it, or choose another key' : 'choose another key';
  return failure('CONFLICT', `${holder} has this key; ${remedy}.`, { field: 'key', archived });
}

/** Deleted flags keep their keys, so the number of keys has its own bound. */
function overFlagQuota(context: RequestContext): Failure | undefined {
  const { key, services } = context;
  if (services.config.list('flag', key.game, key.environment).length < FLAG_API_LIMITS.flagKeysPerEnvironment) {
    return flags.overQuota(context);
  }
  return failure(
    'CONFLICT',
    `The environment has used ${FLAG_API_LIMITS.flagKeysPerEnvironment} flag keys, the maximum; deleted flags count too.`,
  );
}

function warned({ body }: { body: { targeting_rules?: readonly { conditions?: JsonObject }[] | null } }) {
  return (body.targeting_rules ?? []).flatMap(({ conditions }, place): WarnedConditions[] =>
    conditions === undefined ? [] : [{ conditions, path: `/targeting_rules/${place}/conditions` }],
  );
}
