/*
 * Writes CSV (RFC 4180) for every door: files of the console, exports and statements of the command line.
 *
 * Texts come from games, and spreadsheets run a text that begins like a formula. So an apostrophe goes before each
 * beginning of a formula: that of a field, and that after a character which other programs take for a separator.
 * Numbers stay numbers. `withoutApostrophes` takes them back when a file of this service is imported.
 */

export type CsvCell = string | number | boolean | null | undefined;

/** A record without its line break. */
export function csvRecord(cells: readonly CsvCell[]): string {
  return cells.map(fieldOf).join(',');
}

/** A file, whose first record names the columns. */
export function csvText(header: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [header, ...rows].map((row) => `${csvRecord(row)}\r\n`).join('');
}

function fieldOf(cell: CsvCell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = isNumber(cell) ? cell : atFormulas(cell, (apostrophes) => `'${apostrophes}`);
  return QUOTED.some((character) => text.includes(character)) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A field as it was before it was written. */
export function withoutApostrophes(field: string): string {
  return field.includes("'") ? atFormulas(field, (apostrophes) => apostrophes.slice(1)) : field;
}

const isNumber = (text: string): boolean => NUMERALS.has(text.at(-1) ?? '') && Number.isFinite(Number(text));

const NUMERALS = new Set('0123456789');
const QUOTED = ['"', ',', ';', '\t', '\r', '\n'];
/** A formula may begin behind these. */
const SEPARATORS = new Set(';\t\r\n');
/** Spreadsheets of some languages read full-width signs too. */
const SIGNS = new Set('=+-@\t\r＝＋－＠');

/** A text with its apostrophes changed before each beginning of a formula. Takes time linear in the text. */
function atFormulas(text: string, change: (apostrophes: string) => string): string {
  let changed = '';
  let done = 0;
  let at = 0;
  while (at < text.length) {
    const from = at;
    while (text[at] === "'") at += 1;
    if (SIGNS.has(text[at] ?? '')) {
      changed += text.slice(done, from) + change(text.slice(from, at));
      done = at;
    }
    while (at < text.length && !SEPARATORS.has(text[at] ?? '')) at += 1;
    at += 1;
  }
  return changed + text.slice(done);
}
