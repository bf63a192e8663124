import { failure, type Failure } from '../kernel/errors.ts';
import type { JsonText } from '../kernel/json.ts';
import { LIMITS } from '../kernel/limits.ts';

/**
 * The JSON text of a caller's free-form object, as it travels from here to every sink.
 * @returns undefined when the text is over the documented size in bytes of UTF-8
 */
export function documentText(value: Record<string, unknown>): JsonText | undefined {
  const text = JSON.stringify(value);
  // A UTF-16 code unit takes at most three bytes of UTF-8: only texts near the limit are measured.
  if (text.length * 3 <= LIMITS.documentBytes) return text;
  return Buffer.byteLength(text) <= LIMITS.documentBytes ? text : undefined;
}

/** The failure for a free-form object that is too large. @param path JSON Pointer into the body */
export function documentTooLarge(path: string): Failure {
  const message = `must be at most ${LIMITS.documentBytes} bytes as JSON`;
  return failure('VALIDATION_ERROR', `${path.slice(1)} ${message}.`, { fields: [{ path, message }] });
}
