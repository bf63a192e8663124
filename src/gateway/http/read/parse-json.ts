import { pointerPart } from '../../../../core/kernel/text/json.ts';
import { isUtf8 } from 'node:buffer';
import { withoutMark } from '../../../../core/kernel/text/byte-order-mark.ts';
import type { FieldFault } from '../../../../core/kernel/errors.ts';
import { BODY_LIMITS } from './limits.ts';
import { SHARED_LIMITS } from '../../../../core/kernel/limits.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import { VALIDATION_LIMITS } from '../../../../core/kernel/validation/limits.ts';
import { integersPastDouble, scanJson, type ScanVerdict } from './json-scan.ts';

/**
 * `parsed`: valid JSON; `faults` lists values that are not allowed. `broken`: not valid JSON, for the reason in
 * `message`. `__proto__` keys in the text become own properties of the value.
 */
export type ParsedJson = { kind: 'parsed'; value: unknown; faults: FieldFault[] } | { kind: 'broken'; message: string };

const NO_FAULTS: FieldFault[] = [];

/** Parses a body strictly. @param body UTF-8, with or without a byte order mark */
export function parseJson(body: Buffer): ParsedJson {
  const bytes = withoutMark(body);
  if (!isUtf8(bytes)) return { kind: 'broken', message: 'is not valid UTF-8' };
  const verdict = scanJson(bytes);
  const refused = REFUSED[verdict];
  if (refused !== undefined) return { kind: 'broken', message: refused };
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'broken', message: 'is not valid JSON' };
  }
  if (verdict === 'plain') return { kind: 'parsed', value, faults: NO_FAULTS };
  const pastDouble = integersPastDouble(bytes);
  if (pastDouble === undefined)
    return { kind: 'broken', message: 'has too many integers greater than 2^53; send them as strings' };
  return { kind: 'parsed', value, faults: faultsOf(value, pastDouble) };
}

/**
 * Parses a body whose route makes faulty values fit by itself: only what cannot be parsed in bounded time is refused.
 * @param body UTF-8, with or without a byte order mark
 */
export function parseLenientJson(body: Buffer): ParsedJson {
  return parseFitting(withoutMark(body)).parsed;
}

/** As `parseLenientJson`, and names the values that must be made fit. */
export function parseNotedJson(body: Buffer): ParsedJson {
  const bytes = withoutMark(body);
  const { parsed, verdict } = parseFitting(bytes);
  if (parsed.kind === 'broken' || verdict === 'plain') return parsed;
  return { ...parsed, faults: faultsOf(parsed.value, integersPastDouble(bytes) ?? NO_INTEGERS) };
}

function parseFitting(bytes: Buffer): { parsed: ParsedJson; verdict?: ScanVerdict } {
  if (!isUtf8(bytes)) return { parsed: { kind: 'broken', message: 'is not valid UTF-8' } };
  const verdict = scanJson(bytes, BODY_LIMITS.lenientJsonDepth);
  const refused = verdict === 'too_deep' ? 'is nested too deeply; flatten it' : REFUSED[verdict];
  if (refused !== undefined) return { parsed: { kind: 'broken', message: refused } };
  try {
    return { parsed: { kind: 'parsed', value: JSON.parse(bytes.toString('utf8')), faults: NO_FAULTS }, verdict };
  } catch {
    return { parsed: { kind: 'broken', message: 'is not valid JSON' } };
  }
}

const NO_INTEGERS: ReadonlySet<number> = new Set();

const REFUSED: { readonly [verdict in ScanVerdict]?: string } = {
  too_deep: `is nested more than ${SHARED_LIMITS.jsonDepth} levels deep; flatten it`,
  too_many_values:
    `has more than ${BODY_LIMITS.jsonSeparators} commas, colons and opening brackets outside of strings; ` +
    'split it into several requests',
  number_too_long: `has a number of more than ${BODY_LIMITS.jsonNumberLength} characters; send it as a string`,
};

/** The position of an object or array. Only faults need the path as text. */
interface Place {
  above: Place | undefined;
  name: string | number;
}

function pathOf(place: Place | undefined): string {
  const parts: string[] = [];
  for (let at = place; at !== undefined; at = at.above) {
    parts.push(typeof at.name === 'number' ? String(at.name) : pointerPart(at.name));
  }
  return parts
    .reverse()
    .map((part) => `/${part}`)
    .join('');
}

function faultsOf(root: unknown, pastDouble: ReadonlySet<number>): FieldFault[] {
  const faults: FieldFault[] = [];
  const note = (above: Place | undefined, name: string | number | undefined, message: string | undefined): void => {
    if (message === undefined || faults.length >= VALIDATION_LIMITS.reportedFaults) return;
    faults.push({ path: pathOf(name === undefined ? above : { above, name }), message });
  };
  const walk = (value: unknown, above: Place | undefined, name: string | number | undefined): void => {
    if (faults.length >= VALIDATION_LIMITS.reportedFaults) return;
    if (typeof value === 'string') note(above, name, stringFault(value));
    else if (typeof value === 'number') note(above, name, numberFault(value, pastDouble));
    else if (typeof value === 'object' && value !== null) {
      const here = name === undefined ? undefined : { above, name };
      if (Array.isArray(value)) value.forEach((item, index) => walk(item, here, index));
      else walkObject(value, here);
    }
  };
  const walkObject = (value: object, here: Place | undefined): void => {
    for (const [key, item] of Object.entries(value)) {
      const fault = stringFault(key);
      note(here, undefined, fault === undefined ? undefined : `has a field name that ${fault}`);
      walk(item, here, key);
    }
  };
  walk(root, undefined, undefined);
  return faults;
}

function stringFault(text: string): string | undefined {
  if (text.includes('\u0000')) return 'must not contain the character U+0000';
  if (!text.isWellFormed()) return 'must not contain a lone surrogate';
  if (text.length * 3 > TEXT_LIMITS.stringBytes && Buffer.byteLength(text) > TEXT_LIMITS.stringBytes) {
    return `must be a string of at most ${TEXT_LIMITS.stringBytes} bytes`;
  }
  return undefined;
}

function numberFault(value: number, pastDouble: ReadonlySet<number>): string | undefined {
  if (!Number.isFinite(value)) return 'must be a finite number';
  return pastDouble.has(Math.abs(value))
    ? 'must be an integer of at most 2^53; send larger ones as strings'
    : undefined;
}
