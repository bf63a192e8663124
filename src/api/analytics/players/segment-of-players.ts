import { Type } from 'typebox';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import type { SegmentDocument } from '../../../../core/vocabulary/documents/documents.ts';
import { marked } from '../../definitions/definition-writes.ts';
import { IfMatch, staleFor } from '../../input/if-match.ts';
import { type Answer, answer } from '../../route/answer.ts';
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
  scope: 'define',
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
  errors: [
    'NOT_FOUND',
    'CONFLICT',
    'PRECONDITION_FAILED',
    'QUERY_TOO_LARGE',
    'RATE_LIMIT_EXCEEDED',
    'SERVICE_UNAVAILABLE',
  ],
  input: {
    params: Type.Object({ id: Type.String({ description: 'Id of the static segment.' }) }),
    headers: IfMatch,
    body: Type.Object(
      { query: QueryBody, point: Point },
      { additionalProperties: false, description: 'A query, and a figure of its answer.' },
    ),
  },
  example: PLAYERS_EXAMPLE,
  reply: { description: 'The new list has replaced the old one.', schema: LoadedListSchema, example: LOADED_EXAMPLE },
  action: { kind: 'service', call: (input, context) => replaceList(input, context) },
});

type Body = Parameters<typeof askedBehind>[0];

async function replaceList(
  { params: { id }, headers, body }: { params: { id: string }; headers: IfMatch; body: Body },
  context: RequestContext,
): Promise<Answer> {
  const { services } = context;
  const refused = services.writeRefusal();
  if (refused !== undefined) return refused;
  const of = askedBehind(body, context);
  if (of.kind === 'failure') return of;
  const question = playersQuestion(of, { shows: 'ids', afterPlayerId: FIRST_UUID, limit: MOST });
  const request = {
    ...listRequest(id, context),
    staleFor: (version: number) => staleFor(headers, version),
    marked: (document: SegmentDocument) => marked<'segment'>(document, context),
  };
  const loaded = await services.listLoader.load(request, namesBehind(question, context));
  return loaded.kind === 'failure' ? loaded : answer(loadedJson(loaded), { etag: loaded.entry.document.version });
}

/** The players in batches, as those of an upload arrive. It asks for them once the loader has found the segment. */
async function* namesBehind(
  question: ReturnType<typeof playersQuestion>,
  { services }: RequestContext,
): AsyncGenerator<NameBatch> {
  const found = await services.queries.rowsOf(question);
  if (found.kind === 'failure') return yield found;
  const [{ total = 0, ids = [] } = {}] = found.rows;
  if (Number(total) > MOST) return yield tooManyPlayers(Number(total));
  const texts = Array.isArray(ids) ? ids.map(String) : [];
  if (texts.length === 0) return yield NOBODY;
  for (let from = 0; from < texts.length; from += BATCH) {
    yield { kind: 'names', names: texts.slice(from, from + BATCH).map((text) => ({ kind: 'player_id', text })) };
  }
}

const tooManyPlayers = (total: number): Failure =>
  failure(
    'QUERY_TOO_LARGE',
    `The figure has ${total} players; a segment can be made of at most ${MOST}. Choose a shorter range or interval, or ` +
      'a narrower filter.',
    { bound: 'players' },
  );

const NOBODY = invalid([
  { path: '/point', message: 'has no players; a list without players would leave the segment empty' },
]);

const MOST = ANALYTICS_LIMITS.playersOfSegment;
const BATCH = 1_000;
