import type { Static, TObject, TSchema } from 'typebox';
import type { DefinitionKind } from '../../../core/vocabulary/documents/document-kinds.ts';
import type { DocumentAddress, Documents } from '../../../core/vocabulary/documents/documents.ts';
import type { RuleName, ScheduledWork } from '../../../core/vocabulary/schedules.ts';
import type { Role } from '../../../core/vocabulary/documents/users.ts';
import type { ErrorCode, Failure } from '../../../core/kernel/errors.ts';
import type { ConfigEntry } from '../../../streams/config/config-store.ts';
import type { ApiKey } from '../../access/api-key.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import type { Basis, IfMatch } from '../input/if-match.ts';
import type { Access } from '../route/access.ts';
import type { MaybePromise } from '../route/action.ts';
import type { Answer } from '../route/answer.ts';
import type { RequestContext, WriteContext } from '../route/request-context.ts';
import type { KeyedRoute, ReplyDocs, RouteDocs } from '../route/route.ts';
import type { States } from './definition-list.ts';
import type { Written } from './definition-writes.ts';
import type { Historied, Params } from './history/historied.ts';
import type { WarnedConditions } from './name-warnings.ts';

/* What the routes of a kind of definition are made of (definition-routes.ts). */

/** A kind of definition, as far as its routes differ from those of other kinds. */
export interface DefinitionResource<K extends DefinitionKind> {
  kind: K;
  tag: string;
  /** Path of the list. */
  path: string;
  /** Its name in texts. */
  one: string;
  /** Plural name, used in messages and as the field of the list. */
  many: string;
  /** The id: its path parameter, its field in the resource, and its description. */
  id: { parameter: string; field: string; description: string };
  idOf: (document: Documents[K]) => string;
  /** The stored key of an id, if it differs. */
  storedKeyOf?: (id: string) => string;
  /** The key that people choose, unique in game and environment, if the id is another one. */
  keyOf?: (document: Documents[K]) => string;
  /** Schema of the resource. */
  schema: TSchema;
  example: Readonly<Record<string, unknown>>;
  /** @param key the caller, because some fields are for some callers only */
  toJson: (document: Documents[K], key?: ApiKey) => string;
  /** The failure for an unknown id. Default: NOT_FOUND. */
  missing?: () => Failure;
  /** The failure for a key that another definition has. */
  taken?: (holder: ConfigEntry<K>) => Failure;
  /** Maximum number per game and environment. */
  most: number;
  /** Whether callers see a stored document. Default: always. */
  isThere?: (document: Documents[K]) => boolean;
  /**
   * Whether a document is archived: it is not there, but `?state=archived` reads it. Absent: the kind has no archive.
   */
  isArchived?: (document: Documents[K]) => boolean;
  /** Finds what only answers that read show, for all definitions of an answer at once. */
  lookUp?: LookUp<K>;
  /** What `?state=` of the list chooses, besides archived ones. */
  states?: States<Documents[K]>;
  /** Default: `none`. */
  limitClass?: RouteDocs['limitClass'];
}

/** What was found beside definitions. */
export interface Found<K extends DefinitionKind> {
  toJson: (document: Documents[K]) => string;
  /** States of the list that need it. */
  states: Readonly<Record<string, (document: Documents[K]) => boolean>>;
}

export type LookUp<K extends DefinitionKind> = (
  documents: readonly Documents[K][],
  context: RequestContext,
) => Promise<Found<K>>;

/** Documentation of a route, as far as it does not follow from the kind. */
export interface Words {
  summary?: string;
  description?: string;
}

/** What routes that write declare about their callers. */
export type WriteAccess = Access & { audit: 'writes' };

/** What routes with a body declare. */
interface Writing<B extends TObject> extends Words, WriteAccess {
  body: B;
  /** A valid body. */
  example: unknown;
  /** The conditions in the body, for warnings about unknown names in the response. */
  warned?: (input: { body: Static<B> }) => readonly WarnedConditions[];
}

export interface Creating<K extends DefinitionKind, B extends TObject> extends Writing<B> {
  /** The new definition, or why it cannot be made. */
  make: (body: Static<B>, context: WriteContext) => MaybePromise<Documents[K] | Failure>;
  /** The failure if the quota is used up. Default: that of the kind. */
  overQuota?: (context: RequestContext, document: Documents[K]) => Failure | undefined;
  /** The response, if only that to the creation shows something. */
  shown?: { reply: ReplyDocs; toJson: (document: Documents[K]) => string };
}

/** Makes the changed definition, without version and times. Called again if it was changed concurrently. */
export type Change<K extends DefinitionKind> = (held: Documents[K], entry: ConfigEntry<K>) => Documents[K] | Failure;

export interface Changing<K extends DefinitionKind, B extends TObject> extends Writing<B> {
  method: 'PUT' | 'PATCH';
  /** Errors besides those of every change. */
  errors?: readonly ErrorCode[];
  change: (body: Static<B>, context: RequestContext) => MaybePromise<Change<K> | Failure>;
  /** What the written definition must not be beside definitions that were written at the same time. */
  conflict?: (written: Documents[K], context: RequestContext) => Failure | undefined;
}

