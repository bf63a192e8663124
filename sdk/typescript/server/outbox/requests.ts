import { parseObject } from '../../src/wire/json.ts';
import { serverTime, waitOf } from '../../src/wire/service-answer.ts';
import { LongAnswerError, textOfAnswer } from '../answer-text.ts';
import { ENDPOINTS } from '../generated/endpoints.ts';
import type { CallOptions, FullAnswer, OperationInput, OperationName, StreamName } from '../operation-types.ts';
import type { ListBody } from '../player-list.ts';
import type { ServerAnswer } from '../server-platform.ts';
import { errorAfter, errorOfAnswer, ServiceError } from '../service-error.ts';
import { attempt, type Parts, prepare, repeated, type RequestsOptions } from './attempts.ts';

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

/** The wait after a first failure. */
const FIRST_WAIT_MS = 200;
/** The same for an upload: until the service has noticed the end of a broken one, it refuses the next one. */
const FIRST_UPLOAD_WAIT_MS = 1_000;

export function createRequests(options: RequestsOptions): Requests {
  const { platform } = options;

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
    const prepared = prepare(options, operation, parts);
    const run = () => attempt(options, prepared, parts, readData(operation));
    return repeated(options, run, parts, FIRST_WAIT_MS, (error) => mayRepeat(operation, error));
  }

  function uploaded<K extends OperationName>(
    operation: K,
    upload: ListBody,
    input: UploadInput,
  ): Promise<FullAnswer<K>> {
    const parts = { ...input, upload };
    const prepared = prepare(options, operation, parts);
    /** The error of the first attempt that the service may have taken. */
    let unclear: ServiceError | undefined;
    const run = async (): Promise<FullAnswer<K>> => {
      try {
        return await attempt(options, prepared, parts, readData(operation));
      } catch (error) {
        throw error instanceof ServiceError && unclear !== undefined ? errorAfter(unclear, error) : error;
      }
    };
    return repeated(options, run, parts, FIRST_UPLOAD_WAIT_MS, (error) => {
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
      return attempt(options, prepare(options, operation, input), input, read, true);
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

function mayRepeat(operation: OperationName, error: ServiceError): boolean {
  return error.status === 429 || (isTemporary(error) && ENDPOINTS[operation].repeats !== 'never');
}

function isTemporary({ status, code }: ServiceError): boolean {
  return status === undefined || status >= 500 || (code === 'BAD_ANSWER' && status < 400);
}
