/** What DateTime64 can hold: a device's clock may say anything, and one such row must not refuse its whole block. */
const EARLIEST_MS = Date.UTC(1900, 0, 1);
const LATEST_MS = Date.UTC(2299, 11, 31, 23, 59, 59, 999);

let second = { number: Number.NaN, text: '' };

/** A time as DateTime64(3, 'UTC') reads it. The last second is kept: rows come in runs of one. @param epochMs epoch milliseconds */
export function timeText(epochMs: number): string {
  const ms = storable(epochMs);
  const number = Math.floor(ms / 1000);
  if (number !== second.number) {
    second = { number, text: new Date(number * 1000).toISOString().slice(0, 19).replace('T', ' ') };
  }
  return `${second.text}.${String(ms - number * 1000).padStart(3, '0')}`;
}

/** The nearest time that DateTime64 can hold, in whole epoch milliseconds. */
export function storable(epochMs: number): number {
  return Math.min(LATEST_MS, Math.max(EARLIEST_MS, Math.trunc(epochMs)));
}

/** Integer ten-thousandths as the text of a Decimal(18, 4). */
export function decimalText(tenThousandths: number): string {
  const digits = String(Math.abs(tenThousandths)).padStart(5, '0');
  return `${tenThousandths < 0 ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`;
}
