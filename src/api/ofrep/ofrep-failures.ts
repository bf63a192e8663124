import { Type } from 'typebox';
import { ERRORS, type Failure } from '../../../core/kernel/errors.ts';
import type { TextAnswer } from '../route/answer.ts';
import { isPlainObject } from '../../../core/kernel/validation/plain-object.ts';
import type { FailureDocs } from '../route/route.ts';
import { oneOf } from '../input/fields.ts';

/* Failures in the format of OFREP. */

const CODES = ['FLAG_NOT_FOUND', 'TARGETING_KEY_MISSING', 'INVALID_CONTEXT', 'PARSE_ERROR', 'GENERAL'] as const;
export type OfrepCode = (typeof CODES)[number];

/**
 * Failures in the format of OFREP: no envelope, OpenFeature's error codes, and the flag's key in a single evaluation.
 */
export const ofrepFailures: FailureDocs = {
  schema: Type.Object(
    {
      key: Type.Optional(Type.String({ description: 'Key of the flag, in a single evaluation.' })),
      errorCode: oneOf(CODES, "OpenFeature's error code."),
      errorDetails: Type.Optional(Type.String({ description: 'Explanation for people.' })),
    },
    { description: 'A failed evaluation of OFREP.' },
  ),
  toAnswer(failure, { key }) {
    const { status, message } = ERRORS[failure.code];
    const code = codeOf(failure);
    // OFREP uses 404 for flags only; an unknown player is a fault of the context.
    return ofrepFailure(code === 'INVALID_CONTEXT' ? 400 : status, code, failure.message ?? message, key);
  },
};

/** A failure in the format of OFREP. @param key key of the flag, in a single evaluation */
export function ofrepFailure(status: number, errorCode: OfrepCode, errorDetails: string, key?: string): TextAnswer {
  const body = JSON.stringify({ ...(key === undefined ? {} : { key }), errorCode, errorDetails });
  return { kind: 'text', status, contentType: 'application/json', body };
}

function codeOf(failure: Failure): OfrepCode {
  if (failure.code === 'FLAG_NOT_FOUND') return 'FLAG_NOT_FOUND';
  if (failure.code === 'PLAYER_NOT_FOUND') return 'INVALID_CONTEXT';
  return failure.code === 'VALIDATION_ERROR' ? ofPath(firstPath(failure)) : 'GENERAL';
}

function ofPath(path: string): OfrepCode {
  if (path === '') return 'PARSE_ERROR';
  return path.startsWith('/context') ? 'INVALID_CONTEXT' : 'GENERAL';
}

/** Path of the first fault of an invalid body. */
function firstPath({ details }: Failure): string {
  const fields = details?.['fields'];
  const first: unknown = Array.isArray(fields) ? fields[0] : undefined;
  return isPlainObject(first) && typeof first['path'] === 'string' ? first['path'] : '';
}
