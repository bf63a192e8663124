type Cell = string | number | boolean | null | undefined;

/** Characters with which spreadsheets begin a formula. */
const FORMULA = new Set(['=', '+', '-', '@', '\t', '\r']);

/**
 * Rows as CSV (RFC 4180). Texts come from games, so those that a spreadsheet would run as a formula begin with an
 * apostrophe.
 */
export function csvText(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [header, ...rows].map((row) => row.map(cellText).join(',')).join('\r\n') + '\r\n';
}

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = FORMULA.has(cell.charAt(0)) && Number.isNaN(Number(cell)) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** How long the browser has to read a file: it begins after this turn. */
const READ_MS = 10_000;

/** Gives a text to the browser as a file. */
export function download(name: string, text: string, type = 'text/csv'): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), READ_MS);
}
