import { isBlank, platformName } from '../../../core/vocabulary/state/platform.ts';
import { GAME_API_LIMITS } from './limits.ts';

/**
 * A field of a device from a foreign document, a number as its text; undefined for blanks and for what no init could
 * have sent.
 */
export function deviceText(value: unknown): string | undefined {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  const isField = typeof text === 'string' && !isBlank(text) && text.length <= GAME_API_LIMITS.deviceFieldLength;
  return isField && text.isWellFormed() && !text.includes('\u0000') ? text : undefined;
}

/** The stored name of a platform that a foreign document names. */
export function devicePlatform(value: unknown): string | undefined {
  const text = deviceText(value);
  return text === undefined ? undefined : platformName(text);
}
