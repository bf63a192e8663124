import { LIMITS } from '../kernel/limits.ts';

/** What one pass over a body's bytes can tell before it is parsed. */
export type ScanVerdict =
  /** Nested deeper than allowed: not worth parsing. */
  | 'too_deep'
  /** Something in it may be unusable (an escape, a long string, a long number): its values must be walked. */
  | 'suspicious'
  | 'plain';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
/** Integers below this many digits are exact in a double. */
const RISKY_DIGITS = 16;

/**
 * One pass over the UTF-8 bytes of a JSON text, about a nanosecond a byte. It judges depth exactly and the rest on the
 * safe side, so that the usual body is never walked. Texts that are no JSON get any verdict: parsing refuses them.
 */
export function scanJson(bytes: Uint8Array): ScanVerdict {
  let depth = 0;
  let digits = 0;
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
          if (bytes[i] === LOWER_U) suspicious = true;
        }
      }
      if (i - start > LIMITS.stringBytes) suspicious = true;
      digits = 0;
    } else if (byte >= 0x30 && byte <= 0x39) {
      digits += 1;
      if (digits >= RISKY_DIGITS) suspicious = true;
    } else {
      // An exponent: `e` or `E` right after a digit. Elsewhere it is a letter of true or false.
      if ((byte | 0x20) === 0x65 && digits > 0) suspicious = true;
      digits = 0;
      if (byte === 0x7b || byte === 0x5b) {
        depth += 1;
        if (depth > LIMITS.jsonDepth) return 'too_deep';
      } else if (byte === 0x7d || byte === 0x5d) {
        depth -= 1;
      }
    }
  }
  return suspicious ? 'suspicious' : 'plain';
}

/**
 * The values of all integer literals of a JSON text that lie past ±2^53, where a double can no longer hold every
 * integer. Only for suspicious texts: it looks at every number.
 */
export function integersPastDouble(text: string): Set<number> {
  const found = new Set<number>();
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '"') {
      for (i += 1; i < text.length && text[i] !== '"'; i++) if (text[i] === '\\') i += 1;
    } else if (char === '-' || (char !== undefined && char >= '0' && char <= '9')) {
      const start = i;
      while (i + 1 < text.length && OF_NUMBERS.has(text[i + 1] ?? '')) i += 1;
      const literal = text.slice(start, i + 1);
      if (/^-?\d{16,}$/.test(literal) && isPast(literal)) found.add(Number(literal));
    }
  }
  return found;
}

const OF_NUMBERS: ReadonlySet<string> = new Set('0123456789.eE+-');

/** Very long literals are past it by their length alone: turning them into a BigInt would cost a square of it. */
function isPast(literal: string): boolean {
  const digits = literal.replace('-', '');
  return digits.length > 20 || BigInt(digits) > 2n ** 53n;
}
