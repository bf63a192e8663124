import type { ErrorBody } from '../src/generated/operations.ts';
import { parseObject } from '../src/wire/json.ts';

/** A code of the service, or why there is no answer of the service. */
export type ServiceErrorCode =
  | ErrorBody['error']['code']
  /** The service could not be reached, or the connection broke. */
  | 'NETWORK_ERROR'
  /** No answer within `timeoutMs`. */
  | 'TIMEOUT'
  /** Something else than the service answered; check `baseUrl`. */
  | 'BAD_ANSWER'
  /** The answer has more than `maxAnswerBytes`. */
  | 'ANSWER_TOO_LONG'
  /** The resource has the ETag of `If-None-Match`. */
  | 'NOT_MODIFIED';

/** One fault of a request. */
export interface FieldFault {
  /** JSON Pointer into the body, or the name of a header or parameter. */
  readonly path: string;
  readonly message: string;
}

interface Facts {
  operation: string;
  status?: number | undefined;
  code: ServiceErrorCode;
  message: string;
  details?: Readonly<Record<string, unknown>> | undefined;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  mayHaveTakenEffect: boolean;
  cause?: unknown;
}

/** A request that failed. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  /** Method and path of the endpoint. */
  readonly operation: string;
  /** HTTP status; undefined without an answer. */
  readonly status: number | undefined;
  readonly code: ServiceErrorCode;
  /** The faults of the request, if the service named any. */
  readonly fields: readonly FieldFault[];
  readonly details: Readonly<Record<string, unknown>>;
  /** For the service's operators. */
  readonly requestId: string | undefined;
  /** How long the service asked to wait. */
  readonly retryAfterMs: number | undefined;
  /** Whether a write may have happened although the request failed. */
  readonly mayHaveTakenEffect: boolean;

  constructor(facts: Facts) {
    super(`${facts.operation}: ${facts.code}: ${facts.message}`, { cause: facts.cause });
    this.operation = facts.operation;
    this.status = facts.status;
    this.code = facts.code;
    this.details = facts.details ?? {};
    this.fields = fieldsOf(this.details['fields']);
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
    this.mayHaveTakenEffect = facts.mayHaveTakenEffect;
  }
}

/** The last error of a request of several attempts, with the first one that may have taken effect: its usual reason. */
export function errorAfter(first: ServiceError, last: ServiceError): ServiceError {
  const { operation, status, code, details, requestId, retryAfterMs } = last;
  const textOf = ({ message }: ServiceError): string => message.slice(operation.length + 2);
  const message = `${textOf(last).slice(code.length + 2)} (An attempt before failed with ${textOf(first)})`;
  const facts = { operation, status, code, message, details, requestId, retryAfterMs };
  return new ServiceError({ ...facts, mayHaveTakenEffect: true, cause: first });
}

/** The error of an answer that is no success. OFREP's failures have their own form. */
export function errorOfAnswer(
  operation: string,
  { status, headers }: { status: number; headers: { get(name: string): string | null } },
  text: string,
  retryAfterMs: number | undefined,
): ServiceError {
  const body = parseObject(text);
  const error = Object(body?.['error']);
  const code: unknown = error.code;
  const isService = typeof code === 'string';
  const ofrep = body?.['errorCode'];
  const why = isService ? error.message : (body?.['errorDetails'] ?? ofrep);
  const details = isService ? Object(error.details) : typeof ofrep === 'string' ? Object(body) : {};
  return new ServiceError({
    operation,
    status,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a newer service may have more codes
    code: (isService ? code : statusCode(status)) as ServiceErrorCode,
    message: typeof why === 'string' ? why : `It answered ${status} without the service's JSON; check \`baseUrl\`.`,
    details,
    requestId: headers.get('X-Request-Id') ?? undefined,
    retryAfterMs,
    mayHaveTakenEffect: status >= 500,
  });
}

/** The code of an answer without one: of a proxy, or in another format. */
function statusCode(status: number): ServiceErrorCode {
  if (status === 429) return 'RATE_LIMIT_EXCEEDED';
  return status >= 500 ? 'SERVICE_UNAVAILABLE' : 'BAD_ANSWER';
}

function fieldsOf(value: unknown): FieldFault[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((field: unknown) => {
    const { path, message } = Object(field);
    return typeof path === 'string' && typeof message === 'string' ? [{ path, message }] : [];
  });
}
