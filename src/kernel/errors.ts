/**
 * The whole error catalogue: every code the service answers with, its HTTP status, the message used when nothing more
 * specific is known, and what it means to a caller. Expected failures travel as `Failure` values; exceptions are bugs.
 */
export const ERRORS = {
  VALIDATION_ERROR: {
    status: 400,
    message: 'The request is not valid.',
    meaning: 'The body, a parameter or a header breaks the documented shape; `details.fields` names each fault.',
  },
  UNAUTHORIZED: {
    status: 401,
    message: 'A valid API key is required, as X-API-Key or as a bearer token.',
    meaning: 'The API key (X-API-Key, or Authorization: Bearer) is missing, unknown or revoked.',
  },
  FORBIDDEN: {
    status: 403,
    message: 'This API key may not do that.',
    meaning: 'The key is of the wrong kind for this endpoint, or lacks a scope.',
  },
  NOT_FOUND: { status: 404, message: 'There is nothing here.', meaning: 'No such path, or no such resource.' },
  PLAYER_NOT_FOUND: {
    status: 404,
    message: 'The player does not exist.',
    meaning: 'No player with that id in the game and environment of the API key.',
  },
  SESSION_NOT_FOUND: {
    status: 404,
    message: 'The session is not open.',
    meaning:
      'No open session of the player with that id: it ended, expired, or never was. `details` names it and what to do.',
  },
  FLAG_NOT_FOUND: {
    status: 404,
    message: 'The flag does not exist.',
    meaning: 'No flag with that key in the game and environment of the API key, or it was archived.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'This path does not take that method.',
    meaning: 'The path exists; the Allow header lists its methods.',
  },
  CONFLICT: {
    status: 409,
    message: 'The request conflicts with an earlier one.',
    meaning:
      'An Idempotency-Key was used before with another body, a name is taken, or what is to be deleted is in use.',
  },
  DUPLICATE_PLAYER: {
    status: 409,
    message: 'A player with that external_id exists.',
    meaning: 'Register with If-None-Match: * found the player already there.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    message: 'The resource has changed.',
    meaning: 'If-Match named another version than the current one.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    message: 'The body is too large.',
    meaning: 'The request body is over the documented size.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'The body must be application/json.',
    meaning:
      'Content-Type is not application/json, its charset is not UTF-8, or Content-Encoding is neither gzip nor identity.',
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    message: 'Too many requests.',
    meaning:
      'The key has used up its tier, or this caller uses far more of a client key than others do. Retry after `Retry-After` seconds.',
  },
  INTERNAL_ERROR: {
    status: 500,
    message: 'Something went wrong on our side.',
    meaning: 'A bug; quote the request id.',
  },
  MODEL_UNAVAILABLE: {
    status: 503,
    message: 'The scoring model is not available.',
    meaning: 'No model could be loaded; nothing was stored. Retry once, after 30 seconds.',
    retryAfterSeconds: 30,
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'The service cannot answer just now.',
    meaning:
      'Whether the write took effect is not known; retry after Retry-After, with an Idempotency-Key to be sure it counts once.',
  },
} as const satisfies Record<string, ErrorEntry>;

export interface ErrorEntry {
  /** HTTP status. */
  readonly status: number;
  /** Default message. */
  readonly message: string;
  /** What it means to a caller, for the documentation. */
  readonly meaning: string;
  /** When a caller should come again, where that is not soon. */
  readonly retryAfterSeconds?: number;
}

export type ErrorCode = keyof typeof ERRORS;

/** One fault of a request: `path` is a JSON Pointer into the body, or the name of a header or parameter. */
export interface FieldFault {
  path: string;
  message: string;
}

/** An expected failure, as a value. `details` is shown to the caller. */
export interface Failure {
  kind: 'failure';
  code: ErrorCode;
  message?: string;
  details?: Record<string, unknown>;
}

/** Makes a failure value. */
export function failure(code: ErrorCode, message?: string, details?: Record<string, unknown>): Failure {
  return {
    kind: 'failure',
    code,
    ...(message === undefined ? {} : { message }),
    ...(details === undefined ? {} : { details }),
  };
}
