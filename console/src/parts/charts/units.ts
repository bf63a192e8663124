/* Units, and numbers with units as people read them. */

export const DAY_MS = 86_400_000;

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Bytes with the largest unit of which there is at least one. */
export function bytes(count: number): string {
  let [value, unit] = [count, 0];
  while (value >= 1024 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${value.toFixed(unit === 0 || value >= 100 ? 0 : 1)} ${UNITS[unit] ?? ''}`;
}

const TIMES = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** Seconds in the largest unit of which there is at least one. */
export function lasting(seconds: number): string {
  const [unit, size] = TIMES.find(([, length]) => seconds >= length) ?? ['s', 1];
  const value = seconds / size;
  return `${value.toFixed(value >= 100 || Number.isInteger(value) ? 0 : 1)}\u00A0${unit}`;
}

/** A share of 1 as a percentage. */
export function percent(share: number, digits = 1): string {
  return `${(share * 100).toFixed(digits)}\u00A0%`;
}
