import { RE2JS, RE2JSException } from 're2js';
import type { Json } from '../../core/kernel/text/json.ts';
import { CONDITION_LIMITS } from './limits.ts';
import type { Predicate } from './values.ts';

export type CompiledRegex =
  /**
   * `program`: the number of instructions; a match costs at most this times the text's length. `characterSteps`: the
   * cost of one character, in steps of conditions.
   */
  | { kind: 'compiled'; matches: Predicate; program: number; characterSteps: number }
  | { kind: 'invalid'; message: string };

/**
 * Compiles a regular expression in RE2 syntax: linear time in the text, without back-references and look-around. The
 * predicate searches strings and the digits of numbers. Other types and texts over `regexTextLength` never
 * match.
 */
export function compileRegex(pattern: string, ignoreCase: boolean): CompiledRegex {
  if (pattern.length > CONDITION_LIMITS.regexLength) {
    return {
      kind: 'invalid',
      message: `has ${pattern.length} characters; the maximum is ${CONDITION_LIMITS.regexLength}`,
    };
  }
  // RE2 reads the rest as literal text; JavaScript and `expandedLength` do not.
  if (pattern.includes(String.raw`\Q`)) return { kind: 'invalid', message: NO_QUOTE };
  if (expandedLength(pattern) > CONDITION_LIMITS.regexSpelledOut)
    return { kind: 'invalid', message: TOO_MANY_REPETITIONS };
  try {
    const regex = RE2JS.compile(RE2JS.translateRegExp(pattern), ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    const program = regex.programSize();
    if (program > CONDITION_LIMITS.regexProgram) return { kind: 'invalid', message: tooLarge(program) };
    const characterSteps = program * (UNICODE_CLASS.test(pattern) ? UNICODE_STEPS : INSTRUCTION_STEPS);
    return { kind: 'compiled', matches: (value) => found(regex, value), program, characterSteps };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { kind: 'invalid', message: `is not a valid RE2 regular expression: ${error.message}` };
  }
}

const NO_QUOTE = String.raw`uses \Q, which is not supported; escape special characters with a backslash`;
const TOO_MANY_REPETITIONS =
  `is too long with its counted repetitions expanded; the maximum is ${CONDITION_LIMITS.regexSpelledOut} characters; ` +
  'use fewer repetitions or shorter parts';

function tooLarge(program: number): string {
  const remedy = 'use fewer repetitions or shorter parts';
  return `compiles to ${program} instructions; the maximum is ${CONDITION_LIMITS.regexProgram}; ${remedy}`;
}

/**
 * The cost of one instruction for one character, in steps of about 10 ns. Measured: 4 to 45 ns with every thread of the
 * automaton active, 80 ns in a Unicode class.
 */
const INSTRUCTION_STEPS = 4;
const UNICODE_STEPS = 8;
const UNICODE_CLASS = /\\[pP]/;

/** The maximum cost of a search in a text of this length, in steps. */
export function matchSteps({ characterSteps }: { characterSteps: number }, length: number): number {
  return characterSteps * (length + 1);
}

/**
 * Uses a matcher: `RE2JS.test` is up to four times as fast, but keeps an automaton of up to 8 MiB for each expression.
 */
function found(regex: RE2JS, value: Json): boolean {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.length <= CONDITION_LIMITS.regexTextLength && regex.matcher(text).find();
}

/**
 * The approximate length of the pattern with its counted repetitions expanded. The compile time grows with it: nested
 * repetitions multiply, and 200 characters repeated 1,000 times take a second.
 */
export function expandedLength(pattern: string): number {
  const groups = [0];
  let latest = 0;
  const add = (length: number) => groups.push((groups.pop() ?? 0) + length);
  for (const { 0: token, groups: counts } of pattern.matchAll(TOKEN)) {
    const times = Math.max(Number(counts?.['least'] ?? 1), Number(counts?.['most'] ?? 0));
    if (token === '(') {
      groups.push(0);
      latest = 0;
    } else if (token === ')' && groups.length > 1) {
      latest = groups.pop() ?? 0;
      add(latest);
    } else if (times > 1) {
      add(latest * (times - 1));
      latest *= times;
    } else {
      latest = 1;
      add(latest);
    }
  }
  return groups.reduce((sum, length) => sum + length);
}

/** One token: an escape, a class, a counted repetition or a character. */
const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]|\{(?<least>\d+)(?:,(?<most>\d*))?\}|./gs;
