import { type TObject, Type } from 'typebox';
import type { DefinitionKind } from '../../../core/vocabulary/documents/document-kinds.ts';
import type { Documents } from '../../../core/vocabulary/documents/documents.ts';
import { failure, type Failure, isFailure } from '../../../core/kernel/errors.ts';
import type { ConfigEntry } from '../../../streams/config/config-store.ts';
import { oneOf } from '../input/fields.ts';
import { basisIn, IfMatch } from '../input/if-match.ts';
import { managed, MANAGED_BY } from '../input/managed-by.ts';
import { NextCursor, pageOf, textPageOf } from '../input/paging.ts';
import { answer, jsonAnswer, type Answer } from '../route/answer.ts';
import type { RequestContext, WriteContext } from '../route/request-context.ts';
import { defineRoute, readBy } from '../route/route.ts';
import { labelsIn, relabelled } from './definition-labels.ts';
import { isFound, listQueryOf, orderOf, placeIn, type ListQuery } from './definition-list.ts';
import type { Change, Creating, DefinitionResource, DefinitionRoutes, LookUp } from './definition-resource.ts';
import { changeDefinition, createDefinition, deleteDefinition, type Written } from './definition-writes.ts';
import { forPeople } from './for-people.ts';
import { type Historied, documentText } from './history/historied.ts';
import { historyRoutes } from './history/history-routes.ts';
import { restorations, type RestoredKind, restorePreview, restoreRoute } from './history/restore-routes.ts';

/*
 * The routes that all kinds of definitions (segments, flags, campaigns, webhooks, event schemas) share: list, get,
 * create, replace, change, delete. Invariant: each route reads and writes only the game and environment of the caller's
 * key.
 */

/** The query field that reads what is archived. */
const STATE = {
  state: Type.Optional(oneOf(['archived'], '`archived`: archived definitions instead of current ones.')),
};

const ByTool = Type.Object(MANAGED_BY);
const ChangeHeaders = Type.Object({ ...IfMatch.properties, ...MANAGED_BY });

const ARCHIVED = ['archived', 'archived ones instead of current ones'] as const;

/** What every definition has when it is created. */
export function firstVersion({ origin: { receivedAt } }: RequestContext) {
  return { createdAt: receivedAt, updatedAt: receivedAt, version: 1 };
}

