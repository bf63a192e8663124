import { uuidv5 } from '../../../../core/kernel/ids.ts';
import { SHARED_LIMITS } from '../../../../core/kernel/limits.ts';
import type { ImportItem } from '../../../../core/vocabulary/commands/import.ts';
import { placeOf, type Survey } from '../survey/findings.ts';
import { type FileFormat, type ImportChoices, lineContext } from './file-format.ts';
import { EmptyLine, LineFault, type Fields, type LineNotes } from './line-fields.ts';
import type { OpenFile, FileKind } from './open-source.ts';
import type { ExchangeOf } from './purchase-lines.ts';
import { type LineFields, readFields } from './read-fields.ts';

/** A line of a file that can be imported, or why it cannot. */
export type ReadLine =
  | { kind: 'item'; line: number; item: ImportItem; ownId?: string | undefined; notes?: LineNotes; fields?: Fields }
  | { kind: 'fault'; line: number; reason: string; remedy: string | undefined; bytes: Buffer };

export interface ReadOptions {
  fileKind: FileKind;
  format: FileFormat;
  /** Identifies the file. Ids of events without one follow from it and the line. */
  importId: string;
  /** Lines before this one are left out. */
  fromLine?: number;
  nowMs: number;
  /** Store what was cut of a line as it is then. Otherwise its event goes to quarantine. */
  fit?: boolean;
  playerIdOf: (externalId: string) => string;
  exchangeOf: ExchangeOf;
  /** What all files of the command say together, and which of them this one is. */
  survey?: Survey;
  fileNumber?: number;
  choices?: ImportChoices;
  /** Whether items keep the fields that they were read from. */
  withFields?: boolean;
  /** Called for each line that holds nothing to import: it is left out. */
  onEmpty?: (line: number, reason: string) => void;
}

/** UUID namespace of ids of imported events. Never change it: a repeat would have other ids. */
const IMPORTED_IDS = '5b2f1a6e-6f0e-4d5b-9a57-2d4b8f1c7e90';

/** Reads a file line by line, in arrays. Throws `CliError` if the columns of a CSV file do not fit the format. */
export async function* readHistory(file: OpenFile, options: ReadOptions): AsyncGenerator<ReadLine[]> {
  for await (const lines of readFields(file, options)) {
    yield lines.flatMap((line) => readLine(line, options) ?? []);
  }
}

/** Undefined: the line holds nothing to import. */
function readLine(read: LineFields, options: ReadOptions): ReadLine | undefined {
  const { line, bytes } = read;
  if ('fault' in read) return faultOf(line, bytes, read.fault);
  const { notes, fields } = read;
  try {
    const made = itemOf(fields, line, options, notes);
    const item = { kind: 'item', line, ...made, ...(options.withFields === true ? { fields } : {}) } as const;
    return notes.cut.length + notes.replaced.length === 0 ? item : { ...item, notes };
  } catch (error) {
    if (error instanceof LineFault) return faultOf(line, bytes, error);
    if (!(error instanceof EmptyLine)) throw error;
    options.onEmpty?.(line, error.message);
    return undefined;
  }
}

function faultOf(line: number, bytes: Buffer, { message, remedy }: LineFault): ReadLine {
  return { kind: 'fault', line, reason: message, remedy, bytes };
}

/** @returns the line, and the id that its event has in the file */
function itemOf(
  fields: Fields,
  line: number,
  options: ReadOptions,
  notes: LineNotes,
): { item: ImportItem; ownId?: string | undefined } {
  const { format, importId, nowMs, fit, playerIdOf, exchangeOf } = options;
  const { survey, fileNumber = 0, choices } = options;
  const context = lineContext({
    nowMs,
    notes,
    exchangeOf,
    place: placeOf(fileNumber, line),
    ...(survey === undefined ? {} : { survey }),
    ...(choices === undefined ? {} : { choices }),
  });
  const { event, ...read } = format.read(fields, context);
  const item: ImportItem = { line, playerId: playerIdOf(read.externalId), ...read };
  const [cut] = fit === true ? [] : notes.cut;
  if (event === undefined) {
    if (cut !== undefined) throw new LineFault(`\`${cut.path}\` ${cut.message}. With --fit, it is cut.`);
    return { item };
  }
  const ownId = event.eventId;
  const named = { ...event, eventId: ownId ?? uuidv5(IMPORTED_IDS, `${importId}\n${line}`) };
  if (cut === undefined) return { ownId, item: { ...item, event: named } };
  const { playerId, externalId, at } = item;
  const faults = notes.cut.slice(0, SHARED_LIMITS.quarantineFaults);
  const { playedWith: _, country: __, ...kept } = named;
  return { ownId, item: { line, playerId, externalId, at, quarantined: { ...kept, faults } } };
}
