/**
 * The error catalogue: each code with its HTTP status, its default message and its meaning for the documentation.
 * Expected failures are `Failure` values; exceptions are bugs.
 */
export const ERRORS = {
  VALIDATION_ERROR: {
    status: 400,
    message: 'The request is invalid; `details.fields` lists the faults.',
    meaning: 'The body, a parameter or a header breaks the documented schema. `details.fields` lists the faults.',
  },
  UNAUTHORIZED: {
    status: 401,
    message: 'The API key is missing, unknown, revoked or expired. Send a valid key as X-API-Key or as a bearer token.',
    meaning: 'The API key (`X-API-Key` or `Authorization: Bearer`) is missing, unknown, revoked or expired.',
  },
  FORBIDDEN: {
    status: 403,
    message: 'This API key is not allowed to make this request.',
    meaning: 'The key has the wrong kind or lacks a scope, or the player token does not allow the request.',
  },
  NOT_FOUND: {
    status: 404,
    message: 'The path or resource does not exist.',
    meaning: 'The path or the resource does not exist.',
  },
  PLAYER_NOT_FOUND: {
    status: 404,
    message: 'The player does not exist; register it first.',
    meaning: 'The game and environment of the API key have no player with this id.',
  },
  SESSION_NOT_FOUND: {
    status: 404,
    message: 'The session is not open; it ended, expired or never existed.',
    meaning:
      'The player has no open session with this id: it ended, expired or never existed. ' +
      '`details.session_id` names it, `details.suggestion` says how to continue.',
  },
  FLAG_NOT_FOUND: {
    status: 404,
    message: 'The flag does not exist.',
    meaning: 'The game and environment of the API key have no flag with this key, or the flag is archived.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'Method not allowed.',
    meaning: 'The path exists but does not support this method. The `Allow` header lists the supported methods.',
  },
  CONFLICT: {
    status: 409,
    message: 'The Idempotency-Key was used for another request; send a new key.',
    meaning:
      'The Idempotency-Key was used for another request, the key or name is taken, a quota is used up, ' +
      'the resource is in use, a purchase has no exchange rate, the store of its receipt is not set up, its total would ' +
      'be too high, a refund exceeds what remains, or a merge is not possible (merged already, too late, too many ' +
      'guests). The message says which.',
  },
  DUPLICATE_PLAYER: {
    status: 409,
    message: 'A player with this external_id already exists.',
    meaning: 'The request has `If-None-Match: *` and the player already exists.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    message: 'The resource has changed; get it and repeat the change on the current version.',
    meaning: '`If-Match`, or `version` in the body, names a version that is not the current one.',
  },
  PRECONDITION_REQUIRED: {
    status: 428,
    message:
      'A replacement must say which version it replaces. Get the resource, and send its `version` in the body or as If-Match.',
    meaning: 'The request replaces a definition, and has neither `If-Match` nor `version` in the body.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    message: 'The request body is too large.',
    meaning: 'The request body exceeds the documented maximum, counted after decompression.',
  },
  QUERY_TOO_LARGE: {
    status: 422,
    message: 'The query exceeds its bounds; choose a shorter range, fewer steps or a narrower filter.',
    meaning:
      'An analytics query exceeded its time, its memory or the rows that it may read; `details.bound` says which. Choose ' +
      'a shorter range, fewer steps or a narrower filter.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'Content-Type must be application/json in UTF-8. For gzip, also send Content-Encoding: gzip.',
    meaning:
      '`Content-Type` is not `application/json`, its charset is not UTF-8, or `Content-Encoding` is neither `gzip` nor ' +
      '`identity`.',
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    message: 'Too many requests; retry after the seconds in the Retry-After header.',
    meaning:
      'The key exceeds the rate limit of its tier, or this caller uses far more of a shared client key than other callers. ' +
      'Retry after `Retry-After` seconds.',
  },
  INTERNAL_ERROR: {
    status: 500,
    message: 'Internal error. Report it with the request id.',
    meaning: 'A bug in the service. Report it with the value of `X-Request-Id`.',
  },
  MODEL_UNAVAILABLE: {
    status: 503,
    message: 'The scoring model is not available; nothing was stored. Retry once after 30 seconds.',
    meaning: 'The service could not load a model. Nothing was stored. Retry once after 30 seconds.',
    retryAfterSeconds: 30,
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'The service is temporarily unavailable; retry after the seconds in the Retry-After header.',
    meaning:
      'Temporary failure. A write may or may not have taken effect. Retry after `Retry-After` seconds. Send the same ' +
      'Idempotency-Key, if the endpoint accepts one, so that the write counts once.',
  },
} as const satisfies Record<string, ErrorEntry>;

export interface ErrorEntry {
  /** HTTP status. */
  readonly status: number;
  /** Default message. */
  readonly message: string;
  /** Meaning for callers, shown in the OpenAPI document. */
  readonly meaning: string;
  /** Retry-After in seconds; the gateway's default when absent. */
  readonly retryAfterSeconds?: number;
}

export type ErrorCode = keyof typeof ERRORS;

/** Whether a failed command may succeed if it is repeated. It may have been decided already. */
export function isTemporary(code: ErrorCode): boolean {
  return code === 'SERVICE_UNAVAILABLE' || code === 'INTERNAL_ERROR';
}

/** One fault of a request. `path` is a JSON Pointer into the body, or the name of a header or parameter. */
export interface FieldFault {
  path: string;
  message: string;
}

/** An expected failure as a value. Callers see `details`. */
export interface Failure {
  kind: 'failure';
  code: ErrorCode;
  message?: string;
  details?: Record<string, unknown>;
}

/** Creates a failure. Without a message, callers see the default message of the code. */
export function failure(code: ErrorCode, message?: string, details?: Record<string, unknown>): Failure {
  return {
    kind: 'failure',
    code,
    ...(message === undefined ? {} : { message }),
    ...(details === undefined ? {} : { details }),
  };
}

export function isFailure(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'failure';
}
