import { BODY_LIMITS } from './limits.ts';
import { SHARED_LIMITS } from '../../../../core/kernel/limits.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';

/** The result of one pass over a body's bytes, before it is parsed. */
export type ScanVerdict =
  /** Too deep, too many values, or a number that is too long: refused without parsing. */
  | 'too_deep'
  | 'too_many_values'
  | 'number_too_long'
  /** It may have an invalid value (an escape, a long string, a long number): its values must be checked. */
  | 'suspicious'
  | 'plain';

const QUOTE = 0x22;
const COMMA = 0x2c;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const LOWER_D = 0x64;
const LOWER_E = 0x65;
const LOWER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** Integers with fewer digits are exact in a double. */
const RISKY_DIGITS = 16;
/** A number with fewer digits in its mantissa and exponent is finite. */
const RISKY_EXPONENT_DIGITS = 3;

/**
 * Scans the UTF-8 bytes of a JSON text once, in about 1 ns a byte. Depth, values and lengths of numbers are exact.
 * Other findings may be false alarms but never omissions, so the values of a typical body need no check. The result for
 * a text that is not JSON is meaningless, because parsing refuses it.
 * @param mostDepth nesting beyond which a text is `too_deep`
 */
export function scanJson(bytes: Uint8Array, mostDepth: number = SHARED_LIMITS.jsonDepth): ScanVerdict {
  let depth = 0;
  /** Commas, colons and opening brackets: every value follows one. */
  let separators = 0;
  let suspicious = false;
  const { length } = bytes;
  for (let i = 0; i < length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === QUOTE) {
      const start = i + 1;
      for (i = start; i < length; i++) {
        const inner = bytes[i];
        if (inner === QUOTE) break;
        if (inner === BACKSLASH) {
          i += 1;
          if (bytes[i] === LOWER_U && isRiskyEscape(bytes, i + 1)) suspicious = true;
        }
      }
      if (i - start > TEXT_LIMITS.stringBytes) suspicious = true;
    } else if (byte >= ZERO && byte <= NINE) {
      const start = i;
      i = endOfNumber(bytes, start);
      if (i - start > BODY_LIMITS.jsonNumberLength) return 'number_too_long';
      if (!suspicious && isRiskyNumber(bytes, start, i)) suspicious = true;
      i -= 1;
    } else if (byte === COMMA || byte === COLON) {
      separators += 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      depth += 1;
      separators += 1;
      if (depth > mostDepth) return 'too_deep';
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth -= 1;
    }
  }
  if (separators > BODY_LIMITS.jsonSeparators) return 'too_many_values';
  return suspicious ? 'suspicious' : 'plain';
}

const TWO_TO_53 = '9007199254740992';

/** Whether an escape may be U+0000 or a surrogate. @param at the position of its first hexadecimal digit */
function isRiskyEscape(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at] ?? 0;
  return (first | 0x20) === LOWER_D || (first === ZERO && bytes[at + 1] === ZERO && bytes[at + 2] === ZERO);
}

/** The position after a number's last character. */
function endOfNumber(bytes: Uint8Array, start: number): number {
  let end = start;
  for (; ; end++) {
    const byte = bytes[end] ?? 0;
    const part =
      (byte >= ZERO && byte <= NINE) || byte === DOT || (byte | 0x20) === LOWER_E || byte === 0x2b || byte === 0x2d;
    if (!part) return end;
  }
}

/** Whether a number may be infinite, or an integer past 2^53. */
function isRiskyNumber(bytes: Uint8Array, start: number, end: number): boolean {
  let digits = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if ((byte | 0x20) === LOWER_E) return digits >= RISKY_DIGITS || end - i > RISKY_EXPONENT_DIGITS;
    if (byte === DOT) {
      // Digits after the point make a number neither large nor an integer.
      while (i + 1 < end && ((bytes[i + 1] ?? 0) | 0x20) !== LOWER_E) i += 1;
    } else {
      digits += 1;
    }
  }
  return digits >= RISKY_DIGITS;
}

/**
 * The absolute values of all integer literals of a JSON text beyond ±2^53, where doubles do not represent every
 * integer. For suspicious texts only, because it reads every number.
 * @returns undefined if there are more than `jsonLongIntegers`, including repeats
 */
export function integersPastDouble(bytes: Uint8Array): Set<number> | undefined {
  const found = new Set<number>();
  let literals = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === QUOTE) {
      for (i += 1; i < bytes.length && bytes[i] !== QUOTE; i++) if (bytes[i] === BACKSLASH) i += 1;
    } else if (byte >= ZERO && byte <= NINE) {
      const start = i;
      i = endOfNumber(bytes, start);
      if (isPast(bytes, start, i)) {
        literals += 1;
        if (literals > BODY_LIMITS.jsonLongIntegers) return undefined;
        found.add(Number(Buffer.from(bytes.buffer, bytes.byteOffset + start, i - start).toString('latin1')));
      }
      i -= 1;
    }
  }
  return found;
}

/** Whether a literal is an integer beyond 2^53. @param start the position of its first digit */
function isPast(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < TWO_TO_53.length) return false;
  let order = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if (byte < ZERO || byte > NINE) return false;
    if (order === 0) order = byte - (TWO_TO_53.charCodeAt(i - start) || byte);
  }
  // JSON has no leading zeros, so a longer literal is a larger number.
  return end - start > TWO_TO_53.length || order > 0;
}
