/** A cell: text, or a number that is already formatted. */
export type Row = readonly string[];

/** Lays rows out in columns: the first to the left, the others, which hold figures, to the right. */
export function table(head: Row, rows: readonly Row[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: Row) =>
    widths
      .map((width, column) => pad(row[column] ?? '', width, column > 0))
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

function pad(text: string, width: number, right: boolean): string {
  return right ? text.padStart(width) : text.padEnd(width);
}

/** A figure for an axis, where room is short: 1.5 M, 120 k, 250. */
export function compact(value: number): string {
  if (value >= 1e6) return `${figure(value / 1e6)} M`;
  return value >= 10_000 ? `${figure(value / 1000)} k` : figure(value);
}

/** Three significant digits, and whole thousands apart: 0.0123, 4.56, 78.9, 1,234. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString('en-US');
  if (size === 0) return '0';
  return String(Number(value.toPrecision(3)));
}
