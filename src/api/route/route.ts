import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import type { Scope } from '../../../streams/config/key-scopes.ts';
import type { Role, UserDocument, UserToken } from '../../../core/vocabulary/documents/users.ts';
import type { AuditOutcome } from '../../../core/vocabulary/records/audit-entry.ts';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import { type ErrorCode, failure, type Failure, type FieldFault } from '../../../core/kernel/errors.ts';
import type { Access, RawInput } from './access.ts';
import { act, type Action, type ActionKind, type WriteAction } from './action.ts';
import type { Negotiation } from './static-answer.ts';
import type { Answer, Outcome, TextAnswer } from './answer.ts';
import { hasBasis } from '../input/if-match.ts';
import { CHANGE_REASON, reasonFault } from '../input/change-reason.ts';
import { noteIgnored } from '../input/ignored-fields.ts';
import { isPlainObject } from '../../../core/kernel/validation/plain-object.ts';
import { anotherPlayer, type PlayersOf, refusedNamed } from '../players/named-player.ts';
import type { RequestContext, RunnableRoute, Services } from './request-context.ts';
import { compile } from '../../../core/kernel/validation/validation.ts';
import type { KeyKind } from '../../access/api-key.ts';

/*
 * Routes: declarations of method, path, keys, schemas, errors and action. Validation, the OpenAPI document and the
 * route tests derive from them; adding an endpoint is adding one declaration to routes.ts.
 */

