import type { SavedQueryDocument } from '../../../core/vocabulary/documents/saved-query.ts';
import { type Failure } from '../../../core/kernel/errors.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { keyFaults } from '../definitions/definition-fields.ts';
import { definitionRoutes, firstVersion } from '../definitions/definition-routes.ts';
import { remaking } from '../definitions/history/remaking.ts';
import type { RequestContext } from '../route/request-context.ts';
import { invalid, writtenBy } from '../route/route.ts';
import { scopeOf } from './queries.ts';
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

const saved = definitionRoutes({
  kind: 'saved_query',
  tag: 'Analytics',
  path: '/v1/analytics/saved-queries',
  one: 'saved query',
  many: 'saved_queries',
  id: { parameter: 'key', field: 'key', description: 'Key of the saved query.' },
  idOf: ({ key }) => key,
  schema: SavedQuery,
  example: SAVED_QUERY_EXAMPLE,
  toJson: savedQueryJson,
  most: ANALYTICS_LIMITS.savedQueries,
});

const replacing = {
  body: SavedQueryChange,
  change: (body: SavedQueryChange, context: RequestContext) => (held: SavedQueryDocument) => {
    const faults = keyFaults(body.key, held.key);
    if (faults.length > 0) return invalid(faults);
    return fault(body, context) ?? { ...held, ...savedQueryContent(body, held.key) };
  },
};

const creating = {
  body: SavedQueryBody,
  make: (body: SavedQueryBody, context: RequestContext): SavedQueryDocument | Failure =>
    fault(body, context) ?? { key: body.key, ...savedQueryContent(body, body.key), ...firstVersion(context) },
};

export const savedQueryRoutes = [
  saved.listRoute({ summary: 'List the saved queries', description: 'Ordered by key.' }),
  saved.createRoute({
    ...writtenBy('analyst', 'none'),
    summary: 'Save a query',
    description: `A game and environment has at most ${ANALYTICS_LIMITS.savedQueries} saved queries.`,
    ...creating,
    example: SAVED_QUERY_BODY_EXAMPLE,
  }),
  saved.getRoute(),
  saved.changeRoute({
    ...writtenBy('analyst', 'none'),
    method: 'PUT',
    description: 'Fields that you leave out get their defaults.',
    ...replacing,
    example: SAVED_QUERY_BODY_EXAMPLE,
  }),
  saved.deleteRoute({ ...writtenBy('analyst', 'none') }),
  ...saved.historyRoutes(),
  ...saved.restoreRoutes({ ...writtenBy('analyst', 'none'), by: replacing, again: remaking(creating) }),
];

/** The reason why a query could not be answered either; the paths are those of the whole body. */
function fault({ query }: Pick<SavedQueryBody, 'query'>, { key, services }: RequestContext): Failure | undefined {
  const asked = questionOf(query, scopeOf(key, services), services.clock.wallMs(), '/query');
  return asked.kind === 'failure' ? asked : undefined;
}

/** The parts of a definition that its body sets. */
export function savedQueryContent(
  { name, description = '', query, range_days: rangeDays = null }: SavedQueryChange,
  key: string,
): Pick<SavedQueryDocument, 'name' | 'description' | 'query' | 'rangeDays'> {
  return { name: name ?? key, description, query, rangeDays };
}
