import type { Failure } from '../../../core/kernel/errors.ts';
import type { LiveRequest } from '../../../streams/live-feed.ts';
import type { ChangesRequest } from '../flags/evaluate/changes-request.ts';

/** The response of a route. The gateway adds the envelope and writes it to the connection. */
export type Answer = JsonAnswer | TextAnswer | Failure;

/** A stream to open instead of a response. */
export type StreamOutcome = { kind: 'stream'; request: LiveRequest } | { kind: 'changes'; request: ChangesRequest };

export type Outcome = Answer | StreamOutcome;

/** Headers by name. A list is sent as several headers, as cookies must be. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** A success. `data` is JSON text, so documents held as text are inserted without parsing them. */
export interface JsonAnswer {
  kind: 'json';
  status: 200 | 201;
  data: string;
  /** Whether it repeats an earlier response; sets `Idempotent-Replayed: true`. */
  replayed: boolean;
  /** Version of the resource, sent as a strong ETag. */
  etag?: number;
  /** Everything accepted before this time is in the answer, sent as X-Fresh-As-Of; epoch milliseconds. */
  freshAsOf?: number | undefined;
  /** Further headers. */
  headers?: Headers;
}

/** A response without the envelope: metrics, the OpenAPI document and third-party protocols. */
export interface TextAnswer {
  kind: 'text';
  /** Default: 200. */
  status?: number;
  /** Undefined if there is no body. */
  contentType: string | undefined;
  body: string | Uint8Array;
  /** Further headers. List non-standard ones in RESPONSE_HEADERS too, so that browsers may read them. */
  headers?: Headers;
}

/** A success with the given JSON text as its `data`. */
export function answer(
  data: string,
  { status = 200, replayed = false, etag, headers }: AnswerOptions = {},
): JsonAnswer {
  return {
    kind: 'json',
    status,
    data,
    replayed,
    ...(etag === undefined ? {} : { etag }),
    ...(headers === undefined ? {} : { headers }),
  };
}

/** A success with the given value as its `data`. */
export function jsonAnswer(data: object, options?: AnswerOptions): JsonAnswer {
  return answer(JSON.stringify(data), options);
}

type AnswerOptions = Partial<Pick<JsonAnswer, 'status' | 'replayed' | 'etag' | 'headers'>>;
