import { createBackoff } from '../src/backoff.ts';
import { parseObject } from '../src/json.ts';
import { serverTime, waitOf } from '../src/service-answer.ts';
import { ENDPOINTS } from './generated/endpoints.ts';
import type { CallOptions, FullAnswer, OperationInput, OperationName, StreamName } from './operation-types.ts';
import { linkedAborter, pause, type ServerAnswer, type ServerPlatform } from './server-platform.ts';
import { errorOfAnswer, ServiceError } from './service-error.ts';

/*
 * Sends requests to the endpoints of the service.
 *
 * Invariants
 * 1. A request is repeated only if that cannot count twice: it only reads, it has an Idempotency-Key, which is the same
 *    for all attempts, or the service refused it for its rate.
 * 2. A redirect is never followed: the key must not reach another host.
 */
export interface Requests {
  /** Rejects with a `ServiceError`, or with the reason of the caller's signal. */
  send<K extends OperationName>(operation: K, input: OperationInput<K> & CallOptions): Promise<FullAnswer<K>>;
  /** The same with a body that is JSON text already. One attempt. */
  post<K extends OperationName>(operation: K, text: string, options: CallOptions): Promise<FullAnswer<K>>;
  /** Opens a stream; resolves when the service has answered 200. It ends with the signal. */
  open<K extends StreamName>(operation: K, input: OperationInput<K> & CallOptions): Promise<AsyncIterable<Uint8Array>>;
}

export interface RequestsOptions {
  baseUrl: string;
  key: string;
  timeoutMs: number;
  retries: number;
  longestWaitMs: number;
  platform: ServerPlatform;
}

/** The parts of a request, without the types of its endpoint. */
interface Parts extends CallOptions {
  path?: object | undefined;
  query?: object | undefined;
  header?: object | undefined;
  body?: unknown;
  /** JSON text instead of `body`. */
  text?: string;
}

interface Prepared {
  operation: OperationName;
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
}

/** The wait after a first failure. */
const FIRST_WAIT_MS = 200;

