import { isObject, type Json } from '../../../core/kernel/text/json.ts';
import { CONDITION_LIMITS } from '../limits.ts';
import { expandedLength } from '../regex.ts';

/** The compile time of a Unicode class (`\p{L}`), in characters of other patterns. */
const UNICODE_CLASS_CHARACTERS = 100;
const UNICODE_CLASS = /\\[pP]/g;

/** The fault of a new definition whose regular expressions would take too long to compile. */
export const TOO_MANY_PATTERNS =
  `has too many or too long regular expressions; the maximum is ${CONDITION_LIMITS.regexTotal} characters in total, ` +
  'with counted repetitions expanded; use fewer or shorter ones';

/**
 * Whether compiling the regular expressions of a definition would block the thread, estimated without compiling them.
 * Checks new definitions: each expression is bounded by itself, but a definition may contain hundreds.
 */
export function hasTooManyPatterns(definition: Json): boolean {
  return patternLoad(definition) > CONDITION_LIMITS.regexTotal;
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

/** 0 for patterns that `compileRegex` refuses without compiling them. */
function loadOf(pattern: string): number {
  if (pattern.length > CONDITION_LIMITS.regexLength) return 0;
  const length = expandedLength(pattern);
  if (length > CONDITION_LIMITS.regexSpelledOut) return 0;
  return length + UNICODE_CLASS_CHARACTERS * (pattern.match(UNICODE_CLASS)?.length ?? 0);
}
