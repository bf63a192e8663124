import type { FlagState } from './answers.ts';

/**
 * The served value, or the fallback: without a value, and for one of another type than the fallback. Null fits all.
 * A copy: what the game does with it changes nothing here.
 */
export function servedOr(fallback: unknown, { value }: Partial<FlagState> = {}): unknown {
  if (value === undefined || value === null) return fallback;
  if (fallback !== null && typeOf(value) !== typeOf(fallback)) return fallback;
  return typeof value === 'object' ? JSON.parse(JSON.stringify(value)) : value;
}

/** Why `servedOr` gives the fallback although the game asked for something; undefined if nothing is wrong. */
export function flagFault(key: string, fallback: unknown, flag: FlagState | undefined): string | undefined {
  if (flag === undefined) {
    return `Flag "${key}" is not known: misspelt, archived, for servers only, or not among \`flags\`.`;
  }
  const { value } = flag;
  if (value === undefined || value === null || fallback === null || typeOf(value) === typeOf(fallback))
    return undefined;
  return `Flag "${key}" serves ${typeOf(value)}, the fallback is ${typeOf(fallback)}: the game gets the fallback.`;
}

/** Tells arrays from other objects. */
function typeOf(value: unknown): string {
  return {}.toString.call(value).slice(8, -1);
}

/** What an exposure names, so that it counts what the player saw and not what was served meanwhile. */
export function shownVariant({ variant, value, reason }: Partial<FlagState> = {}): unknown {
  return variant ?? (typeof value === 'boolean' && reason !== 'flag_disabled' ? value : undefined);
}

/** The exposures of a client, so that each counts once per variant and period of the flag. */
export function createExposures() {
  const last = new Map<string, string>();
  return {
    /** Whether the player has not been exposed to the flag as it is now. */
    isNew: (key: string, flag: FlagState | undefined) => flag === undefined || last.get(key) !== shownIn(flag),
    add(key: string, flag: FlagState | undefined) {
      if (flag !== undefined) last.set(key, shownIn(flag));
    },
    forget: () => last.clear(),
  };
}

function shownIn(flag: FlagState): string {
  return JSON.stringify([flag.period, shownVariant(flag)]);
}
