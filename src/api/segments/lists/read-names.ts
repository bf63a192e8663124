import { isPlainObject } from '../../../../core/kernel/validation/plain-object.ts';
import { isUtf8 } from 'node:buffer';
import { BROKEN_ID, isBrokenId } from '../../../../core/kernel/text/broken-id.ts';
import { withoutMark } from '../../../../core/kernel/text/byte-order-mark.ts';
import { csvFields } from '../../../../core/kernel/text/csv-fields.ts';
import { withoutApostrophes } from '../../../../core/kernel/text/csv-text.ts';
import { failure, type Failure, type FieldFault } from '../../../../core/kernel/errors.ts';
import { API_LIMITS } from '../../limits.ts';
import { LIST_LOAD_LIMITS } from './limits.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import { splitRecords, type FileRecord } from '../../../../core/kernel/text/split-records.ts';
import type { NameBatch, NameKind, PlayerName } from './list-port.ts';
import { isUuid } from '../../../../core/kernel/uuid.ts';

export type ListFormat = 'csv' | 'ndjson' | 'json';

/** The format of a Content-Type; `undefined`: none that lists may have. */
export function listFormatOf(contentType: string): ListFormat | undefined {
  return FORMATS.get(contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '');
}

const FORMATS: ReadonlyMap<string, ListFormat> = new Map([
  ['text/csv', 'csv'],
  ['text/plain', 'csv'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/json', 'json'],
]);

/**
 * Reads the names of players from a list, in bounded memory.
 * @param plain what a line without a name of its field holds
 */
export async function* readNames(
  chunks: AsyncIterable<Uint8Array>,
  format: ListFormat,
  plain: NameKind,
): AsyncGenerator<NameBatch> {
  if (format === 'json') {
    yield* readDocument(chunks);
    return;
  }
  let column: Column | undefined;
  for await (const records of splitRecords(chunks, {
    quoted: format === 'csv',
    maxBytes: LIST_LOAD_LIMITS.listLineBytes,
  })) {
    const names: PlayerName[] = [];
    for (const record of records) {
      const fault = record.fault ?? (isUtf8(record.bytes) ? undefined : 'is not valid UTF-8');
      if (fault !== undefined) return yield atLine(record, fault);
      const text = record.bytes.toString('utf8');
      if (format === 'csv') {
        const read = csvFields(text);
        if ('fault' in read) return yield atLine(record, read.fault);
        const fields = read.map(withoutApostrophes);
        if (column === undefined) {
          const header = headerOf(fields, plain);
          column = header ?? { kind: plain, place: 0 };
          if (header !== undefined) continue;
          if (fields.length > 1) return yield atLine(record, NO_HEADER);
          // Taken as an id like the lines below it, it would replace the list by one without players.
          if (isHeaderWithOtherSeparator(text)) return yield atLine(record, OTHER_SEPARATOR);
        }
        names.push({ kind: column.kind, text: fields[column.place] ?? '' });
      } else {
        const name = nameIn(text, plain);
        if (name === undefined) return yield atLine(record, NO_NAME);
        names.push(name);
      }
      const last = names.at(-1);
      const nameFault = last && faultOf(last);
      if (nameFault !== undefined) return yield atLine(record, nameFault);
    }
    if (names.length > 0) yield { kind: 'names', names };
  }
}

interface Column {
  kind: NameKind;
  place: number;
}

const NO_HEADER = 'has several columns; name one `external_id` or `player_id` in the first line';
const OTHER_SEPARATOR = 'separates columns with `;` or tabs; use commas';
const NO_NAME = 'must be a JSON string, or an object with `external_id` or `player_id`';

/** The column of a CSV that names players; `undefined` if the first line is no header. */
function headerOf(fields: readonly string[], plain: NameKind): Column | undefined {
  const names = fields.map((field) => field.trim().toLowerCase());
  for (const kind of plain === 'external_id' ? KINDS : KINDS.toReversed()) {
    const place = names.indexOf(kind);
    if (place >= 0) return { kind, place };
  }
  return undefined;
}

/** Spreadsheets in many countries write `;`. */
function isHeaderWithOtherSeparator(line: string): boolean {
  const names = line.split(/[;\t]/).map((field) => field.trim().toLowerCase());
  return names.length > 1 && KINDS.some((kind) => names.includes(kind));
}

const KINDS = ['external_id', 'player_id'] as const satisfies readonly NameKind[];

function nameIn(line: string, plain: NameKind): PlayerName | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value === 'string') return { kind: plain, text: value };
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = new Map<string, unknown>(Object.entries(value));
  for (const kind of KINDS) {
    const text = fields.get(kind);
    if (typeof text === 'string') return { kind, text };
  }
  return undefined;
}

