import { latencyAt, type Latency } from '../figures/statistics.ts';

/** Text, or a number that `figure` formats. */
export type Cell = string | number;
export type Row = readonly Cell[];

/** A Markdown table as the formatter lays it out: the first column to the left, the others, figures, to the right. */
export function table(head: readonly string[], rows: readonly Row[]): string {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? figure(cell) : cell)));
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...texts.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => pad(row[column] ?? '', width, column > 0)).join(' | ')} |`;
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(head), line(rule), ...texts.map(line)].join('\n');
}

/** A table of one row per item. @param columns title → cell of an item */
export function tableOf<T>(items: readonly T[], columns: Readonly<Record<string, (item: T) => Cell>>): string {
  const cells = Object.values(columns);
  return table(
    Object.keys(columns),
    items.map((item) => cells.map((cell) => cell(item))),
  );
}

function pad(text: string, width: number, right: boolean): string {
  return right ? text.padStart(width) : text.padEnd(width);
}

/** A part of a report under its title; nothing at all when there is nothing to show. */
export function section(title: string, text: string): string {
  return text === '' ? '' : `\n${title}\n${text}\n`;
}

const SHARES = [0.5, 0.99, 0.999];

/** Titles of the columns of `latencyRow`. */
export const LATENCY_HEAD = ['', 'p50', 'p99', 'p99.9', 'max'];

/** p50, p99, p99.9 (or other shares) and the largest, in milliseconds. */
export function latencyRow(name: string, of: Latency, shares: readonly number[] = SHARES): Row {
  return [name, ...shares.map((share) => latencyAt(of, share)), of.maxMs];
}

/** A figure for an axis, where space is short: 1.5 M, 120 k, 250. */
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
