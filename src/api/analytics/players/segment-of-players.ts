import { Type } from 'typebox';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import { type Answer, answer } from '../../route/answer.ts';
import { clickHouseUnavailable } from '../../route/clickhouse-unavailable.ts';
import type { RequestContext } from '../../route/request-context.ts';
import { defineRoute, invalid } from '../../route/route.ts';
import {
  LOADED_EXAMPLE,
  LoadedListSchema,
  listRequest,
  loadedJson,
  MEMBERS_PATH,
} from '../../segments/segment-members.ts';
import type { NameBatch } from '../../segments/lists/list-port.ts';
import { ANALYTICS_LIMITS } from '../limits.ts';
import { QueryBody } from '../query-fields.ts';
import { askedBehind, FIRST_UUID, kindIn, PLAYERS_EXAMPLE, playersQuestion } from './players.ts';
import { Point } from './point-fields.ts';

/* The route that makes the players behind a figure the list of a static segment. */

export const putMembersOfQuery = defineRoute({
  method: 'PUT',
  path: `${MEMBERS_PATH}/query`,
  tag: 'Segments',
  summary: 'Replace the list of a static segment by the players behind a figure',
  description:
    'The list becomes the players that `POST /v1/analytics/queries/players` lists for the same query and point, at ' +
    `most ${ANALYTICS_LIMITS.playersOfSegment}. It stays as it is afterwards, whatever the figure becomes. Otherwise as the ` +
    'upload of a list: the new one replaces the old one at one moment, and after any failure the old list is unchanged.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  role: 'editor',
  // The conditions of a query may hold what an erasure must delete.
  audit: {
    kind: 'segment',
    action: 'list_replaced',
    key: 'id',
    shows: ({ body }) => ({ query: kindIn(body) }),
  },
  approval: { id: 'segment.list.query', of: 'segment' },
  repeatsById: true,
  versioned: true,
  errors: ['NOT_FOUND', 'CONFLICT', 'QUERY_TOO_LARGE', 'SERVICE_UNAVAILABLE'],
  input: {
    params: Type.Object({ id: Type.String({ description: 'Id of the static segment.' }) }),
    body: Type.Object(
      { query: QueryBody, point: Point },
      { additionalProperties: false, description: 'A query, and a figure of its answer.' },
    ),
  },
  example: PLAYERS_EXAMPLE,
  reply: { description: 'The new list has replaced the old one.', schema: LoadedListSchema, example: LOADED_EXAMPLE },
  action: { kind: 'service', call: ({ params, body }, context) => replaceList(params.id, body, context) },
});

async function replaceList(
  id: string,
  body: Parameters<typeof askedBehind>[0],
  context: RequestContext,
): Promise<Answer> {
  const { services } = context;
  const refused = services.writeRefusal();
  if (refused !== undefined) return refused;
  const ids = await idsBehind(body, context);
  if (!Array.isArray(ids)) return ids;
  if (ids.length === 0) return NOBODY;
  const loaded = await services.listLoader.load(listRequest(id, context), namesOf(ids));
  return loaded.kind === 'failure' ? loaded : answer(loadedJson(loaded), { etag: loaded.entry.document.version });
}

async function idsBehind(
  body: Parameters<typeof askedBehind>[0],
  context: RequestContext,
): Promise<string[] | Failure> {
  const of = askedBehind(body, context);
  if (of.kind === 'failure') return of;
  const most = ANALYTICS_LIMITS.playersOfSegment;
  const question = playersQuestion(of, { shows: 'ids', afterPlayerId: FIRST_UUID, limit: most });
  const found = await context.services.analytics.ask(question);
  if (found.kind === 'unavailable') return clickHouseUnavailable();
  if (found.kind === 'too_large') return failure('QUERY_TOO_LARGE', undefined, { bound: found.bound });
  const [row] = found.value;
  const total = Number(row?.['total'] ?? 0);
  if (total > most) {
    const message = `The figure has ${total} players; a segment can be made of at most ${most}. Choose a shorter range or interval, or a narrower filter.`;
    return failure('QUERY_TOO_LARGE', message, { bound: 'players' });
  }
  const ids = row?.['ids'];
  return Array.isArray(ids) ? ids.map(String) : [];
}

const NOBODY = invalid([
  { path: '/point', message: 'has no players; a list without players would leave the segment empty' },
]);

/** The names of a list in batches, as those of an upload arrive. */
async function* namesOf(ids: readonly string[]): AsyncGenerator<NameBatch> {
  for (let from = 0; from < ids.length; from += BATCH) {
    yield { kind: 'names', names: ids.slice(from, from + BATCH).map((text) => ({ kind: 'player_id', text })) };
  }
}

const BATCH = 1_000;
