import type { DefinitionKind } from '../../../core/vocabulary/documents/document-kinds.ts';
import { Type, type TSchema } from 'typebox';
import type { ConfigEntry } from '../../../streams/config/config-store.ts';
import type { DocumentAddress, Documents } from '../../../core/vocabulary/documents/documents.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import { type Answer, answer, jsonAnswer } from '../route/answer.ts';
import type { ApiKey } from '../../access/api-key.ts';
import { deleteDefinition, type Written } from './definition-writes.ts';
import { IfMatch } from '../input/if-match.ts';
import { NextCursor, PageQuery, textPageOf } from '../input/paging.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, type KeyedRoute, readBy, type RouteDocs } from '../route/route.ts';
import type { Access } from '../route/access.ts';
import { oneOf } from '../input/fields.ts';

/*
 * The routes that all kinds of definitions (segments, flags, campaigns, webhooks, event schemas) share: list, get,
 * delete. Invariant: each route reads and writes only the game and environment of the caller's key.
 */

/** A kind of definition, as far as its routes differ from those of other kinds. */
export interface DefinitionResource<K extends DefinitionKind> {
  kind: K;
  tag: string;
  /** Path of the list. */
  path: string;
  /** Plural name, used in messages and as the field of the list. */
  many: string;
  /** The id: its path parameter, its field in the resource, and its description. */
  id: { parameter: string; field: string; description: string };
  /** Schema of the resource. */
  schema: TSchema;
  example: Readonly<Record<string, unknown>>;
  /** @param key the caller, because some fields are for some callers only */
  toJson: (document: Documents[K], key?: ApiKey) => string;
  /** The failure for an unknown id. */
  missing: () => Failure;
  /** Maximum number per game and environment. */
  most: number;
  /** Whether callers see a stored document. Default: always. */
  isThere?: (document: Documents[K]) => boolean;
  /**
   * Whether a document is archived: it is not there, but `?state=archived` reads it. Absent: the kind has no archive.
   */
  isArchived?: (document: Documents[K]) => boolean;
  /** Mapping between ids and stored keys, if they differ. */
  stored?: { keyOf: (id: string) => string; idOf: (document: Documents[K]) => string };
  /** Default: `none`. */
  limitClass?: RouteDocs['limitClass'];
}

/** The query field that reads what is archived. */
const STATE = {
  state: Type.Optional(oneOf(['archived'], '`archived`: archived definitions instead of current ones.')),
};

/** Documentation of a route. */
interface Words {
  summary: string;
  description?: string;
}

/** What the route that deletes declares about its callers. */
type WriteAccess = Access & { audit: 'writes' };

/** The shared routes of a kind of definition, and functions for its other routes. */
export interface DefinitionRoutes<K extends DefinitionKind> {
  /** Declarations that all routes of the kind share. */
  readonly shared: { tag: string; auth: { keys: readonly ['server'] }; limitClass: RouteDocs['limitClass'] };
  /** Path of one definition. */
  readonly itemPath: string;
  addressOf(id: string, context: RequestContext): DocumentAddress<K>;
  /** All definitions that callers see. */
  all(context: RequestContext): ConfigEntry<K>[];
  find(id: string, context: RequestContext): ConfigEntry<K> | undefined;
  /** Also an archived one. */
  findStored(id: string, context: RequestContext): ConfigEntry<K> | undefined;
  /** The response to a write: the current definition, with its version as the ETag. */
  shown(written: Written<K>, status: 200 | 201): Answer;
  /** CONFLICT if the game and environment have the maximum number of definitions. */
  overQuota(context: RequestContext): Failure | undefined;
  listRoute(words: Words): KeyedRoute;
  getRoute(words: Words): KeyedRoute;
  /** Deletes permanently. @param inUse the failure if other definitions need this one */
  deleteRoute(
    words: Words & WriteAccess,
    inUse?: (id: string, context: RequestContext) => Failure | undefined,
  ): KeyedRoute;
}

/** Creates the shared routes of a kind of definition. */
export function definitionRoutes<K extends DefinitionKind>(resource: DefinitionResource<K>): DefinitionRoutes<K> {
  const { kind, tag, path, many, id, schema, example, toJson, missing, most, isThere = () => true } = resource;
  const { stored, limitClass = 'none', isArchived } = resource;
  const state = isArchived === undefined ? {} : STATE;
  const shared = { tag, auth: { keys: ['server'] }, limitClass } as const;
  const itemPath = `${path}/{${id.parameter}}`;
  const ItemParams = Type.Object({ [id.parameter]: Type.String({ description: id.description }) });
  const idIn = (params: Readonly<Record<string, string>>): string => params[id.parameter] ?? '';

  function isSought(document: Documents[K], query: object): boolean {
    return 'state' in query && query.state === 'archived' ? isArchived?.(document) === true : isThere(document);
  }

  function entriesIn(query: object, { key, services }: RequestContext): ConfigEntry<K>[] {
    return services.config.list(kind, key.game, key.environment).filter(({ document }) => isSought(document, query));
  }

  const routes: DefinitionRoutes<K> = {
    shared,
    itemPath,
    addressOf(id, { key: { game, environment } }) {
      return { game, environment, kind, key: stored?.keyOf(id) ?? id };
    },
    all: (context) => entriesIn({}, context),
    find(key, context) {
      const entry = context.services.config.get(routes.addressOf(key, context));
      return entry !== undefined && isThere(entry.document) ? entry : undefined;
    },
    findStored: (key, context) => context.services.config.get(routes.addressOf(key, context)),
    shown({ entry: { document }, replayed }, status) {
      return answer(toJson(document), { status, replayed, etag: document.version });
    },
    overQuota(context) {
      if (routes.all(context).length < most) return undefined;
      return failure('CONFLICT', `The environment has ${most} ${many}, the maximum; delete one first.`);
    },
    listRoute: (words) =>
      defineRoute({
        ...shared,
        ...words,
        ...readBy('viewer'),
        method: 'GET',
        path,
        errors: [],
        input: { query: Type.Object({ ...PageQuery.properties, ...state }) },
        reply: {
          description: 'A page of the list.',
          schema: Type.Object(
            { [many]: Type.Array(schema, { description: `The ${many} of this page.` }), next_cursor: NextCursor },
            { description: `A page of ${many}.` },
          ),
          example: { [many]: [example], next_cursor: null },
        },
        action: {
          kind: 'config',
          read({ query }, context) {
            const keyOf = ({ key, document }: ConfigEntry<K>): string => stored?.idOf(document) ?? key;
            const page = textPageOf(
              entriesIn(query, context),
              keyOf,
              ({ document }) => toJson(document, context.key),
              query,
            );
            if (page.kind === 'failure') return page;
            return answer(`{"${many}":[${page.items.join()}],"next_cursor":${JSON.stringify(page.nextCursor)}}`);
          },
        },
      }),
    getRoute: (words) =>
      defineRoute({
        ...shared,
        ...words,
        versioned: true,
        ...readBy('viewer'),
        method: 'GET',
        path: itemPath,
        errors: [missing().code],
        input: { params: ItemParams, query: Type.Object(state) },
        reply: { description: 'The current definition.', schema, example },
        action: {
          kind: 'config',
          read({ params, query }, context) {
            const found = routes.findStored(idIn(params), context);
            const document = found !== undefined && isSought(found.document, query) ? found.document : undefined;
            return document === undefined
              ? missing()
              : answer(toJson(document, context.key), { etag: document.version });
          },
        },
      }),
    deleteRoute: (words, inUse) =>
      defineRoute({
        ...shared,
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
