import { parseNotedJson } from '../../../gateway/http/read/parse-json.ts';
import { fitDocument, isAbsent } from '../../../api/segment-clients/fit-document.ts';
import { BROKEN_ID, isBrokenId } from '../../../../core/kernel/text/broken-id.ts';
import { dayOf } from '../../../../core/kernel/days.ts';
import type { FieldFault } from '../../../../core/kernel/errors.ts';
import type { JsonText } from '../../../../core/kernel/text/json.ts';
import { IMPORT_LIMITS } from '../limits.ts';
import { foreignTime, formatTimestamp, isUnsetTime } from '../../../../core/kernel/text/timestamp.ts';

/** Reads single fields of lines. A field that breaks a rule throws `LineFault`, whose message names field and rule. */
export class LineFault extends Error {
  /** What the operator can do, if it is more than mending the line. */
  readonly remedy: string | undefined;

  constructor(message: string, remedy?: string) {
    super(message);
    this.remedy = remedy;
  }
}

/** A line that holds nothing to import, and is no fault. The message says why. */
export class EmptyLine extends Error {}

/** The fields of a line by name, as JSON values or as texts of CSV. */
export type Fields = Readonly<Record<string, unknown>>;

/** A text or a number; absent if missing, null or empty. */
export function optionalText(fields: Fields, name: string, maxLength: number): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string') throw new LineFault(`\`${name}\` must be a text.`);
  if (text.length > maxLength)
    throw new LineFault(`\`${name}\` has ${text.length} characters; the maximum is ${maxLength}.`);
  if (text.includes('\u0000')) throw new LineFault(`\`${name}\` must not contain the character U+0000.`);
  if (!text.isWellFormed()) throw new LineFault(`\`${name}\` must not contain a lone surrogate.`);
  return text;
}

export function requiredText(fields: Fields, name: string, maxLength: number): string {
  const text = optionalText(fields, name, maxLength);
  if (text === undefined) throw new LineFault(`\`${name}\` is missing.`);
  return text;
}

export function requiredId(fields: Fields, name: string, maxLength: number): string {
  const id = requiredText(fields, name, maxLength);
  if (isBrokenId(id)) throw new LineFault(`\`${name}\` ${BROKEN_ID}.`);
  return id;
}

/** What was done to the objects of a line, so that they may be stored. */
export interface LineNotes {
  /** What exceeds a bound, and was cut. */
  cut: FieldFault[];
  /** Characters and numbers that cannot be stored, and were replaced. */
  replaced: FieldFault[];
}

export const noNotes = (): LineNotes => ({ cut: [], replaced: [] });

/**
 * An object as JSON text; `{}` if absent. Exports hold it as an object, or as a text with JSON. It is made to fit by
 * the rule for messages of Segment's clients.
 */
export function documentOf(fields: Fields, name: string, notes: LineNotes): JsonText {
  const value = fields[name];
  const object = typeof value === 'string' && value !== '' ? parsedDocument(value, name, notes) : value;
  if (object === '' || isAbsent(object)) return '{}';
  const { text, faults } = fitDocument(object, `/${name}`);
  notes.cut.push(...faults);
  return text;
}

function parsedDocument(text: string, name: string, notes: LineNotes): unknown {
  const parsed = parseNotedJson(Buffer.from(text));
  if (parsed.kind === 'broken') throw new LineFault(`\`${name}\` ${parsed.message}.`);
  notes.replaced.push(...parsed.faults.map(({ path, message }) => ({ path: `/${name}${path}`, message })));
  return parsed.value;
}

/** The fields of a document that `documentOf` gave. */
export function parsed(document: JsonText): Fields {
  const fields: Fields = JSON.parse(document);
  return fields;
}

/** A time in epoch milliseconds; absent if missing, null, empty or what languages write for a time never set. */
export function optionalTime(fields: Fields, name: string, latestMs: number): number | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string' && isUnsetTime(value)) return undefined;
  return importableTime(foreignTime(value), name, latestMs);
}

/** A time that was read from the field `name`, or a fault. */
function importableTime(epochMs: number | undefined, name: string, latestMs: number): number {
  if (epochMs === undefined) throw new LineFault(`\`${name}\` must be a time: ${TIMES}.`);
  if (epochMs < IMPORT_LIMITS.importEarliestMs) throw new LineFault(`\`${name}\` is before ${EARLIEST}.`, WRONG_CLOCK);
  if (epochMs > latestMs) throw new LineFault(`\`${name}\` is in the future.`, WRONG_CLOCK);
  rememberDay(epochMs);
  return epochMs;
}

const WRONG_CLOCK = 'The clock of the device was wrong: leave the line out, or give it the time of its receipt.';
const TIMES = 'ISO 8601, or seconds, milliseconds, microseconds or nanoseconds since 1970';
const EARLIEST = new Date(IMPORT_LIMITS.importEarliestMs).toISOString().slice(0, 10);

export function requiredTime(fields: Fields, name: string, latestMs: number): number {
  const epochMs = optionalTime(fields, name, latestMs);
  if (epochMs === undefined) throw new LineFault(`\`${name}\` is missing.`);
  return epochMs;
}

/**
 * A time that is always a number of the same unit, whatever time that makes it: milliseconds of a device that thinks it
 * is 1970 must not count as seconds.
 */
export function requiredUnixTime(fields: Fields, name: string, unitsPerMs: number, latestMs: number): number {
  const epochMs = unixTime(fields, name, unitsPerMs);
  if (epochMs === undefined && isMissing(fields[name])) throw new LineFault(`\`${name}\` is missing.`);
  return importableTime(epochMs, name, latestMs);
}

export function unixTime(fields: Fields, name: string, unitsPerMs: number): number | undefined {
  const value = fields[name];
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^-?\d{1,19}(?:\.\d{1,9})?$/.test(value));
  if (!isNumber) return undefined;
  const epochMs = Math.trunc(Number(value) / unitsPerMs);
  return Number.isSafeInteger(epochMs) ? epochMs : undefined;
}

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

let rememberedDay = -1;

/** Other times of a day that was formatted are parsed ten times as fast, and most lines are of the day before. */
function rememberDay(epochMs: number): void {
  const day = dayOf(epochMs);
  if (day !== rememberedDay) formatTimestamp(epochMs);
  rememberedDay = day;
}
