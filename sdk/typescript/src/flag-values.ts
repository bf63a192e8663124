import type { FlagState } from './answers.ts';

/** The served value, or the fallback: without a value, and for one of another type than the fallback. Null fits all. */
export function servedOr(fallback: unknown, { value }: Partial<FlagState> = {}): unknown {
  return fallback === null || typeOf(value) === typeOf(fallback) ? (value ?? fallback) : fallback;
}

/** Tells arrays from other objects. */
function typeOf(value: unknown): string {
  return {}.toString.call(value);
}

/** What an exposure names, so that it counts what the player saw and not what was served meanwhile. */
export function shownVariant({ variant, value, reason }: Partial<FlagState> = {}): unknown {
  return variant ?? (typeof value === 'boolean' && reason !== 'flag_disabled' ? value : undefined);
}
