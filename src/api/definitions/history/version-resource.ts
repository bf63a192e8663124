import { Type, type TSchema } from 'typebox';
import { ANOTHER_SECRET } from '../../../../actors/difference/difference.ts';
import type { StoredVersion } from '../../../../clickhouse-schema/queries/lookups/definition-versions.ts';
import type { JsonObject } from '../../../../core/kernel/text/json.ts';
import { formatTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import { oneOf, textOrNull, timeOut } from '../../input/fields.ts';
import type { RequestContext } from '../../route/request-context.ts';
import { differenceIn } from './differences.ts';
import { documentIn, type Historied, isDeletion, playersLeftOut } from './historied.ts';

/* Versions of definitions in responses: schemas, JSON and examples. */

const fields = {
  version: Type.Integer({ description: 'Number of the version. A deletion has the number after the deleted version.' }),
  at: timeOut('When it came into force.'),
  action: Type.String({ description: 'What happened, such as `created`, `changed`, `disabled` or `deleted`.' }),
  made_by: Type.Object(
    {
      kind: oneOf(
        ['user', 'key', 'cli', 'service'],
        'A person, an API key, a command of an operator, or the service itself.',
      ),
      id: Type.String({ description: 'Id of the user or key; the operator’s account; the part of the service.' }),
      email: textOrNull('E-mail address of the person, for people who are signed in; otherwise null.'),
    },
    { description: 'Who made it.' },
  ),
  reason: textOrNull('Why, as said in `X-Change-Reason`; null: nothing was said.'),
  confirmed: Type.Boolean({
    description: 'Whether the service stored that the change was made. If not, the process ended in the middle of it.',
  }),
};

export const Difference = Type.Array(Type.String({ description: 'A difference, such as `Rule 1: 20 % → 100 %`.' }), {
  description:
    'What differs from the version before, in words; empty: nothing that can be seen. A preview also says how many ' +
    'players are concerned, such as `about 4,000 more players (sampled)`, where that is known.',
});

/** A version in a list. */
export const VersionListed = Type.Object({ ...fields, difference: Difference }, { description: 'A version.' });

/** A version with its definition. */
export function versionWhole(schema: TSchema) {
  return Type.Object(
    {
      ...fields,
      definition: Type.Unsafe<Record<string, unknown> | null>({ ...schema, type: ['object', 'null'] }),
      players_left_out: Type.Unsafe<Record<string, number>>({
        type: 'object',
        description: 'Fields with ids of players, of which the history keeps the number only.',
      }),
    },
    { description: 'A version with its definition; null if it is larger than the bound of the history.' },
  );
}

export const LISTED_EXAMPLE = {
  version: 4,
  at: '2026-01-15T10:30:00.000Z',
  action: 'changed',
  made_by: { kind: 'user', id: '0198a3b2-7c4d-7e5f-8a9b-0c1d2e3f4a5b', email: 'ann@example.com' },
  reason: 'The shop is ready.',
  confirmed: true,
  difference: ['Rule 1: 20 % → 100 %'],
};

export function wholeExample(definition: Readonly<Record<string, unknown>>) {
  const { difference: _, ...example } = LISTED_EXAMPLE;
  return { ...example, definition, players_left_out: {} };
}

function versionJson(found: StoredVersion, { key }: RequestContext) {
  const { version, at, action, actorKind, actorId, actor, reason, outcome } = found;
  const email = key.user === undefined || actor === '' ? null : actor;
  return {
    version,
    at: formatTimestamp(at),
    action,
    made_by: { kind: actorKind, id: actorId, email },
    reason: reason === '' ? null : reason,
    confirmed: outcome === 'stored',
  };
}

/**
 * The versions of a page, each with what differs from the one behind it.
 * @param made newest first
 * @param behind the one behind the page, which is not shown
 */
export function listedJson(made: readonly StoredVersion[], behind: StoredVersion | undefined, context: RequestContext) {
  // Each is compared twice.
  const documents = made.map(documentIn);
  return made.flatMap((found, place) => {
    if (found === behind) return [];
    const difference = differenceWith(found, documents[place], made[place + 1], documents[place + 1], context);
    return [{ ...versionJson(found, context), difference }];
  });
}

function differenceWith(
  found: StoredVersion,
  now: JsonObject | undefined,
  before: StoredVersion | undefined,
  earlier: JsonObject | undefined,
  context: RequestContext,
): string[] {
  if (now === undefined && !isDeletion(found)) return [TOO_LARGE];
  if (now !== undefined && earlier === undefined && before !== undefined && !isDeletion(before)) return [TOO_LARGE];
  // Secrets are hidden in both versions.
  return [...(found.action === 'secret_rotated' ? [ANOTHER_SECRET] : []), ...differenceIn(earlier, now, context)];
}

const TOO_LARGE = 'The definition is too large for the history, so its differences are not known';

export function wholeJson(found: StoredVersion, historied: Historied, context: RequestContext): string {
  const document = documentIn(found);
  const head = JSON.stringify(versionJson(found, context)).slice(0, -1);
  const definition = document === undefined ? 'null' : historied.shownVersion(document, context);
  return `${head},"definition":${definition},"players_left_out":${JSON.stringify(playersLeftOut(document ?? {}))}}`;
}
