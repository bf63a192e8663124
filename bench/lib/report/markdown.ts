import { figure, type Cell } from './table.ts';

/** A Markdown table as the formatter lays it out: the first column to the left, the others to the right. */
export function markdownTable<T>(items: readonly T[], columns: Readonly<Record<string, (item: T) => Cell>>): string {
  const titles = Object.keys(columns);
  const rows = items.map((item) =>
    Object.values(columns).map((cell) => {
      const value = cell(item);
      return typeof value === 'number' ? figure(value) : value;
    }),
  );
  const widths = titles.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => pad(cells[column] ?? '', width, column)).join(' | ')} |`;
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(titles), line(rule), ...rows.map(line)].join('\n');
}

function pad(text: string, width: number, column: number): string {
  return column === 0 ? text.padEnd(width) : text.padStart(width);
}
