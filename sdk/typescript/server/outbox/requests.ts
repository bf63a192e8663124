import { createBackoff } from '../../src/wire/backoff.ts';
import { parseObject } from '../../src/wire/json.ts';
import { serverTime, waitOf } from '../../src/wire/service-answer.ts';
import { LongAnswerError, textOfAnswer } from '../answer-text.ts';
import { ENDPOINTS } from '../generated/endpoints.ts';
import type { CallOptions, FullAnswer, OperationInput, OperationName, StreamName } from '../operation-types.ts';
import type { ListBody } from '../player-list.ts';
import { linkedAborter, pause, type ServerAnswer, type ServerPlatform } from '../server-platform.ts';
import { errorAfter, errorOfAnswer, ServiceError } from '../service-error.ts';

/*
 * Sends requests to the endpoints of the service.
 *
 * Invariants
 * 1. A request is repeated only if that cannot count twice: it only reads, it has an Idempotency-Key, which is the same
 *    for all attempts, or the service refused it for its rate. A list that is sent again replaces itself.
 * 2. A redirect is never followed: the key must not reach another host.
 * 3. An answer takes a bounded part of the memory.
 */
export interface Requests {
  /** Rejects with a `ServiceError`, or with the reason of the caller's signal. */
  send<K extends OperationName>(operation: K, input: OperationInput<K> & CallOptions): Promise<FullAnswer<K>>;
  /** The same with a body that is JSON text already. One attempt. */
  post<K extends OperationName>(operation: K, text: string, options: CallOptions): Promise<FullAnswer<K>>;
  /**
   * The same with a body that is sent while it is read. `timeoutMs` is the time without progress. If the source of the
   * body fails, it rejects with that error.
   */
  upload<K extends OperationName>(operation: K, body: ListBody, input: UploadInput): Promise<FullAnswer<K>>;
  /** Opens a stream; resolves when the service has answered 200. It ends with the signal. */
  open<K extends StreamName>(operation: K, input: OperationInput<K> & CallOptions): Promise<AsyncIterable<Uint8Array>>;
}

export interface UploadInput extends Omit<CallOptions, 'idempotencyKey'> {
  readonly path?: object;
  readonly query?: object;
}

export interface RequestsOptions {
  baseUrl: string;
  key: string;
  timeoutMs: number;
  retries: number;
  longestWaitMs: number;
  maxAnswerBytes: number;
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
  upload?: ListBody;
}

interface Prepared {
  operation: OperationName;
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
  upload?: ListBody;
}

