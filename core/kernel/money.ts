import { SHARED_LIMITS } from './limits.ts';

/** Amounts of money are integers in ten-thousandths of a currency's unit, because sums of floats drift. */
const SCALE = 10_000;
const DECIMAL_PLACES = 4;
/** Digits of the largest integer that a number holds exactly (2^53). */
const SAFE_DIGITS = 16;

/**
 * Parses an amount of money from a decimal number in any notation: `9.99`, `9.990000`, `.5`, `1e1`. Parses digit by
 * digit, never through a float, and rounds half to even at four decimals. Takes time linear in the text's length.
 * @returns ten-thousandths, or undefined if the text is not a number, rounds to 0, is negative, or is over
 *   `purchaseAmount`
 */
export function parseAmount(text: string): number | undefined {
  const number = parseDecimal(text);
  if (number === undefined) return undefined;
  const amount = tenThousandths(number);
  return amount > 0 && amount <= SHARED_LIMITS.purchaseAmount ? amount : undefined;
}

/**
 * An amount of one currency in another, rounded as `parseAmount` rounds.
 * @param rate units of the other currency for one unit; its shortest decimal form counts, so no product is a float
 * @returns ten-thousandths; 0 or infinite for amounts that are too small or too large
 */
export function convertedAt(rate: number, tenThousandthsPaid: number): number {
  const decimal = parseDecimal(String(rate));
  if (decimal === undefined) throw new Error(`${rate} is no rate`);
  const product = BigInt(decimal.digits || '0') * BigInt(tenThousandthsPaid);
  return tenThousandths({ digits: product === 0n ? '' : String(product), exponent: decimal.exponent - DECIMAL_PLACES });
}

/** Converts ten-thousandths to units: exact below 2^39 units, rounded to the nearest float above. */
export function inUnits(tenThousandths: number): number {
  return tenThousandths / SCALE;
}

/** Ten-thousandths in units as a JSON number, exact for every safe integer and without trailing zeros. */
export function unitsText(tenThousandths: number): string {
  const digits = String(Math.abs(tenThousandths)).padStart(DECIMAL_PLACES + 1, '0');
  let end = digits.length;
  while (end > digits.length - DECIMAL_PLACES && digits[end - 1] === '0') end -= 1;
  const whole = digits.slice(0, -DECIMAL_PLACES);
  const decimals = digits.slice(-DECIMAL_PLACES, end === digits.length ? undefined : end - digits.length);
  return `${tenThousandths < 0 ? '-' : ''}${whole}${decimals === '' ? '' : `.${decimals}`}`;
}

/** A decimal number without a sign: `digits` times ten to the power of `exponent`. */
interface Decimal {
  /** Without leading zeros; empty for 0. */
  digits: string;
  exponent: number;
}

/** Far above any valid exponent, and far below the largest safe integer. */
const MOST_EXPONENT = 1_000_000;

function parseDecimal(text: string): Decimal | undefined {
  const wholeEnd = digitsEnd(text, 0);
  const hasPoint = text[wholeEnd] === '.';
  const mantissaEnd = hasPoint ? digitsEnd(text, wholeEnd + 1) : wholeEnd;
  const decimals = hasPoint ? text.slice(wholeEnd + 1, mantissaEnd) : '';
  if (wholeEnd === 0 && decimals === '') return undefined;
  const power = readExponent(text, mantissaEnd);
  if (power === undefined) return undefined;
  const all = text.slice(0, wholeEnd) + decimals;
  let start = 0;
  while (all[start] === '0') start += 1;
  return { digits: all.slice(start), exponent: power - decimals.length };
}

/** Parses the rest of a text as an exponent: 0 for an empty rest, `undefined` if it is not one. */
function readExponent(text: string, from: number): number | undefined {
  if (from === text.length) return 0;
  if (text[from] !== 'e' && text[from] !== 'E') return undefined;
  const sign = text[from + 1];
  // In a query string an unescaped plus sign is a space.
  const start = sign === '+' || sign === '-' || sign === ' ' ? from + 2 : from + 1;
  if (start === text.length || digitsEnd(text, start) !== text.length) return undefined;
  const size = Math.min(Number(text.slice(start)), MOST_EXPONENT);
  return sign === '-' ? -size : size;
}

/** The end of the run of ASCII digits that starts at `from`. */
function digitsEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && isDigit(text.charCodeAt(end))) end += 1;
  return end;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Rounded half to even; infinite beyond the safe integers. */
function tenThousandths({ digits, exponent }: Decimal): number {
  const shift = exponent + DECIMAL_PLACES;
  const kept = digits.length + shift;
  if (digits === '' || kept < 0) return 0;
  if (kept > SAFE_DIGITS) return Number.POSITIVE_INFINITY;
  if (shift >= 0) return Number(digits.padEnd(kept, '0'));
  const floor = Number(digits.slice(0, kept) || '0');
  return roundsUp(digits.slice(kept), floor) ? floor + 1 : floor;
}

/** @param rest the dropped digits, at least one */
function roundsUp(rest: string, floor: number): boolean {
  const first = rest[0] ?? '0';
  if (first !== '5') return first > '5';
  for (let place = 1; place < rest.length; place++) if (rest[place] !== '0') return true;
  return floor % 2 === 1;
}

/** The most that one purchase may be, in units, for people. */
export const LARGEST_PURCHASE = inUnits(SHARED_LIMITS.purchaseAmount).toLocaleString('en-US');
