import type { Failure } from '../../../core/kernel/errors.ts';
import type { JsonText } from '../../../core/kernel/text/json.ts';
import { LIMITS } from '../../../core/kernel/limits.ts';
import { invalid } from '../route/route.ts';

/**
 * Serializes a caller's free-form object. Commands, facts and sinks carry the text unparsed.
 * @returns undefined if the text exceeds `LIMITS.documentBytes` bytes of UTF-8
 */
export function documentText(value: Record<string, unknown>): JsonText | undefined {
  const text = JSON.stringify(value);
  // A UTF-16 code unit takes at most 3 bytes of UTF-8, so only texts near the limit are measured.
  if (text.length * 3 <= LIMITS.documentBytes) return text;
  return Buffer.byteLength(text) <= LIMITS.documentBytes ? text : undefined;
}

/** The failure for a free-form object that is too large. @param path JSON Pointer into the body */
export function documentTooLarge(path: string): Failure {
  return invalid([{ path, message: `must be at most ${LIMITS.documentBytes} bytes as JSON` }]);
}