const JSON_TYPE = 'application/json';
/** The wait after a first failure. */
const FIRST_WAIT_MS = 200;
/** The same for an upload: until the service has noticed the end of a broken one, it refuses the next one. */
const FIRST_UPLOAD_WAIT_MS = 1_000;

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
    // The body of one endpoint is no JSON: a list of players.
    const isText = typeof body === 'string';
    const text = parts.text ?? (isText ? body : body === undefined ? undefined : JSON.stringify(body));
    if (text !== undefined) {
      headers['Content-Type'] = (isText ? headers['Content-Type'] : undefined) ?? (isText ? 'text/csv' : JSON_TYPE);
      prepared.body = text;
    }
    if (parts.upload !== undefined) {
      headers['Content-Type'] = parts.upload.contentType;
      prepared.upload = parts.upload;
    }
    return prepared;
  }

  /** One attempt. */
  async function attempt<T>(
    { operation, url, method, headers, body, upload }: Prepared,
    { signal, timeoutMs = options.timeoutMs }: Parts,
    read: (answer: ServerAnswer) => Promise<T>,
    isStream = false,
  ): Promise<T> {
    signal?.throwIfAborted();
    const aborter = linkedAborter(signal);
    let isLate = false;
    let isOpen = false;
    const startTimer = () =>
      platform.setTimer(() => {
        isLate = true;
        aborter.abort();
      }, timeoutMs);
    let cancelTimer = startTimer();
    const sending =
      upload &&
      watched(upload.open(), () => {
        cancelTimer();
        cancelTimer = startTimer();
      });
    try {
      const request = { method, headers, redirect: 'manual', signal: aborter.signal } as const;
      const sent =
        sending === undefined
          ? body === undefined
            ? {}
            : { body }
          : { body: sending.chunks, duplex: 'half' as const };
      const result = await read(await platform.fetch(url, { ...request, ...sent }));
      // A stream ends with the caller's signal.
      isOpen = isStream;
      return result;
    } catch (cause) {
      if (signal?.aborted === true) throw signal.reason;
      if (sending?.fault !== undefined) throw sending.fault.error;
      if (cause instanceof ServiceError) throw cause;
      throw new ServiceError({
        operation,
        code: isLate ? 'TIMEOUT' : 'NETWORK_ERROR',
        message: isLate ? `There was no answer within ${timeoutMs} ms.` : `The request failed: ${causeOf(cause)}`,
        mayHaveTakenEffect: true,
        cause,
      });
    } finally {
      cancelTimer();
      // The service answered before the end of the body: the rest is not sent.
      if (sending?.isDone === false) {
        aborter.abort();
        sending.chunks.return().catch(() => {});
      }
      if (!isOpen) aborter.release();
    }
  }

  async function repeated<T>(
    run: () => Promise<T>,
    { retries = options.retries, signal }: Parts,
    firstWaitMs: number,
    mayRepeat: (error: ServiceError) => boolean,
  ): Promise<T> {
    const backoff = createBackoff(platform.random, firstWaitMs);
    for (let left = retries; ; left--) {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof ServiceError) || left <= 0 || !mayRepeat(error)) throw error;
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

  /** The text of an answer, within its bound. */
  async function textOf(operation: OperationName, answer: ServerAnswer): Promise<string> {
    try {
      return await textOfAnswer(answer, options.maxAnswerBytes);
    } catch (cause) {
      if (!(cause instanceof LongAnswerError)) throw cause;
      const { status, headers } = answer;
      throw new ServiceError({
        operation,
        status,
        code: 'ANSWER_TOO_LONG',
        message: `${cause.message} Ask for less, or raise \`maxAnswerBytes\`.`,
        requestId: headers.get('X-Request-Id') ?? undefined,
        mayHaveTakenEffect: status < 400 || status >= 500,
        cause,
      });
    }
  }

  function readData<K extends OperationName>(operation: K) {
    return async (answer: ServerAnswer): Promise<FullAnswer<K>> => {
      const text = await textOf(operation, answer);
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
  }

  function sent<K extends OperationName>(operation: K, parts: Parts): Promise<FullAnswer<K>> {
    const prepared = prepare(operation, parts);
    const run = () => attempt(prepared, parts, readData(operation));
    return repeated(run, parts, FIRST_WAIT_MS, (error) => mayRepeat(operation, error));
  }

  function uploaded<K extends OperationName>(
    operation: K,
    upload: ListBody,
    input: UploadInput,
  ): Promise<FullAnswer<K>> {
    const parts = { ...input, upload };
    const prepared = prepare(operation, parts);
    /** The error of the first attempt that the service may have taken. */
    let unclear: ServiceError | undefined;
    const run = async (): Promise<FullAnswer<K>> => {
      try {
        return await attempt(prepared, parts, readData(operation));
      } catch (error) {
        throw error instanceof ServiceError && unclear !== undefined ? errorAfter(unclear, error) : error;
      }
    };
    return repeated(run, parts, FIRST_UPLOAD_WAIT_MS, (error) => {
      if (!upload.isRepeatable) return false;
      // The service may still be busy with the attempt before, whose connection broke.
      if (error.status === 409) return unclear !== undefined;
      if (error.status === undefined) unclear ??= error;
      return error.status === 429 || isTemporary(error);
    });
  }

  return {
    // Also for faults of the arguments, which are found at once.
    send: async (operation, input) => sent(operation, input),
    post: async (operation, text, options) => sent(operation, { ...options, text, retries: 0 }),
    upload: async (operation, body, input) => uploaded(operation, body, input),
    open(operation, input) {
      const read = async (answer: ServerAnswer) => {
        if (answer.status !== 200) throw errorOf(operation, answer, await textOf(operation, answer));
        if (answer.body === null) throw errorOf(operation, answer, '');
        return answer.body;
      };
      return attempt(prepare(operation, input), input, read, true);
    },
  };
}

/** `fetch` says why it failed in the cause of its error. */
function causeOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? causeOf(error.cause) : String(error);
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

function mayRepeat(operation: OperationName, error: ServiceError): boolean {
  return error.status === 429 || (isTemporary(error) && ENDPOINTS[operation].repeats !== 'never');
}

function isTemporary({ status, code }: ServiceError): boolean {
  return status === undefined || status >= 500 || (code === 'BAD_ANSWER' && status < 400);
}

/** A body as it is sent. */
interface Sending {
  readonly chunks: AsyncGenerator<Uint8Array, void>;
  /** Whether all of it was taken. */
  isDone: boolean;
  /** What went wrong at its source. */
  fault?: { error: unknown };
}

/** @param onChunk called when a chunk is taken */
function watched(source: AsyncIterable<Uint8Array>, onChunk: () => void): Sending {
  async function* read(): AsyncGenerator<Uint8Array, void> {
    try {
      for await (const chunk of source) {
        onChunk();
        yield chunk;
      }
      onChunk();
      sending.isDone = true;
    } catch (error) {
      sending.fault = { error };
      throw error;
    }
  }
  const sending: Sending = { chunks: read(), isDone: false };
  return sending;
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