/** The documentation, keys and schemas of a route. OpenAPI and the route tests read only these. */
export interface RouteDocs {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{name}` marks a parameter, which `input.params` describes. */
  path: string;
  /** Id of the operation in OpenAPI, if the one that derives from the path is taken. */
  operationId?: string;
  tag: string;
  summary: string;
  description?: string;
  auth: KeyAuth | 'none';
  /** Requests of a class other than `none` count against the key's tier. */
  limitClass: 'none' | 'game' | 'events';
  /** Whether the route supports Idempotency-Key. */
  idempotent?: boolean;
  /** Marks a write whose repeats count again by contract, so it has no Idempotency-Key. */
  repeatCounts?: boolean;
  /** Status of VALIDATION_ERROR if it differs from the catalogue. */
  invalidStatus?: 422;
  /** Marks a write whose repeats are recognised by the ids that it names, so it has no Idempotency-Key. */
  repeatsById?: boolean;
  /** Marks a POST that only reads, so it needs no Idempotency-Key. */
  readsOnly?: boolean;
  /** Whether the body may be left out, which means `{}`. */
  bodyOptional?: boolean;
  /**
   * Whether the route takes bodies of any Content-Type, recognises gzip by its first bytes and makes faulty values fit
   * by itself, because shipped clients of a third party send them.
   */
  lenientBody?: boolean;
  /**
   * Whether the action reads the body while it arrives (`context.body`), because it may be too large to be held.
   * `types` are its Content-Types, the documented one first.
   */
  streamedBody?: { types: readonly string[]; description: string; mostBytes: number; example: string };
  /** Whether the response is read from ClickHouse, so that X-Fresh-As-Of says how fresh it is. */
  readsRows?: boolean;
  /** Whether the response has a version, sent as the ETag. */
  versioned?: boolean;
  /** Marks a change whose body may name its `version`. `needed`: a request must say it there or by If-Match. */
  basis?: 'needed' | 'possible';
  /** Whether a request changes only texts for people, so that it need not wait. Absent: none does. */
  isForPeople?: (input: RawInput, context: RequestContext) => Promise<boolean>;
  /** The definition that a request brings back, which its body does not hold. Absent: it brings none. */
  bringsBack?: (input: RawInput, context: RequestContext) => Promise<object | Failure | undefined>;
  /** Errors of the route itself. Errors of authentication, limits and bodies follow from the other fields. */
  errors: readonly ErrorCode[];
  reply: ReplyDocs;
  /** Format of failures, if it is not the service's envelope. */
  failures?: FailureDocs;
  /** A valid body. */
  example?: unknown;
}

/** Which keys may call a route. */
export interface KeyAuth {
  keys: readonly KeyKind[];
  /**
   * Whether the key may also be the user of Basic authentication, the query parameter `writeKey`, the path's parameter
   * `write_key`, or `writeKey` in the body: the ways in which Segment's clients send it.
   */
  writeKeys?: boolean;
  /** Whether it is about a person, so that it needs a session of the console instead of a key. */
  session?: boolean;
  /** Whether a stream token in the query parameter `token` is accepted instead of a key. */
  streamTokens?: boolean;
}

/** Failures in the format of a third-party protocol. */
export interface FailureDocs {
  schema: TSchema;
  /** Statuses that differ from the catalogue. */
  statuses?: Readonly<Partial<Record<ErrorCode, number>>>;
  /** @param params path parameters before validation */
  toAnswer: (failure: Failure, params: Readonly<Record<string, string>>) => TextAnswer;
}

/** The responses of a route. `schema` describes `data` inside the envelope, or the whole body if `mediaType` is set. */
export interface ReplyDocs {
  /** Default: 200. */
  statuses?: readonly (200 | 201 | 304)[];
  description: string;
  schema: TSchema;
  mediaType?: string;
  example?: unknown;
}

/** Schemas of a route's input. Header names are matched case-insensitively. */
export interface InputSchemas extends TProperties {
  params?: TObject;
  query?: TObject;
  headers?: TObject;
  body?: TObject;
}

/** A route's input after validation. */
export type Input<I extends InputSchemas> = { [Part in keyof I]: I[Part] extends TSchema ? Static<I[Part]> : never };

export type KeyedDefinition<I extends InputSchemas, Prepared, Result> = KeyedFields<I> &
  (
    | { action: WriteAction<Input<I>, Result>; audit: 'writes' }
    | { action: Exclude<Action<Input<I>, Prepared, Result>, { kind: 'write' }>; audit: Access['audit'] }
  );

interface KeyedFields<I extends InputSchemas> extends RouteDocs, Omit<Access, 'audit'> {
  auth: KeyAuth;
  input: I;
  /** The players that a request names. Routes for client keys must declare them, for the check of player tokens. */
  players?: PlayersOf<Input<I>>;
  /**
   * Whether the route handles faulty values in list items itself (`context.faults`). Otherwise they fail the request.
   */
  takesFaultyItems?: boolean;
  /** How many requests a body counts as against the rate limit; 1 if absent. Gets the body before validation. */
  requestsOf?: (body: unknown) => number;
}

/** A route that needs an API key. */
export interface KeyedRoute extends RouteDocs, Access, RunnableRoute {
  kind: 'keyed';
  auth: KeyAuth;
  input: InputSchemas;
  takesFaultyItems: boolean;
  /** Whether `players` is declared. */
  namesPlayers: boolean;
  actionKind: ActionKind;
  requestsOf?: (body: unknown) => number;
}

/** A route without a key: probes and documents. */
export interface OpenRoute extends RouteDocs {
  kind: 'open';
  auth: 'none';
  input: InputSchemas;
  /** Available to processes on the same machine only; others get 404. */
  localOnly?: boolean;
  /** Whether browsers of other origins may call it. */
  forBrowsers?: boolean;
  /** @param query parameters that `input.query` declares, as sent: they are not validated */
  respond: (
    services: Services,
    query: Readonly<Record<string, unknown>>,
    negotiation: Negotiation,
  ) => Answer | Promise<Answer>;
}

/** The user of a request, by the session in its cookie. */
export interface SignedIn {
  readonly user: UserDocument;
  readonly session: UserToken;
  /** What the page sends as X-CSRF-Token with changes. */
  readonly csrf: string;
}

/** What a route of the console gets besides the validated input. */
export interface ConsoleContext {
  readonly services: Services;
  /** The caller's network: an IPv4 address, or the first half of an IPv6 address. */
  readonly network: string;
  /** The value of a cookie. */
  readonly cookie: (name: string) => string | undefined;
  /** Origin of the page, such as `https://console.example.com`; empty if no page sent the request. */
  readonly origin: string;
  /** Whether the page was loaded over TLS, so that its cookies must be. */
  readonly secure: boolean;
  /** The definitions, for writes that the audit attributes to a user. */
  readonly configAs: (user: Pick<UserDocument, 'id' | 'email'>) => ConfigStore;
  /**
   * Stores that a person does something that concerns the whole deployment.
   * @returns how to report its outcome; undefined: it could not be audited, so it must not be done
   */
  readonly auditAs: (
    user: Pick<UserDocument, 'id' | 'email'>,
    done: { kind: string; action: string; shows: Record<string, unknown> },
  ) => Promise<((outcome: AuditOutcome) => void) | undefined>;
  /**
   * Counts a try against limits per minute, over all gateways. False: it is over one of them, and counts against none.
   * A name that callers choose comes with one that bounds their number.
   */
  readonly mayTry: (...limits: readonly (readonly [name: string, perMinute: number])[]) => boolean;
  /** Counts failures against limits per minute, over all gateways. */
  readonly failures: {
    /** Whether one more would be over one of the limits. */
    isOver: (limits: readonly (readonly [name: string, perMinute: number])[]) => boolean;
    add: (limits: readonly (readonly [name: string, perMinute: number])[]) => void;
  };
  /** Calls back when the caller disconnects before the answer. */
  readonly whenGone: (callback: () => void) => void;
}

