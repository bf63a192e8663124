import { LIMITS } from './limits.ts';

/** Money is counted in ten-thousandths of a currency's unit, as integers: sums of floats drift. */
const SCALE = 10_000;
const DECIMAL_PLACES = 4;
const AMOUNT = /^(0|[1-9]\d{0,6})(?:\.(\d{1,4}))?$/;

/**
 * Reads an amount of money from its text, digit by digit, never through a float. The text is a plain decimal number: no
 * sign, no exponent, no more than 4 decimals.
 * @returns ten-thousandths, or undefined when it is no such number, not over 0, or over `LIMITS.purchaseAmount`
 */
export function parseAmount(text: string): number | undefined {
  const match = AMOUNT.exec(text);
  if (match === null) return undefined;
  const [, whole = '', decimals = ''] = match;
  const amount = Number(whole) * SCALE + Number(decimals.padEnd(DECIMAL_PLACES, '0'));
  return amount > 0 && amount <= LIMITS.purchaseAmount ? amount : undefined;
}

/** Ten-thousandths in units. Its text is exact, as what is held stays below 15 digits (`LIMITS.totalRevenue`). */
export function inUnits(tenThousandths: number): number {
  return tenThousandths / SCALE;
}
