import { parseNotedJson } from '../../gateway/http/parse-json.ts';
import { fitDocument } from '../../api/segment-clients/fit-document.ts';
import { dayOf } from '../../kernel/days.ts';
import type { FieldFault } from '../../kernel/errors.ts';
import type { JsonText } from '../../kernel/json.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { formatTimestamp, parseTimestamp } from '../../kernel/timestamp.ts';

/** Reads single fields of lines. A field that breaks a rule throws `LineFault`, whose message names field and rule. */
export class LineFault extends Error {}

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

/** What was done to the objects of a line, so that they may be stored. */
export interface LineNotes {
  /** What exceeds a bound, and was cut. */
  cut: FieldFault[];
  /** Characters and numbers that cannot be stored, and were replaced. */
  replaced: FieldFault[];
}

export const noNotes = (): LineNotes => ({ cut: [], replaced: [] });

/**
 * An object as JSON text; `{}` if absent. Exports hold it as an object, or as a text with JSON. It is made to fit by the
 * rule for messages of Segment's clients.
 */
export function documentOf(fields: Fields, name: string, notes: LineNotes): JsonText {
  const value = fields[name];
  const object = typeof value === 'string' && value !== '' ? parsedDocument(value, name, notes) : value;
  if (isAbsent(object)) return '{}';
  const { text, faults } = fitDocument(object, `/${name}`);
  notes.cut.push(...faults);
  return text;
}

/** PHP and Lua write an empty object as an empty array. */
const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

function parsedDocument(text: string, name: string, notes: LineNotes): unknown {
  const parsed = parseNotedJson(Buffer.from(text));
  if (parsed.kind === 'broken') throw new LineFault(`\`${name}\` ${parsed.message}.`);
  notes.replaced.push(...parsed.faults.map(({ path, message }) => ({ path: `/${name}${path}`, message })));
  return parsed.value;
}

/** Digits without a sign: epoch seconds, or milliseconds or microseconds if that many seconds are too far away. */
const MILLISECONDS_FROM = 100_000_000_000;
const MICROSECONDS_FROM = MILLISECONDS_FROM * 1_000;

/**
 * A time in epoch milliseconds: ISO 8601, with a space in place of the `T` and with ` UTC` at the end too, as the
 * exports of PostHog, Amplitude and ClickHouse have it; or a number since 1970.
 */
export function optionalTime(fields: Fields, name: string, latestMs: number): number | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  const epochMs = readTime(value);
  if (epochMs === undefined) throw new LineFault(`\`${name}\` must be a time: ${TIMES}.`);
  if (epochMs < LIMITS.importEarliestMs) throw new LineFault(`\`${name}\` is before ${EARLIEST}.`);
  if (epochMs > latestMs) throw new LineFault(`\`${name}\` is in the future.`);
  return epochMs;
}

const TIMES = 'ISO 8601, or seconds, milliseconds or microseconds since 1970';
const EARLIEST = new Date(LIMITS.importEarliestMs).toISOString().slice(0, 10);

export function requiredTime(fields: Fields, name: string, latestMs: number): number {
  const epochMs = optionalTime(fields, name, latestMs);
  if (epochMs === undefined) throw new LineFault(`\`${name}\` is missing.`);
  return epochMs;
}

/** Before 1970 it is `-Infinity`, from 2300 on `Infinity`. */
function readTime(value: unknown): number | undefined {
  const number = typeof value === 'string' && isDigits(value) ? Number(value) : value;
  if (typeof number === 'number') return fromNumber(number);
  if (typeof number !== 'string') return undefined;
  const untilZone = number.endsWith(' UTC') ? number.slice(0, -' UTC'.length) : number;
  const text = untilZone[10] === ' ' ? `${untilZone.slice(0, 10)}T${untilZone.slice(11)}` : untilZone;
  const epochMs = parseTimestamp(text);
  if (epochMs === undefined) return timeOfOtherYear(text);
  rememberDay(epochMs);
  return epochMs;
}

/** A time outside of the years that `parseTimestamp` reads. 2000 has every day that a year can have. */
function timeOfOtherYear(text: string): number | undefined {
  if (text.startsWith('-') && text.length > 1 && isDigits(text.slice(1))) return -Infinity;
  const year = text.slice(0, 4);
  if (!isDigits(year) || parseTimestamp(`2000${text.slice(4)}`) === undefined) return undefined;
  return Number(year) <= FIRST_YEAR ? -Infinity : Infinity;
}

/** With an offset, the first hours of its local time are before 1970. */
const FIRST_YEAR = 1970;

let rememberedDay = -1;

/** Other times of a day that was formatted are parsed ten times as fast, and most lines are of the day before. */
function rememberDay(epochMs: number): void {
  const day = dayOf(epochMs);
  if (day !== rememberedDay) formatTimestamp(epochMs);
  rememberedDay = day;
}

function fromNumber(number: number): number | undefined {
  if (!Number.isFinite(number)) return undefined;
  if (number < 0) return -Infinity;
  if (number >= MICROSECONDS_FROM) return Math.trunc(number / 1_000);
  return Math.trunc(number >= MILLISECONDS_FROM ? number : number * 1_000);
}

/** The longest number that is a time. */
const TIME_DIGITS = 16;

function isDigits(text: string): boolean {
  if (text.length > TIME_DIGITS) return false;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 48 || text.charCodeAt(at) > 57) return false;
  return true;
}
