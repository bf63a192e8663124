import { createBackoff } from '../../src/wire/backoff.ts';
import { ENDPOINTS } from '../generated/endpoints.ts';
import type { CallOptions, OperationName } from '../operation-types.ts';
import type { ListBody } from '../player-list.ts';
import { linkedAborter, pause, type ServerAnswer, type ServerPlatform } from '../server-platform.ts';
import { ServiceError } from '../service-error.ts';

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
export interface Parts extends CallOptions {
  path?: object | undefined;
  query?: object | undefined;
  header?: object | undefined;
  body?: unknown;
  /** JSON text instead of `body`. */
  text?: string;
  upload?: ListBody;
}

export interface Prepared {
  operation: OperationName;
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
  upload?: ListBody;
}

const JSON_TYPE = 'application/json';
/** @throws a `TypeError` for faults of the arguments */
export function prepare({ baseUrl, key, platform }: RequestsOptions, operation: OperationName, parts: Parts): Prepared {
  const { path, query, header, body, idempotencyKey } = parts;
  const [method = '', template = ''] = operation.split(' ');
  const headers: Record<string, string> = { 'X-API-Key': key };
  for (const [name, value] of Object.entries(header ?? {})) if (value !== undefined) headers[name] = String(value);
  const prepared: Prepared = {
    operation,
    method,
    headers,
    url: baseUrl.replace(/\/+$/, '') + pathOf(operation, template, path, query),
  };
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
export async function attempt<T>(
  options: RequestsOptions,
  { operation, url, method, headers, body, upload }: Prepared,
  { signal, timeoutMs = options.timeoutMs }: Parts,
  read: (answer: ServerAnswer) => Promise<T>,
  isStream = false,
): Promise<T> {
  const { platform } = options;
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
      sending === undefined ? (body === undefined ? {} : { body }) : { body: sending.chunks, duplex: 'half' as const };
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

/** Runs attempts until one succeeds, the caller's retries are used up, or the service asks for a longer wait. */
export async function repeated<T>(
  options: RequestsOptions,
  run: () => Promise<T>,
  { retries = options.retries, signal }: Parts,
  firstWaitMs: number,
  mayRepeat: (error: ServiceError) => boolean,
): Promise<T> {
  const { platform } = options;
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

/** `fetch` says why it failed in the cause of its error. */
function causeOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? causeOf(error.cause) : String(error);
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
