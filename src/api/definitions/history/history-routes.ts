import { Type } from 'typebox';
import type {
  DefinitionVersionsQuery,
  VersionPlace,
} from '../../../../clickhouse-schema/queries/lookups/definition-versions.ts';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import { parseTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import { isUuid } from '../../../../core/kernel/uuid.ts';
import { timeIn } from '../../input/fields.ts';
import { NextCursor, NOT_A_CURSOR } from '../../input/paging.ts';
import { digestOf } from '../../input/place-cursor.ts';
import { answer, jsonAnswer } from '../../route/answer.ts';
import type { RequestContext } from '../../route/request-context.ts';
import { defineRoute, invalid, type KeyedRoute, readBy } from '../../route/route.ts';
import { API_LIMITS } from '../../limits.ts';
import { DEFINITION_LIMITS } from '../limits.ts';
import { type Historied, isDeletion, madeVersions, type Params } from './historied.ts';
import type { Analytics } from '../../../../clickhouse-schema/queries/analytics.ts';
import {
  LISTED_EXAMPLE,
  listedJson,
  VersionListed,
  versionWhole,
  wholeExample,
  wholeJson,
} from './version-resource.ts';

/*
 * The routes that read the history of a definition: its versions, one of them, and what was in force at a time. They
 * read ClickHouse, so a version is there a second or two after it was made.
 */

export const historyRoutes = (historied: Historied): KeyedRoute[] => [
  listVersions(historied),
  getVersion(historied),
  getInForce(historied),
];

const Page = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: DEFINITION_LIMITS.versionsOfPage,
      description: `Maximum number of versions per page. Default: ${DEFINITION_LIMITS.versionsDefault}.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: API_LIMITS.auditFilterLength,
      description: '`next_cursor` of the previous page. Leave it out for the first page.',
    }),
  ),
});

const VersionParam = { version: Type.String({ description: 'Number of the version.' }) };

/** What a route asks for, and what decides which of the found versions were made. */
interface VersionsAsked {
  query: DefinitionVersionsQuery;
  versionNow: number | undefined;
}

/** The rows of a definition; NOT_FOUND follows from the rows, because a deleted one has some. */
function asked(
  historied: Historied,
  params: Params,
  context: RequestContext,
  some: Pick<DefinitionVersionsQuery, 'limit' | 'version' | 'atMs' | 'behind'>,
): { kind: 'question'; question: VersionsAsked } {
  const { game, environment, kind, key } = historied.addressOf(params, context);
  const query = { game, environment, kind, key, ...some };
  return { kind: 'question', question: { query, versionNow: historied.versionNow(params, context) } };
}

const readVersions = ({ lookups }: Pick<Analytics, 'lookups'>, { query }: VersionsAsked) =>
  lookups.definitionVersions(query);

/** The reply with a whole version. */
const wholeReply = ({ schema, example }: Historied) => ({
  description: 'The version.',
  schema: versionWhole(schema),
  example: wholeExample(example),
});

const listVersions = (historied: Historied): KeyedRoute =>
  defineRoute({
    ...historied.shared,
    ...readBy('viewer'),
    method: 'GET',
    path: `${historied.path}/versions`,
    summary: `List the versions of ${historied.aOne}`,
    description:
      'Newest first, each with who made it, when, why, and what differs from the version before, in words. A deleted ' +
      'definition has its versions too. `current_version` is null if it does not exist any more.',
    errors: [historied.missing().code, 'SERVICE_UNAVAILABLE'],
    input: { params: Type.Object(historied.params), query: Page },
    reply: {
      description: 'A page of versions.',
      schema: Type.Object(
        {
          versions: Type.Array(VersionListed, { description: 'The versions of this page.' }),
          current_version: Type.Unsafe<number | null>({
            type: ['integer', 'null'],
            description: 'The version that is stored now, which the list has a second or two later.',
          }),
          next_cursor: NextCursor,
        },
        { description: 'A page of versions.' },
      ),
      example: { versions: [LISTED_EXAMPLE], current_version: 4, next_cursor: null },
    },
    action: {
      kind: 'analytics',
      rowsOf: 'AUDIT',
      toQuestion({ params, query }, context) {
        const { limit = DEFINITION_LIMITS.versionsDefault, cursor } = query;
        const address = historied.addressOf(params, context);
        const behind = cursor === undefined ? undefined : decodePlace(cursor, address);
        if (cursor !== undefined && behind === undefined) return invalid([{ path: 'cursor', message: NOT_A_CURSOR }]);
        // The version before the last one of the page says what that one changed, and whether there is another page.
        return asked(historied, params, context, { limit: limit + 1, behind });
      },
      read: readVersions,
      toAnswer(found, { query, versionNow }, context) {
        if (found.length === 0 && versionNow === undefined && query.behind === undefined) return historied.missing();
        const made = madeVersions(found, versionNow);
        const isMore = found.length === query.limit;
        const last = isMore ? found.at(-2) : undefined;
        return jsonAnswer({
          versions: listedJson(made, isMore ? found.at(-1) : undefined, context),
          current_version: versionNow ?? null,
          next_cursor: last === undefined ? null : encodePlace(last, query),
        });
      },
    },
  });

const getVersion = (historied: Historied): KeyedRoute =>
  defineRoute({
    ...historied.shared,
    ...readBy('viewer'),
    method: 'GET',
    path: `${historied.path}/versions/{version}`,
    summary: `Get a version of ${historied.aOne}`,
    description:
      'The whole definition as it was, without secrets and ids of players. If it was deleted and created again, the ' +
      'latest one with this version.',
    errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    input: {
      params: Type.Object({ ...historied.params, ...VersionParam }),
    },
    reply: wholeReply(historied),
    action: {
      kind: 'analytics',
      rowsOf: 'AUDIT',
      toQuestion({ params }, context) {
        const version = versionIn(params['version']);
        if (version === undefined) return NO_NUMBER;
        return asked(historied, params, context, { version, limit: DEFINITION_LIMITS.rowsOfVersion });
      },
      read: readVersions,
      toAnswer(found, { query, versionNow }, context) {
        const [version] = madeVersions(found, versionNow);
        return version === undefined ? noVersion(query.version ?? 0) : answer(wholeJson(version, historied, context));
      },
    },
  });

const getInForce = (historied: Historied): KeyedRoute =>
  defineRoute({
    ...historied.shared,
    ...readBy('viewer'),
    method: 'GET',
    path: `${historied.path}/in-force`,
    summary: `Get what was in force of ${historied.aOne} at a time`,
    description: 'The version that was current at that time. 404 if it did not exist then.',
    errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    input: { params: Type.Object(historied.params), query: Type.Object({ at: timeIn('The time.') }) },
    reply: wholeReply(historied),
    action: {
      kind: 'analytics',
      rowsOf: 'AUDIT',
      toQuestion: ({ params, query }, context) =>
        asked(historied, params, context, {
          atMs: parseTimestamp(query.at) ?? 0,
          limit: DEFINITION_LIMITS.rowsOfVersion,
        }),
      read: readVersions,
      toAnswer(found, { versionNow }, context) {
        const [version] = madeVersions(found, versionNow);
        if (version === undefined) return failure('NOT_FOUND', 'It did not exist at that time.');
        return isDeletion(version)
          ? failure('NOT_FOUND', 'It had been deleted at that time.')
          : answer(wholeJson(version, historied, context));
      },
    },
  });

/** A number that a version can have. */
function versionIn(text: string | undefined): number | undefined {
  const version = /^[1-9]\d{0,9}$/.test(text ?? '') ? Number(text) : Number.NaN;
  return version < 2 ** 32 ? version : undefined;
}

export const noVersion = (version: number): Failure =>
  failure('NOT_FOUND', `There is no version ${version}. A new version is there a second or two after it was made.`);
const NO_NUMBER = invalid([{ path: 'version', message: 'must be a whole number from 1' }]);

type Of = Pick<DefinitionVersionsQuery, 'game' | 'environment' | 'kind' | 'key'>;
const digest = ({ game, environment, kind, key }: Of): string => digestOf([game, environment, kind, key, 'versions']);

function encodePlace({ at, id }: VersionPlace, of: Of): string {
  return Buffer.from(`${at} ${id} ${digest(of)}`).toString('base64url');
}

function decodePlace(cursor: string, of: Of): VersionPlace | undefined {
  const [at = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const place = { at: Number(at), id };
  const isPlace = Number.isSafeInteger(place.at) && place.at >= 0 && isUuid(id);
  return isPlace && encodePlace(place, of) === cursor ? place : undefined;
}
