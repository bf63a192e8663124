/**
 * The bounds of DateTime64. Times of devices are arbitrary, and one outside these bounds would fail its whole block.
 */
const EARLIEST_MS = Date.UTC(1900, 0, 1);
const LATEST_MS = Date.UTC(2299, 11, 31, 23, 59, 59, 999);

let second = { number: Number.NaN, text: '' };

/**
 * A time in the format of DateTime64(3, 'UTC'). Caches the last second, because consecutive rows share it.
 * @param epochMs epoch milliseconds
 */
export function timeText(epochMs: number): string {
  const ms = storable(epochMs);
  const number = Math.floor(ms / 1000);
  if (number !== second.number) {
    second = { number, text: new Date(number * 1000).toISOString().slice(0, 19).replace('T', ' ') };
  }
  return `${second.text}.${String(ms - number * 1000).padStart(3, '0')}`;
}

/** The nearest time within the bounds of DateTime64, in whole epoch milliseconds. */
export function storable(epochMs: number): number {
  return Math.min(LATEST_MS, Math.max(EARLIEST_MS, Math.trunc(epochMs)));
}

/** Formats integer ten-thousandths as a Decimal(18, 4). */
export function decimalText(tenThousandths: number): string {
  const digits = String(Math.abs(tenThousandths)).padStart(5, '0');
  return `${tenThousandths < 0 ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`;
}
