import { Type } from 'typebox';
import type { SavedQueryDocument } from '../../../core/vocabulary/documents/saved-query.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { definitionRoutes } from '../definitions/definition-routes.ts';
import { changeDefinition, createDefinition, type Written } from '../definitions/definition-writes.ts';
import { IfMatch } from '../input/if-match.ts';
import type { RequestContext, WriteContext } from '../route/request-context.ts';
import { defineRoute, invalid, writtenBy } from '../route/route.ts';
import { questionOf } from './query-question.ts';
import {
  SAVED_QUERY_BODY_EXAMPLE,
  SAVED_QUERY_EXAMPLE,
  SavedQuery,
  SavedQueryBody,
  SavedQueryChange,
  savedQueryJson,
} from './saved-query-resource.ts';

/* The routes that read and write saved queries: questions of the query API that people give a name. */

const missing = (): Failure => failure('NOT_FOUND', 'The saved query does not exist.');
const taken = (): Failure =>
  failure('CONFLICT', 'Another saved query has this key; choose another key.', { field: 'key' });

const PATH = '/v1/analytics/saved-queries';
const KEY = 'Key of the saved query.';
const saved = definitionRoutes({
  kind: 'saved_query',
  tag: 'Analytics',
  path: PATH,
  many: 'saved_queries',
  id: { parameter: 'key', field: 'key', description: KEY },
  schema: SavedQuery,
  example: SAVED_QUERY_EXAMPLE,
  toJson: savedQueryJson,
  missing,
  most: ANALYTICS_LIMITS.savedQueries,
});

const createSavedQuery = defineRoute({
  ...saved.shared,
  ...writtenBy('analyst', 'none'),
  versioned: true,
  method: 'POST',
  path: PATH,
  summary: 'Save a query',
  description: `A game and environment has at most ${ANALYTICS_LIMITS.savedQueries} saved queries.`,
  idempotent: true,
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  input: { body: SavedQueryBody },
  reply: { statuses: [201], description: 'The saved query.', schema: SavedQuery, example: SAVED_QUERY_EXAMPLE },
  example: SAVED_QUERY_BODY_EXAMPLE,
  action: {
    kind: 'write',
    write: ({ body }, context) => create(body, context),
    toAnswer: (written) => saved.shown(written, 201),
  },
});

const putSavedQuery = defineRoute({
  ...saved.shared,
  ...writtenBy('analyst', 'none'),
  versioned: true,
  method: 'PUT',
  path: saved.itemPath,
  summary: 'Replace a saved query',
  description: 'Fields that you leave out get their defaults.',
  idempotent: true,
  errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  input: { params: Type.Object({ key: Type.String({ description: KEY }) }), headers: IfMatch, body: SavedQueryChange },
  reply: { description: 'The updated query.', schema: SavedQuery, example: SAVED_QUERY_EXAMPLE },
  example: SAVED_QUERY_BODY_EXAMPLE,
  action: {
    kind: 'write',
    write: ({ params, headers, body }, context) =>
      changeDefinition<'saved_query'>(
        {
          address: saved.addressOf(params.key, context),
          basis: { ...headers, version: body.version },
          missing: missing(),
          change(held) {
            if (body.key !== undefined && body.key !== held.key) {
              const message = 'cannot be changed; leave it out or send the current key';
              return invalid([{ path: '/key', message }]);
            }
            return fault(body, context) ?? { kind: 'changed', document: { ...held, ...contentOf(body, held.key) } };
          },
        },
        context,
      ),
    toAnswer: (written) => saved.shown(written, 200),
  },
});

export const savedQueryRoutes = [
  saved.listRoute({ summary: 'List the saved queries', description: 'Ordered by key.' }),
  createSavedQuery,
  saved.getRoute({ summary: 'Get a saved query' }),
  putSavedQuery,
  saved.deleteRoute({ summary: 'Delete a saved query', ...writtenBy('analyst', 'none') }),
];

async function create(body: SavedQueryBody, context: WriteContext): Promise<Written<'saved_query'> | Failure> {
  const refused = fault(body, context);
  if (refused !== undefined) return refused;
  const { key } = body;
  const at = context.origin.receivedAt;
  const address = saved.addressOf(key, context);
  const document = { key, ...contentOf(body, key), createdAt: at, updatedAt: at, version: 1 };
  const holder = () => context.services.config.get(address);
  const overQuota = () => saved.overQuota(context);
  return createDefinition<'saved_query'>({ address, document, holder, taken, overQuota }, context);
}

/** The reason why a query could not be answered either; the paths are those of the whole body. */
function fault({ query }: Pick<SavedQueryBody, 'query'>, { key, services }: RequestContext): Failure | undefined {
  const asked = questionOf(query, { game: key.game, environment: key.environment }, services.clock.wallMs(), '/query');
  return asked.kind === 'failure' ? asked : undefined;
}

function contentOf(
  { name, description = '', query, range_days: rangeDays = null }: SavedQueryChange,
  key: string,
): Pick<SavedQueryDocument, 'name' | 'description' | 'query' | 'rangeDays'> {
  return { name: name ?? key, description, query, rangeDays };
}