/** Creates the shared routes of a kind of definition. */
export function definitionRoutes<K extends DefinitionKind>(resource: DefinitionResource<K>): DefinitionRoutes<K> {
  const { kind, tag, path, one, many, id, idOf, keyOf, schema, example, toJson, most, isThere = () => true } = resource;
  const { storedKeyOf = (id) => id, limitClass = 'none', isArchived, states = {}, lookUp } = resource;
  const { missing = () => failure('NOT_FOUND', `The ${one} does not exist.`) } = resource;
  const { taken = () => failure('CONFLICT', `Another ${one} has this key; choose another key.`, { field: 'key' }) } =
    resource;
  const aOne = `${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}`;
  const state = isArchived === undefined ? {} : STATE;
  const shared = { tag, auth: { keys: ['server'] }, limitClass } as const;
  const itemPath = `${path}/{${id.parameter}}`;
  const ItemParams = Type.Object({ [id.parameter]: Type.String({ description: id.description }) });
  // People choose keys; ids grow with time.
  const first = id.parameter === 'id' ? 'created_at' : 'key';
  const listed = Object.entries(states).map(([name, { description }]) => [name, description] as const);
  const Query = listQueryOf(first, isArchived === undefined ? listed : [...listed, ARCHIVED]);
  const idIn = (params: Readonly<Record<string, string>>): string => params[id.parameter] ?? '';

  function isSought(document: Documents[K], query: object): boolean {
    return 'state' in query && query.state === 'archived' ? isArchived?.(document) === true : isThere(document);
  }

  function entriesIn(query: ListQuery, { key, services }: RequestContext): ConfigEntry<K>[] {
    const { holds = () => true } = states[String(query.state)] ?? {};
    return services.config
      .list(kind, key.game, key.environment)
      .filter(({ document }) => isSought(document, query) && holds(document) && isFound(document, query));
  }

  const documentsIn = (query: ListQuery, context: RequestContext): Documents[K][] =>
    entriesIn(query, context).map(({ document }) => document);

  function placesIn(query: ListQuery) {
    const order = orderOf(query, first);
    return { order, place: placeIn<K>(order.sort, { id: idOf, key: keyOf ?? idOf }) };
  }

  function pageIn(
    query: ListQuery,
    context: RequestContext,
    documents: readonly Documents[K][],
    text: (document: Documents[K]) => string = (document) => toJson(document, context.key),
  ): Answer {
    const { order, place } = placesIn(query);
    const page = textPageOf(documents, place, text, query, { order });
    if (page.kind === 'failure') return page;
    return answer(`{"${many}":[${page.items.join()}],"next_cursor":${JSON.stringify(page.nextCursor)}}`);
  }

  /** A page of which more is found than definitions say: for its own, or for all if the list is filtered by that. */
  async function foundPage(query: ListQuery, context: RequestContext, lookUp: LookUp<K>): Promise<Answer> {
    const { order, place } = placesIn(query);
    const all = documentsIn(query, context);
    const ahead = pageOf(all, place, query, order);
    if (ahead.kind === 'failure') return ahead;
    const isFiltered = states[String(query.state)]?.needsLookUp === true;
    const found = await lookUp(isFiltered ? all : ahead.items, context);
    const holds = found.states[String(query.state)] ?? (() => true);
    return pageIn(query, context, isFiltered ? all.filter(holds) : all, found.toJson);
  }

  function soughtIn(params: Readonly<Record<string, string>>, query: object, context: RequestContext) {
    const found = routes.findStored(idIn(params), context);
    return found !== undefined && isSought(found.document, query) ? found.document : undefined;
  }

  function oneIn(
    document: Documents[K] | undefined,
    { key }: RequestContext,
    text: (document: Documents[K]) => string = (one) => toJson(one, key),
  ): Answer {
    return document === undefined ? missing() : answer(text(document), { etag: document.version });
  }

  /** Other definitions with the same key. */
  function rivalsOf(document: Documents[K], { key, services }: RequestContext): ConfigEntry<K>[] {
    if (keyOf === undefined) return [];
    return services.config
      .list(kind, key.game, key.environment)
      .filter((other) => keyOf(other.document) === keyOf(document) && idOf(other.document) !== idOf(document));
  }

  const historied: Historied = {
    // They read ClickHouse, which all games share.
    shared: { ...shared, limitClass: 'events' },
    path: itemPath,
    params: ItemParams.properties,
    aOne,
    schema,
    example,
    missing,
    addressOf: (params, context) => routes.addressOf(idIn(params), context),
    versionNow: (params, context) => routes.findStored(idIn(params), context)?.document.version,
    shownVersion(version, { key }) {
      const document: Documents[K] = JSON.parse(documentText(version));
      return toJson(document, key);
    },
  };

  /** Stores a new definition. */
  function create(
    document: Documents[K],
    overQuota: Creating<K, TObject>['overQuota'],
    context: WriteContext,
  ): Promise<Written<K> | Failure> {
    return createDefinition<K>(
      {
        address: routes.addressOf(idOf(document), context),
        document,
        rivals: () => rivalsOf(document, context),
        taken,
        overQuota: (of) => (overQuota ?? routes.overQuota)(of, document),
      },
      context,
    );
  }

  const restored = (): RestoredKind<K> => ({ ...routes, historied, idIn, create });

  const routes: DefinitionRoutes<K> = {
    shared,
    historied,
    itemPath,
    changeErrors: [missing().code, 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
    missing,
    addressOf: (id, { key: { game, environment } }) => ({ game, environment, kind, key: storedKeyOf(id) }),
    all: (context) => entriesIn({}, context),
    find(key, context) {
      const entry = context.services.config.get(routes.addressOf(key, context));
      return entry !== undefined && isThere(entry.document) ? entry : undefined;
    },
    findStored: (key, context) => context.services.config.get(routes.addressOf(key, context)),
    change({ id, basis }, context, change, conflict) {
      const seen: Change<K> = (held, entry) => (isThere(held) ? change(held, entry) : missing());
      return changeDefinition<K>(
        {
          address: routes.addressOf(id, context),
          basis,
          missing: missing(),
          change: seen,
          conflict: (written) => conflict?.(written, context),
        },
        context,
      );
    },
    shown: ({ entry: { document }, replayed }, { key }) =>
      answer(toJson(document, key), { replayed, etag: document.version }),
    overQuota(context) {
      if (routes.all(context).length < most) return undefined;
      return failure('CONFLICT', `The environment has ${most} ${many}, the maximum; delete one first.`);
    },
    listRoute: (words) =>
      defineRoute({
        ...shared,
        summary: `List the ${one}s`,
        ...words,
        ...readBy('viewer'),
        method: 'GET',
        path,
        errors: [],
        input: { query: Query },
        reply: {
          description: 'A page of the list.',
          schema: Type.Object(
            { [many]: Type.Array(schema, { description: `The ${many} of this page.` }), next_cursor: NextCursor },
            { description: `A page of ${many}.` },
          ),
          example: { [many]: [example], next_cursor: null },
        },
        action:
          lookUp === undefined
            ? { kind: 'config', read: ({ query }, context) => pageIn(query, context, documentsIn(query, context)) }
            : { kind: 'service', call: ({ query }, context) => foundPage(query, context, lookUp) },
      }),
    getRoute: (words) =>
      defineRoute({
        ...shared,
        summary: `Get ${aOne}`,
        ...words,
        versioned: true,
        ...readBy('viewer'),
        method: 'GET',
        path: itemPath,
        errors: [missing().code],
        input: { params: ItemParams, query: Type.Object(state) },
        reply: { description: 'The current definition.', schema, example },
        action:
          lookUp === undefined
            ? { kind: 'config', read: ({ params, query }, context) => oneIn(soughtIn(params, query, context), context) }
            : {
                kind: 'service',
                async call({ params, query }, context) {
                  const document = soughtIn(params, query, context);
                  if (document === undefined) return missing();
                  return oneIn(document, context, (await lookUp([document], context)).toJson);
                },
              },
      }),
    historyRoutes: () => historyRoutes(historied),
    restorations: (restoring) => restorations(restored(), restoring),
    restoreRoutes(restoring) {
      const made = restorations(restored(), restoring);
      const kind = { ...restored(), errors: routes.changeErrors, shown: routes.shown };
      return [restoreRoute(kind, restoring, made), restorePreview(historied, made)];
    },
    createRoute: ({ body, make, overQuota, shown, warned, ...docs }) =>
      defineRoute({
        ...shared,
        summary: `Create ${aOne}`,
        ...docs,
        versioned: true,
        method: 'POST',
        path,
        idempotent: true,
        errors: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
        input: { headers: ByTool, body },
        reply: { ...(shown?.reply ?? { description: `The ${one}.`, schema, example }), statuses: [201] },
        action: {
          kind: 'write',
          async write({ headers, body }, context) {
            const made = await make(body, context);
            if (isFailure(made)) return made;
            const document = managed(relabelled(made, labelsIn(body, {})), headers, made.version);
            return create(document, overQuota, context);
          },
          toAnswer: ({ entry: { document }, replayed }, { key }) =>
            answer((shown?.toJson ?? toJson)(document, key), { status: 201, replayed, etag: document.version }),
          warned,
        },
      }),
    changeRoute: ({ body, method, errors = [], change, conflict, warned, ...docs }) =>
      defineRoute({
        ...shared,
        summary: method === 'PUT' ? `Replace ${aOne}` : `Change fields of ${aOne}`,
        ...docs,
        isForPeople: forPeople({ method, body, change }, (params, context) => routes.find(idIn(params), context)),
        versioned: true,
        method,
        path: itemPath,
        basis: method === 'PUT' ? 'needed' : 'possible',
        idempotent: true,
        errors: [...routes.changeErrors, ...errors],
        input: { params: ItemParams, headers: ChangeHeaders, body },
        reply: { description: `The updated ${one}.`, schema, example },
        action: {
          kind: 'write',
          async write({ params, headers, body }, context) {
            const id = idIn(params);
            const next = await change(body, context);
            if (isFailure(next)) return next;
            const labelled: Change<K> = (held, entry) => {
              const made = next(held, entry);
              if (isFailure(made)) return made;
              return managed(relabelled(made, labelsIn(body, held)), headers, held.version + 1);
            };
            return routes.change({ id, basis: basisIn({ headers, body }) }, context, labelled, conflict);
          },
          toAnswer: (written, context) => routes.shown(written, context),
          warned,
        },
      }),
    deleteRoute: (words, inUse) =>
      defineRoute({
        ...shared,
        summary: `Delete ${aOne}`,
        ...words,
        method: 'DELETE',
        path: itemPath,
        idempotent: true,
        errors: [missing().code, 'CONFLICT', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
        input: { params: ItemParams, headers: IfMatch },
        reply: {
          description: 'The definition is deleted.',
          schema: Type.Object(
            {
              [id.field]: Type.String({ description: id.description }),
              deleted: Type.Boolean({ description: 'Always true.' }),
            },
            { description: 'A deletion.' },
          ),
          example: { [id.field]: example[id.field], deleted: true },
        },
        action: {
          kind: 'write',
          write({ params, headers }, context) {
            const key = idIn(params);
            const address = routes.addressOf(key, context);
            return deleteDefinition<K>({ address, headers, missing, inUse: () => inUse?.(key, context) }, context);
          },
          toAnswer: ({ replayed }, _context, { params }) =>
            jsonAnswer({ [id.field]: idIn(params), deleted: true }, { replayed }),
        },
      }),
  };
  return routes;
}