export function createRequests(options: RequestsOptions): Requests {
  const { key, platform } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');

  function prepare(operation: OperationName, parts: Parts): Prepared {
    const { path, query, header, body, idempotencyKey } = parts;
    const [method = '', template = ''] = operation.split(' ');
    const headers: Record<string, string> = { 'X-API-Key': key };
    for (const [name, value] of Object.entries(header ?? {})) if (value !== undefined) headers[name] = String(value);
    const prepared: Prepared = { operation, method, headers, url: baseUrl + pathOf(operation, template, path, query) };
    if (ENDPOINTS[operation].repeats === 'key') headers['Idempotency-Key'] = idempotencyKey ?? platform.newId();
    const text = parts.text ?? (body === undefined ? undefined : JSON.stringify(body));
    if (text !== undefined) {
      headers['Content-Type'] = 'application/json';
      prepared.body = text;
    }
    return prepared;
  }

  /** One attempt. */
  async function attempt<T>(
    { operation, url, method, headers, body }: Prepared,
    { signal, timeoutMs = options.timeoutMs }: Parts,
    read: (answer: ServerAnswer) => Promise<T>,
    isStream = false,
  ): Promise<T> {
    signal?.throwIfAborted();
    const aborter = linkedAborter(signal);
    let isLate = false;
    let isOpen = false;
    const cancelTimer = platform.setTimer(() => {
      isLate = true;
      aborter.abort();
    }, timeoutMs);
    try {
      const request = { method, headers, redirect: 'manual', signal: aborter.signal } as const;
      const result = await read(await platform.fetch(url, body === undefined ? request : { ...request, body }));
      // A stream ends with the caller's signal.
      isOpen = isStream;
      return result;
    } catch (cause) {
      if (signal?.aborted === true) throw signal.reason;
      if (cause instanceof ServiceError) throw cause;
      throw new ServiceError({
        operation,
        code: isLate ? 'TIMEOUT' : 'NETWORK_ERROR',
        message: isLate ? `There was no answer within ${timeoutMs} ms.` : `The request failed: ${String(cause)}`,
        mayHaveTakenEffect: true,
        cause,
      });
    } finally {
      cancelTimer();
      if (!isOpen) aborter.release();
    }
  }

  async function repeated<T>(run: () => Promise<T>, operation: OperationName, input: Parts): Promise<T> {
    const { retries = options.retries, signal } = input;
    const backoff = createBackoff(platform.random, FIRST_WAIT_MS);
    for (let left = retries; ; left--) {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof ServiceError) || left <= 0 || !mayRepeat(operation, error)) throw error;
        const nowMs = platform.steadyMs();
        backoff.failed(nowMs, error.retryAfterMs);
        const waitMs = backoff.untilMs - nowMs;
        if (waitMs > options.longestWaitMs) throw error;
        await pause(waitMs, platform, signal, true);
      }
    }
  }

  function errorOf(operation: OperationName, answer: ServerAnswer, text: string): ServiceError {
    const { headers } = answer;
    const retryAfterMs = waitOf(headers.get('Retry-After'), serverTime(headers) ?? platform.wallMs());
    return errorOfAnswer(operation, answer, text, retryAfterMs);
  }

  function sent<K extends OperationName>(operation: K, parts: Parts): Promise<FullAnswer<K>> {
    const prepared = prepare(operation, parts);
    const read = async (answer: ServerAnswer): Promise<FullAnswer<K>> => {
      const text = await answer.text();
      const { status, headers } = answer;
      if (status === 304) throw notModified(operation, headers);
      const data = status >= 200 && status < 300 ? dataOf(operation, text) : undefined;
      if (data === undefined) throw errorOf(operation, answer, text);
      return {
        status,
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of the route says so
        data: data.value as FullAnswer<K>['data'],
        etag: headers.get('ETag') ?? undefined,
        requestId: headers.get('X-Request-Id') ?? undefined,
        replayed: headers.get('Idempotent-Replayed') === 'true',
      };
    };
    return repeated(() => attempt(prepared, parts, read), operation, parts);
  }

  return {
    // Also for faults of the arguments, which are found at once.
    send: async (operation, input) => sent(operation, input),
    post: async (operation, text, options) => sent(operation, { ...options, text, retries: 0 }),
    open(operation, input) {
      const read = async (answer: ServerAnswer) => {
        if (answer.status !== 200) throw errorOf(operation, answer, await answer.text());
        if (answer.body === null) throw errorOf(operation, answer, '');
        return answer.body;
      };
      return attempt(prepare(operation, input), input, read, true);
    },
  };
}

function notModified(operation: OperationName, headers: ServerAnswer['headers']): ServiceError {
  return new ServiceError({
    operation,
    status: 304,
    code: 'NOT_MODIFIED',
    message: 'It has the ETag of `If-None-Match`.',
    requestId: headers.get('X-Request-Id') ?? undefined,
    mayHaveTakenEffect: false,
  });
}

/** The data of a success; undefined if the body is not the service's. */
function dataOf(operation: OperationName, text: string): { value: unknown } | undefined {
  const { answers } = ENDPOINTS[operation];
  if (answers === 'text' || answers === 'stream') return { value: text };
  const body = parseObject(text);
  if (answers === 'json') return body && { value: body };
  return body?.['success'] === true ? { value: body['data'] } : undefined;
}

function mayRepeat(operation: OperationName, { status, code }: ServiceError): boolean {
  if (status === 429) return true;
  const isTemporary = status === undefined || status >= 500 || (code === 'BAD_ANSWER' && status < 400);
  return isTemporary && ENDPOINTS[operation].repeats !== 'never';
}

function pathOf(operation: string, template: string, path: object | undefined, query: object | undefined): string {
  const values = new Map(Object.entries(path ?? {}));
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values.get(name);
    const text = value === undefined ? '' : String(value);
    // Without a segment of its own the address would be that of another endpoint.
    if (text === '' || text === '.' || text === '..') throw new TypeError(`${operation}: \`path.${name}\` is missing.`);
    return encodeURIComponent(text);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) search.append(name, String(each));
  }
  const text = search.toString();
  return text === '' ? filled : `${filled}?${text}`;
}
