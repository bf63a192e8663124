import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { type ErrorCode, failure, type Failure, type FieldFault } from '../kernel/errors.ts';
import { act, type Action, type Outcome } from './action.ts';
import type { Answer, TextAnswer } from './answer.ts';
import { noteIgnored } from './ignored-fields.ts';
import { anotherPlayer, type PlayersOf, refusedPlayer } from './players/named-player.ts';
import type { RequestContext, Services } from './request-context.ts';
import { compile } from './validation.ts';
import type { KeyKind } from './api-key.ts';

/** What a route is to its callers: documentation, permission and shape. OpenAPI and the route tests read only this. */
export interface RouteDocs {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{name}` marks a parameter, which `input.params` must describe. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  auth: KeyAuth | 'none';
  /** Requests of a class other than `none` count against the key's tier. */
  limitClass: 'none' | 'game' | 'events';
  /** Whether it takes an Idempotency-Key. */
  idempotent?: boolean;
  /** A write whose repeat counts again, by contract: so it takes no Idempotency-Key. */
  repeatCounts?: boolean;
  /** Status of VALIDATION_ERROR on a route that documents another status than the catalogue. */
  invalidStatus?: 422;
  /** A POST that only asks: there is nothing that an Idempotency-Key could protect. */
  onlyAsks?: boolean;
  /** Whether the body may be left out, and counts as `{}` then. */
  bodyOptional?: boolean;
  /** Whether what it answers has a version, told as its ETag. */
  versioned?: boolean;
  /** The route's own errors; those of authentication, limits and bodies follow from the rest. */
  errors: readonly ErrorCode[];
  reply: ReplyDocs;
  /** How failures look, where that is not our envelope. */
  failures?: FailureDocs;
  /** A body that works. */
  example?: unknown;
}

/** Which keys may call a route, and the scope they need. */
export interface KeyAuth {
  keys: readonly KeyKind[];
  scope?: string;
  /** Whether a stream token in the query (`token`) may stand for a key. */
  streamTokens?: boolean;
}

/** Failures in the shape of a protocol that others defined. */
export interface FailureDocs {
  schema: TSchema;
  /** @param params the path's parameters as they came */
  toAnswer: (failure: Failure, params: Readonly<Record<string, string>>) => TextAnswer;
}

/** What a route answers. `schema` describes `data` inside the envelope, or the whole body of another media type. */
export interface ReplyDocs {
  statuses: readonly (200 | 201 | 304)[];
  description: string;
  schema: TSchema;
  mediaType?: string;
  example?: unknown;
}

/** Schemas of what a route takes. Header names are written as they are shown; they are matched in any case. */
export interface InputSchemas extends TProperties {
  params?: TObject;
  query?: TObject;
  headers?: TObject;
  body?: TObject;
}

/** A route's input after validation. */
export type Input<I extends InputSchemas> = Static<TObject<I>>;

export interface KeyedDefinition<I extends InputSchemas, Prepared, Result> extends RouteDocs {
  auth: KeyAuth;
  input: I;
  /**
   * Which players a request names. Required of routes for client keys, as a player token may restrict them to one
   * player.
   */
  players?: PlayersOf<Input<I>>;
  /** Whether single faulty values leave the rest of the body usable; the route then looks at `context.faults`. */
  takesFaultyItems?: boolean;
  action: Action<Input<I>, Prepared, Result>;
}

/** A request's parts as they came, decoded but not yet checked. */
export interface RawInput {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  body?: unknown;
}

/** A route that needs an API key. */
export interface KeyedRoute extends RouteDocs {
  kind: 'keyed';
  auth: KeyAuth;
  input: InputSchemas;
  takesFaultyItems: boolean;
  /** Whether `players` is declared. */
  namesPlayers: boolean;
  /** Validates and acts. Rejects or throws only for a bug. */
  run(raw: RawInput, context: RequestContext): Outcome | Promise<Outcome>;
}

/** A route without a key: probes and documents. */
export interface OpenRoute extends RouteDocs {
  kind: 'open';
  auth: 'none';
  input: InputSchemas;
  /** Answered for processes of the same machine only; 404 for all others. */
  localOnly?: boolean;
  respond: (services: Services) => Answer | Promise<Answer>;
}

export type Route = KeyedRoute | OpenRoute;

/** Makes a route of its declaration: compiles its schemas and ties validation, translation and backend together. */
export function defineRoute<I extends InputSchemas, Prepared = unknown, Result = unknown>(
  definition: KeyedDefinition<I, Prepared, Result>,
): KeyedRoute {
  const { action, input, players, takesFaultyItems = false, ...docs } = definition;
  const check = compile(Type.Object(input));
  const ignorable = ignorableFields(input.body);
  return {
    ...docs,
    kind: 'keyed',
    input,
    takesFaultyItems,
    namesPlayers: players !== undefined,
    run(raw, context) {
      const { body } = raw;
      if (context.faults.length > 0 && !takesFaultyItems) return invalid([...context.faults]);
      if (!check.accepts(raw)) return invalid(check.faultsOf(raw).map(relativeToPart));
      if (ignorable !== undefined) noteIgnored(body, ignorable, '', context.ignored);
      // A route that does not declare its players refuses requests with a player token.
      if (players === undefined && context.player !== undefined) return anotherPlayer();
      const refused = typeof players === 'function' ? refusedPlayer(players(raw), context.player) : undefined;
      return refused ?? act(action, raw, context);
    },
  };
}

/** Makes a route that needs no key. */
export function defineOpenRoute(definition: Omit<OpenRoute, 'kind' | 'auth' | 'limitClass' | 'input'>): OpenRoute {
  return { ...definition, kind: 'open', auth: 'none', limitClass: 'none', input: {} };
}

/** A VALIDATION_ERROR that lists the faults. Its message is a sentence about the first one. */
export function invalid(fields: FieldFault[]): Failure {
  const first = fields[0];
  if (first === undefined) return failure('VALIDATION_ERROR', undefined, { fields });
  const name = first.path.replace(/^\//, '');
  return failure('VALIDATION_ERROR', `${name === '' ? 'The body' : `\`${name}\``} ${first.message}.`, { fields });
}

/** The fields a body may hold besides unknown ones; undefined where unknown fields are refused. */
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
