import type { Failure } from '../../../core/kernel/errors.ts';
import { jsonText, type JsonText } from '../../../core/kernel/text/json.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { invalid } from '../route/route.ts';

/**
 * Serializes a caller's free-form object. Commands, facts and sinks carry the text unparsed.
 * @returns undefined if the text exceeds `documentBytes` bytes of UTF-8
 */
export function documentText(value: Record<string, unknown>): JsonText | undefined {
  const text = jsonText(value);
  // A UTF-16 code unit takes at most 3 bytes of UTF-8, so only texts near the limit are measured.
  if (text.length * 3 <= TEXT_LIMITS.documentBytes) return text;
  return Buffer.byteLength(text) <= TEXT_LIMITS.documentBytes ? text : undefined;
}

/** The failure for a free-form object that is too large. @param path JSON Pointer into the body */
export function documentTooLarge(path: string): Failure {
  return invalid([{ path, message: `must be at most ${TEXT_LIMITS.documentBytes} bytes as JSON` }]);
}
