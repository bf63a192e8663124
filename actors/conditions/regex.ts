import { RE2JS, RE2JSException } from 're2js';
import type { Json } from '../../src/kernel/json.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { Predicate } from './values.ts';

export type CompiledRegex =
  /**
   * `program`: instructions; times the text's length they are the most that a match can cost. `characterSteps`: the same for one
   * character, in steps of conditions.
   */
  | { kind: 'compiled'; matches: Predicate; program: number; characterSteps: number }
  | { kind: 'invalid'; message: string };

/**
 * A regular expression that takes time linear in the text, whatever it says: RE2's language, so no back references and no
 * look-around. Looks for a match anywhere in a string or in a number's digits; nothing else matches, nor does text over
 * `LIMITS.regexTextLength`.
 */
export function compileRegex(pattern: string, ignoreCase: boolean): CompiledRegex {
  if (pattern.length > LIMITS.regexLength) {
    return { kind: 'invalid', message: `must be at most ${LIMITS.regexLength} characters` };
  }
  // RE2 would read what follows literally, which JavaScript and the look at the length below do not.
  if (pattern.includes(String.raw`\Q`)) return { kind: 'invalid', message: String.raw`must not hold \Q` };
  if (spelledOut(pattern) > LIMITS.regexSpelledOut) return { kind: 'invalid', message: 'repeats too much' };
  try {
    const regex = RE2JS.compile(RE2JS.translateRegExp(pattern), ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    const program = regex.programSize();
    if (program > LIMITS.regexProgram)
      return { kind: 'invalid', message: 'is too large: repeat less, or shorter parts' };
    const characterSteps = program * (UNICODE_CLASS.test(pattern) ? UNICODE_STEPS : INSTRUCTION_STEPS);
    return { kind: 'compiled', matches: (value) => found(regex, value), program, characterSteps };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { kind: 'invalid', message: `is not a regular expression in RE2's language: ${error.message}` };
  }
}

/**
 * What an instruction takes for a character, in steps of about 10 ns. Measured: 4 to 45 ns with every thread of the automaton alive,
 * 80 ns in a class of Unicode.
 */
const INSTRUCTION_STEPS = 4;
const UNICODE_STEPS = 8;
const UNICODE_CLASS = /\\[pP]/;

/** The most that looking for a match in a text costs, in steps. */
export function matchSteps({ characterSteps }: { characterSteps: number }, length: number): number {
  return characterSteps * (length + 1);
}

/**
 * A matcher, not `RE2JS.test`: that one is up to four times as fast and keeps an automaton of up to 8 MiB for each
 * expression, while a matcher keeps nothing.
 */
function found(regex: RE2JS, value: Json): boolean {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.length <= LIMITS.regexTextLength && regex.matcher(text).find();
}

/**
 * About how long the pattern were with its counted repetitions spelled out, which is what compiling it costs: nested ones
 * multiply, and a pattern of 200 characters 1,000 times takes a second.
 */
export function spelledOut(pattern: string): number {
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

/** An escape, a class, a counted repetition, or a character. */
const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]|\{(?<least>\d+)(?:,(?<most>\d*))?\}|./gs;