/** A route about a person instead of a game (console/console-route.ts). */
export interface ConsoleRoute extends RouteDocs {
  kind: 'console';
  input: InputSchemas;
  /** Validates the input and answers. Rejects or throws only for a bug. */
  run(raw: RawInput, context: ConsoleContext, signedIn: SignedIn | undefined): Answer | Promise<Answer>;
}

export type Route = KeyedRoute | OpenRoute | ConsoleRoute;

/** For games and their servers. */
export const forGames = (scope: Scope) => ({ role: 'none', scope, audit: 'none', approval: 'none' }) as const;

/** A read without entries in the audit, for everybody with a role. */
export const readBy = (role: Role, scope: Access['scope'] = 'read') =>
  ({ role, scope, audit: 'none', approval: 'none' }) as const;

/** A write of documents, each with an entry in the audit. */
export const writtenBy = (role: Role, approval: Access['approval'], scope: Access['scope'] = 'define') =>
  ({ role, scope, audit: 'writes', approval }) as const;

/** Creates a route from its declaration and compiles its schemas. */
export function defineRoute<I extends InputSchemas, Prepared = unknown, Result = unknown>(
  definition: KeyedDefinition<I, Prepared, Result>,
): KeyedRoute {
  const { action, input: declared, players, takesFaultyItems = false, requestsOf, ...docs } = definition;
  const isChange = isAuditedChange(docs.audit);
  const input = withReason(withReadOnly(declared, docs.reply.schema), isChange);
  // What decides about a change of another route passes on the reason of that change.
  const asksWhy = docs.audit === 'writes' && action.kind === 'write';
  const ignorable = ignorableFields(input.body);
  // In a definition, a field that was forgotten must not widen an audience. Scoring takes what its model was made with.
  const isForgiving = ignorable !== undefined && docs.invalidStatus === undefined;
  const check = compile<TObject, Input<I>>(Type.Object(input), isForgiving ? { dropsAbsentIn: 'body' } : {});
  return {
    ...(action.kind === 'analytics' ? { readsRows: true } : {}),
    ...docs,
    kind: 'keyed',
    input,
    takesFaultyItems,
    namesPlayers: players !== undefined,
    actionKind: action.kind,
    ...(requestsOf === undefined ? {} : { requestsOf }),
    run(raw, context) {
      const { body } = raw;
      if (context.faults.length > 0 && !takesFaultyItems) return invalid([...context.faults]);
      if (!check.accepts(raw)) return invalid(check.faultsOf(raw).map(relativeToPart));
      const reason = isChange ? reasonFault(raw.headers, context, asksWhy) : undefined;
      if (reason !== undefined) return invalid([reason]);
      if (docs.basis === 'needed' && !hasBasis(raw)) return failure('PRECONDITION_REQUIRED');
      if (ignorable !== undefined) noteIgnored(body, ignorable, '', context.ignored);
      // A route that does not declare its players refuses requests with a player token.
      if (players === undefined && context.player !== undefined) return anotherPlayer();
      const perform = (): Outcome | Promise<Outcome> =>
        context.audited?.(raw, () => act(action, raw, context)) ?? act(action, raw, context);
      const proceed = (): Outcome | Promise<Outcome> =>
        context.propose?.(raw).then((waits) => waits ?? perform()) ?? perform();
      const refused = typeof players === 'function' ? refusedNamed(players(raw), context) : undefined;
      return refused === undefined ? proceed() : refused.then((why) => why ?? proceed());
    },
  };
}