/** Why a name cannot be one. */
function faultOf({ kind, text }: PlayerName): string | undefined {
  if (kind === 'player_id') return isUuid(text) ? undefined : 'must be a player id (a UUID)';
  if (isBrokenId(text)) return BROKEN_ID;
  if (text.length > 0 && text.length <= TEXT_LIMITS.externalIdLength && !text.includes('\u0000')) return undefined;
  return `must be an external_id of 1 to ${TEXT_LIMITS.externalIdLength} characters`;
}

function atLine({ line }: FileRecord, fault: string): Failure {
  const message = `line ${line} ${fault}`;
  return failure('VALIDATION_ERROR', `L${message.slice(1)}.`, { fields: [{ path: '', message }] });
}

/** A JSON body, as other requests have it, and within their bound. */
async function* readDocument(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<NameBatch> {
  const held: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    if (sizeBytes > API_LIMITS.bodyBytes) return yield unreadable('', TOO_LONG);
    held.push(chunk);
  }
  yield namesIn(Buffer.concat(held));
}

const TOO_LONG = `is longer than ${API_LIMITS.bodyBytes} bytes; send a longer list as text/csv or application/x-ndjson`;

function namesIn(bytes: Buffer): NameBatch {
  let value: unknown;
  try {
    value = JSON.parse(withoutMark(bytes).toString('utf8'));
  } catch {
    return unreadable('', 'is not valid JSON');
  }
  const fields = isPlainObject(value) ? Object.entries(value) : [];
  const other = fields.find(([field]) => field !== 'external_ids' && field !== 'player_ids');
  if (other !== undefined || fields.length === 0) {
    return unreadable('', 'must be an object with `external_ids` or `player_ids`');
  }
  const names: PlayerName[] = [];
  for (const [field, texts] of fields) {
    if (!Array.isArray(texts)) return unreadable(`/${field}`, 'must be an array');
    for (const [place, text] of texts.entries()) {
      if (typeof text !== 'string') return unreadable(`/${field}/${place}`, 'must be string');
      const name = { kind: field === 'player_ids' ? 'player_id' : 'external_id', text } as const;
      const fault = faultOf(name);
      if (fault !== undefined) return unreadable(`/${field}/${place}`, fault);
      names.push(name);
    }
  }
  return { kind: 'names', names };
}

function unreadable(path: string, message: string): Failure {
  const fields: FieldFault[] = [{ path, message }];
  return failure('VALIDATION_ERROR', `${path === '' ? 'The body' : `\`${path.slice(1)}\``} ${message}.`, { fields });
}

/** The names, and a failure if there are none: an export that failed must not clear a list. */
export async function* refuseEmpty(batches: AsyncIterable<NameBatch>): AsyncIterable<NameBatch> {
  let isEmpty = true;
  for await (const batch of batches) {
    if (batch.kind === 'failure' || batch.names.length > 0) isEmpty = false;
    yield batch;
  }
  if (isEmpty) yield failure('VALIDATION_ERROR', 'The file has no ids. Use --allow-empty to clear the list.');
}
