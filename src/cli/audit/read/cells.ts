/* Values of facts as ClickHouse writes them. */

export type Cell = string | number | null | readonly string[];

export const bool = (value: boolean): number => (value ? 1 : 0);

/** The range of the type DateTime64. */
const [EARLIEST_MS, LATEST_MS] = [Date.UTC(1900, 0, 1), Date.UTC(2300, 0, 1) - 1];

export function time(ms: number): number {
  return Math.max(EARLIEST_MS, Math.min(LATEST_MS, Math.trunc(ms)));
}

export const optionalTime = (ms: number | null): number | null => (ms === null ? null : time(ms));

/** Ten-thousandths as ClickHouse writes a decimal: no zeros at the end. */
export function money(tenThousandths: number): string {
  const sign = tenThousandths < 0 ? '-' : '';
  const digits = String(Math.abs(tenThousandths)).padStart(5, '0');
  const whole = digits.slice(0, -4);
  let end = 4;
  while (end > 0 && digits.charAt(whole.length + end - 1) === '0') end -= 1;
  return `${sign}${whole}${end === 0 ? '' : `.${digits.slice(-4).slice(0, end)}`}`;
}

/** Half of a surrogate pair has no UTF-8. */
export function wellFormed(cell: Cell): Cell {
  if (typeof cell === 'string') return cell.toWellFormed();
  return typeof cell === 'object' && cell !== null ? cell.map((text) => text.toWellFormed()) : cell;
}