/** How definitions of a kind are restored. */
export interface Restoring<K extends DefinitionKind, B extends TObject> extends WriteAccess {
  /** The change with a whole definition as its body. */
  by: Pick<Changing<K, B>, 'body' | 'change' | 'conflict'>;
  /** Gives an old definition what the history does not keep. @param wire as GET showed it */
  fitted?: (wire: JsonObject, held: Documents[K]) => JsonObject;
  /** Makes one that was deleted again. Absent: the history does not have enough of it. */
  again?: Remaking<K>;
  /** What stays as it is now because the history does not keep it. */
  kept?: string;
}

/** How definitions of a kind are changed later. */
export interface Scheduling<K extends DefinitionKind, B extends TObject> {
  /** The access of the routes, and the ids of their approvals. */
  role: Role;
  approvals: { add: string; cancel: string };
  /** The change with a whole definition as its body. */
  by: Pick<Changing<K, B>, 'body' | 'change' | 'conflict'>;
  /** Fields that cannot be changed later, and why. */
  never?: Readonly<Record<string, string>>;
  /** The body after a step of a roll-out; absent: the kind has none. */
  stepped?: (
    wire: JsonObject,
    step: Step,
  ) => { kind: 'stepped'; wire: JsonObject } | { kind: 'skipped'; why: string } | Failure;
  /** The rule at a place, counted from 1, of the definition as callers see it; undefined: there is none. */
  ruleAt?: (wire: JsonObject, place: number) => (RuleName & { percentage: number }) | undefined;
}

type Step = Extract<ScheduledWork, { kind: 'step' }>;

/** How a definition that was deleted is made again from an old version (history/remaking.ts). */
export interface Remaking<K extends DefinitionKind> {
  /** @param wire as GET showed it @param id that in its path, which it gets again */
  make: (wire: JsonObject, id: string, context: RequestContext) => Promise<Documents[K] | Failure>;
  overQuota?: ((context: RequestContext, document: Documents[K]) => Failure | undefined) | undefined;
  notes: (document: Documents[K]) => string[];
}

/** A restoration that is checked and not made yet. */
export interface Prepared<K extends DefinitionKind> {
  kind: 'prepared';
  /** What it changes; undefined: it was deleted and is made again. */
  from: { held: ConfigEntry<K>; change: Change<K> } | undefined;
  next: Documents[K];
  notes: string[];
}

/** Restorations of definitions of a kind: what they would do, and making them. */
export interface Restorations<K extends DefinitionKind> {
  prepare: (params: Params, version: number, context: RequestContext) => Promise<Prepared<K> | Failure>;
  /** Makes the change on the version that was looked at; a repeat by its Idempotency-Key finds the first one. */
  restore: (params: Params, version: number, headers: IfMatch, context: WriteContext) => Promise<Written<K> | Failure>;
}

/** The shared routes of a kind of definition, and functions for its other routes. */
export interface DefinitionRoutes<K extends DefinitionKind> {
  /** Declarations that all routes of the kind share. */
  readonly shared: { tag: string; auth: { keys: readonly ['server'] }; limitClass: RouteDocs['limitClass'] };
  /** Path of one definition. */
  readonly itemPath: string;
  readonly historied: Historied;
  /** Errors of every change of a definition. */
  readonly changeErrors: readonly ErrorCode[];
  missing(): Failure;
  addressOf(id: string, context: RequestContext): DocumentAddress<K>;
  /** All definitions that callers see. */
  all(context: RequestContext): ConfigEntry<K>[];
  find(id: string, context: RequestContext): ConfigEntry<K> | undefined;
  /** Also an archived one. */
  findStored(id: string, context: RequestContext): ConfigEntry<K> | undefined;
  /** Changes a definition that callers see. */
  change(
    at: { id: string; basis: Basis },
    context: WriteContext,
    change: Change<K>,
    conflict?: Changing<K, TObject>['conflict'],
  ): Promise<Written<K> | Failure>;
  /** The response to a write: the current definition, with its version as the ETag. */
  shown: (written: Written<K>, context: RequestContext) => Answer;
  /** CONFLICT if the game and environment have the maximum number of definitions. */
  overQuota: (context: RequestContext) => Failure | undefined;
  listRoute(words?: Words): KeyedRoute;
  getRoute(words?: Words): KeyedRoute;
  /** Reads the versions. */
  historyRoutes(): KeyedRoute[];
  /** Restores a version, and says what that would change. */
  restoreRoutes<B extends TObject>(restoring: Restoring<K, B>): KeyedRoute[];
  restorations<B extends TObject>(restoring: Restoring<K, B>): Restorations<K>;
  createRoute<B extends TObject>(creating: Creating<K, B>): KeyedRoute;
  /** Replaces a definition, or changes fields of it. */
  changeRoute<B extends TObject>(changing: Changing<K, B>): KeyedRoute;
  /** Deletes permanently. @param inUse the failure if other definitions need this one */
  deleteRoute(
    words: Words & WriteAccess,
    inUse?: (id: string, context: RequestContext) => Failure | undefined,
  ): KeyedRoute;
}
