import type { Json } from '../../src/kernel/json.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { spelledOut } from './regex.ts';
import { isObject } from './values.ts';

/** What a class of Unicode (`\p{L}`) takes to compile, in characters of other patterns. */
const UNICODE_CLASS_CHARACTERS = 100;
const UNICODE_CLASS = /\\[pP]/g;

/** Why a new definition is refused whose regular expressions would take too long to compile. */
export const TOO_MANY_PATTERNS = `must hold regular expressions of at most ${LIMITS.regexTotal} characters together, counted repetitions spelled out`;

/**
 * Whether compiling the regular expressions of a definition would hold up the thread, told without compiling any. For new
 * definitions: each expression has a bound of its own, and a definition may hold hundreds.
 */
export function hasTooManyPatterns(definition: Json): boolean {
  return patternLoad(definition) > LIMITS.regexTotal;
}

function patternLoad(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  let sum = 0;
  for (const [name, inner] of Object.entries(value)) {
    const isPattern = typeof inner === 'string' && isObject(value) && PATTERNS.has(name);
    sum += isPattern ? loadOf(inner) : patternLoad(inner);
  }
  return sum;
}

const PATTERNS: ReadonlySet<string> = new Set(['$regex', '$regexi', '$notRegex', '$notRegexi']);

/** A pattern longer than allowed is refused unread. */
function loadOf(pattern: string): number {
  if (pattern.length > LIMITS.regexLength) return 0;
  const length = spelledOut(pattern);
  // Nor is one compiled that repeats too much.
  if (length > LIMITS.regexSpelledOut) return 0;
  return length + UNICODE_CLASS_CHARACTERS * (pattern.match(UNICODE_CLASS)?.length ?? 0);
}