/** What the service adds to a definition. What callers cannot change (keys, types) is not part of it. */
const SERVER_MADE = [
  'version',
  'created_at',
  'updated_at',
  'segment_id',
  'campaign_id',
  'webhook_id',
  'query_id',
  'annotation_id',
  'made_by',
  'salt',
  'edit_effect',
  'warnings',
  'list',
  'past',
  'disabled',
];

/** Lets a definition take its own answer: server-made fields are ignored. Other unknown fields are refused. */
function withReadOnly<I extends InputSchemas>(input: I, { properties: shown }: { properties?: unknown }): I {
  const { body } = input;
  if (body === undefined || ignorableFields(body) !== undefined || !isPlainObject(shown)) return input;
  const names = SERVER_MADE.filter((name) => Object.hasOwn(shown, name) && !Object.hasOwn(body.properties, name));
  const readOnly = Object.fromEntries(names.map((name) => [name, READ_ONLY]));
  return { ...input, body: { ...body, properties: { ...body.properties, ...readOnly } } };
}

/** Whether every request of a route changes something, and has an entry that says why. */
const isAuditedChange = (audit: Access['audit']): boolean =>
  audit === 'writes' || (typeof audit === 'object' && audit.reads !== true);

function withReason<I extends InputSchemas>(input: I, isChange: boolean): I {
  if (!isChange) return input;
  return { ...input, headers: Type.Object({ ...input.headers?.properties, ...CHANGE_REASON }) };
}

const READ_ONLY = Type.Unknown({ description: 'Read-only, as returned by GET. Ignored.' });

/** Creates a route that needs no key. */
export function defineOpenRoute(
  definition: Omit<OpenRoute, 'kind' | 'auth' | 'limitClass' | 'input'> & { input?: Pick<InputSchemas, 'query'> },
): OpenRoute {
  return { input: {}, ...definition, kind: 'open', auth: 'none', limitClass: 'none' };
}

/** A VALIDATION_ERROR that lists the faults. Its message is a sentence about the first one. */
export function invalid(fields: FieldFault[]): Failure {
  const first = fields[0];
  if (first === undefined) return failure('VALIDATION_ERROR', undefined, { fields });
  const name = first.path.replace(/^\//, '');
  return failure('VALIDATION_ERROR', `${name === '' ? 'The body' : `\`${name}\``} ${first.message}.`, { fields });
}

/** The known fields of a body; undefined if unknown fields are refused. */
export function ignorableFields(body: TObject | undefined): ReadonlySet<string> | undefined {
  if (body === undefined || ('additionalProperties' in body && body['additionalProperties'] === false))
    return undefined;
  return new Set(Object.keys(body.properties));
}

/** Validation sees `{params, query, headers, body}`. Callers see a pointer into their body, or a parameter's name. */
function relativeToPart({ path, message }: FieldFault): FieldFault {
  const [, part, ...rest] = path.split('/');
  if (part === 'body') return { path: rest.map((name) => `/${name}`).join(''), message };
  // A caller who sends a query parameter as JSON has to learn where it belongs.
  const isMissing = message === 'is required';
  return {
    path: rest.join('/'),
    message: isMissing && part === 'query' ? 'is required as a query parameter' : message,
  };
}
