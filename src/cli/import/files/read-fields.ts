import { csvFields } from '../../../../core/kernel/text/csv-fields.ts';
import { withoutApostrophes } from '../../../../core/kernel/text/csv-text.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import { beginsWithArray, splitJson } from '../../../../core/kernel/text/split-json.ts';
import { splitRecords, type FileRecord } from '../../../../core/kernel/text/split-records.ts';
import { isPlainObject } from '../../../../core/kernel/validation/plain-object.ts';
import { parseNotedJson } from '../../../gateway/http/read/parse-json.ts';
import { CliError } from '../../cli-error.ts';
import { printable } from '../../printable.ts';
import { IMPORT_LIMITS } from '../limits.ts';
import type { FileFormat } from './file-format.ts';
import { LineFault, noNotes, type Fields, type LineNotes } from './line-fields.ts';
import type { FileKind, OpenFile } from './open-source.ts';

/** The fields of a line, or why it has none. */
export type LineFields =
  | { line: number; bytes: Buffer; fields: Fields; notes: LineNotes }
  | { line: number; bytes: Buffer; fault: LineFault };

type FieldsFormat = Pick<FileFormat, 'required' | 'optional' | 'documents'>;

/**
 * Reads the fields of each line of a file, in arrays. A line of JSON is an item of an array if the file begins with
 * one. Throws `CliError` if the columns of a CSV file do not fit the format.
 * @param fromLine lines before this one are left out
 */
export async function* readFields(
  { chunks }: OpenFile,
  { fileKind, format, fromLine = 1 }: { fileKind: FileKind; format: FieldsFormat; fromLine?: number },
): AsyncGenerator<LineFields[]> {
  const quoted = fileKind === 'csv';
  let columns: string[] | undefined;
  for await (const records of quoted ? splitRecords(chunks, { quoted, maxBytes }) : splitLines(chunks)) {
    const lines: LineFields[] = [];
    for (const record of records) {
      if (quoted && columns === undefined) columns = columnsOf(record, format);
      else if (record.line >= fromLine) lines.push(fieldsOfRecord(record, columns, format));
    }
    if (lines.length > 0) yield lines;
  }
  if (quoted && columns === undefined) throw new CliError('The file has no line with the names of its columns.');
}

const maxBytes = IMPORT_LIMITS.importLineBytes;

async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<FileRecord[]> {
  const rest = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let isArray: boolean | undefined;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    first.push(next.value);
    isArray = beginsWithArray(first.length === 1 ? next.value : Buffer.concat(first));
    if (isArray !== undefined) break;
  }
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield* first;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  yield* isArray === true ? splitJson(whole(), maxBytes) : splitRecords(whole(), { quoted: false, maxBytes });
}

function fieldsOfRecord(record: FileRecord, columns: readonly string[] | undefined, format: FieldsFormat): LineFields {
  const { line, bytes } = record;
  const notes = noNotes();
  try {
    if (record.fault !== undefined) throw new LineFault(`The line ${record.fault}.`, SHORTEN);
    const fields = columns === undefined ? jsonFields(bytes, format, notes) : namedFields(bytes, columns);
    return { line, bytes, fields, notes };
  } catch (error) {
    if (error instanceof LineFault) return { line, bytes, fault: error };
    throw error;
  }
}

const SHORTEN = 'Mend or shorten the line in a copy of the file, and import the copy.';

function jsonFields(bytes: Buffer, { documents }: FieldsFormat, notes: LineNotes): Fields {
  const parsed = parseNotedJson(bytes);
  if (parsed.kind === 'broken') throw new LineFault(`The line ${parsed.message}.`);
  const isOf = (path: string): boolean => documents.some((document) => path.startsWith(`${document}/`));
  notes.replaced.push(...parsed.faults.filter(({ path }) => isOf(path)));
  if (!isPlainObject(parsed.value)) throw new LineFault('The line is not a JSON object.');
  return parsed.value;
}

const text = new TextDecoder('utf-8', { fatal: true });

function fieldsOf(bytes: Buffer): string[] {
  let decoded: string;
  try {
    decoded = text.decode(bytes);
  } catch {
    throw new LineFault('The line is not valid UTF-8.');
  }
  const fields = csvFields(decoded);
  if ('fault' in fields) throw new LineFault(`The line ${fields.fault}.`);
  return fields.map(withoutApostrophes);
}

function namedFields(bytes: Buffer, columns: readonly string[]): Fields {
  const fields = fieldsOf(bytes);
  if (fields.length !== columns.length) {
    throw new LineFault(`The line has ${fields.length} fields; the first line names ${columns.length}.`);
  }
  // Object.fromEntries keeps a column named __proto__ an own property.
  return Object.fromEntries(columns.map((name, place) => [name, fields[place]]));
}

function columnsOf({ bytes, fault }: FileRecord, { required, optional }: FieldsFormat): string[] {
  let columns: string[];
  try {
    if (fault !== undefined) throw new LineFault(`The line ${fault}.`);
    columns = fieldsOf(bytes);
  } catch (error) {
    throw new CliError(`The first line must name the columns. ${error instanceof Error ? error.message : ''}`);
  }
  if (columns.length > IMPORT_LIMITS.importColumns) {
    throw new CliError(
      `The first line names ${columns.length} columns; the maximum is ${IMPORT_LIMITS.importColumns}.`,
    );
  }
  const missing = required.filter((name) => !columns.includes(name));
  const unknown = columns.filter(
    (name) => optional !== undefined && !required.includes(name) && !optional.includes(name),
  );
  const names = new Set<string>();
  const repeated = columns.filter((name) => names.size === names.add(name).size);
  const found =
    missing.length > 0
      ? `no column ${shown(missing)}`
      : unknown.length > 0
        ? `an unknown column ${shown(unknown)}`
        : repeated.length > 0
          ? `a repeated column ${shown(repeated)}`
          : undefined;
  if (found === undefined) return columns;
  const [only = ''] = columns;
  if (columns.length === 1 && /[;\t]/.test(only)) {
    throw new CliError('The first line separates the names of the columns with `;` or tabs. Use commas.');
  }
  const known = optional === undefined ? '' : ` Known: ${[...required, ...optional].join(', ')}.`;
  const own = optional?.includes('properties') === true ? ' Other values belong in `properties`, as JSON.' : '';
  throw new CliError(`The file has ${found}.${known}${own}`);
}

/** Names of columns for a message. */
function shown(names: readonly string[]): string {
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : '';
  const some = names.slice(0, NAMES_SHOWN).map((name) => printable(name, TEXT_LIMITS.nameLength));
  return `${some.join(', ')}${more}`;
}

const NAMES_SHOWN = 10;
