import type { Operations as GameOperations } from '../../../sdk/typescript/src/generated/operations.ts';
import type { Operations as PeopleOperations } from '../generated/operations.ts';
import { noteReachable } from './reachability.ts';

/* Requests to the public API, as the person who is signed in. Types derive from the routes of the service. */

type Operations = GameOperations & PeopleOperations;
export type Operation = keyof Operations;
export type AnswerOf<K extends Operation> = Operations[K]['answer'];
export type BodyOf<K extends Operation> = Operations[K]['body'];

/** The game and environment that a screen shows. */
export interface Scope {
  game: string;
  environment: 'live' | 'test';
}

/** A failed request, as the service explained it. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: readonly { path: string; message: string }[];
  /** Address of the screen where the change waits for a second person; undefined: it does not wait. */
  readonly waitsAt: string | undefined;
  constructor(status: number, code: string, message: string, fields: ApiError['fields'] = [], waitsAt?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.waitsAt = waitsAt;
  }
}

export interface Input {
  path?: Readonly<Record<string, string>> | undefined;
  query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
  /** A file to send instead of JSON, for endpoints that take one. */
  file?: { type: string; content: Blob };
  signal?: AbortSignal;
}

let csrfToken = '';
let onSignedOut: () => void = () => {};
/** Asks the person why; `undefined`: the change is not made. */
let askWhy: () => Promise<string | undefined> = () => Promise.resolve(undefined);

/** Sets what changes must send, from the answer to a sign-in or to `GET /v1/console/me`. */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/** Sets what happens when the session has ended. */
export function whenSignedOut(callback: () => void): void {
  onSignedOut = callback;
}

/** Sets the function that asks for the reason of a change, in games that require one. */
export function whenAskedWhy(ask: typeof askWhy): void {
  askWhy = ask;
}

const REASON = 'X-Change-Reason';

/** The header that says why a change is made; none for an empty text. */
export const changeReason = (why: string): Record<string, string> =>
  why.trim() === '' ? {} : { [REASON]: encodeURIComponent(why.trim()) };

/** Calls one endpoint. Rejects with `ApiError`. */
export async function call<K extends Operation>(
  scope: Scope | undefined,
  operation: K,
  input: Input = {},
): Promise<AnswerOf<K>> {
  try {
    const data: AnswerOf<K> = await read(await send(scope, operation, input), scope);
    return data;
  } catch (error) {
    const isAsked =
      error instanceof ApiError && error.fields[0]?.path === REASON && input.headers?.[REASON] === undefined;
    const why = isAsked ? await askWhy() : undefined;
    if (why === undefined) throw error;
    return call(scope, operation, { ...input, headers: { ...input.headers, ...changeReason(why) } });
  }
}

/** Opens an event stream. Rejects with `ApiError` if it is refused. */
export async function stream(scope: Scope, path: string, headers: Record<string, string>, signal: AbortSignal) {
  const response = await fetch(path, { headers: { ...scopeHeaders(scope), ...headers }, signal, cache: 'no-store' });
  if (!response.ok || response.body === null) await read(response);
  return response.body;
}

async function send(scope: Scope | undefined, operation: Operation, input: Input): Promise<Response> {
  const [method = 'GET', template = ''] = operation.split(' ');
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(input.path?.[name] ?? ''));
  const init: RequestInit = {
    method,
    headers: {
      ...scopeHeaders(scope),
      ...(input.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(input.file === undefined ? {} : { 'Content-Type': input.file.type }),
      ...(method === 'GET' ? {} : { 'X-CSRF-Token': csrfToken }),
      ...input.headers,
    },
    ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    ...(input.file === undefined ? {} : { body: input.file.content }),
    ...(input.signal === undefined ? {} : { signal: input.signal }),
  };
  try {
    const response = await fetch(path + queryText(input.query), init);
    noteReachable(true);
    return response;
  } catch (error) {
    if (input.signal?.aborted === true) throw error;
    noteReachable(false);
    throw new ApiError(0, 'UNREACHABLE', 'The service does not answer. Check that it runs, then try again.');
  }
}

function scopeHeaders(scope: Scope | undefined): Record<string, string> {
  return scope === undefined ? {} : { 'X-Game': scope.game, 'X-Environment': scope.environment };
}

function queryText(query: Input['query'] = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue;
    if (typeof value === 'object') for (const each of value) params.append(name, each);
    else params.append(name, String(value));
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

interface Envelope<T> {
  success?: boolean;
  data?: T;
  error?: { code?: string; message?: string; details?: { fields?: ApiError['fields']; approval_id?: string } };
}

async function read<T>(response: Response, scope?: Scope): Promise<T> {
  let envelope: Envelope<T> | undefined;
  try {
    envelope = await response.json();
  } catch {
    // A proxy answered with a page of its own.
  }
  if (response.ok && envelope?.data !== undefined) return envelope.data;
  const { code = 'UNKNOWN', message = `The service answered ${response.status}.`, details } = envelope?.error ?? {};
  if (response.status === 401 && !response.url.endsWith('/v1/console/sessions')) onSignedOut();
  const waits = details?.approval_id !== undefined && scope !== undefined;
  const waitsAt = waits ? `~/console/${scope.game}/${scope.environment}/approvals` : undefined;
  throw new ApiError(response.status, code, message, details?.fields, waitsAt);
}
