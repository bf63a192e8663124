import { isUtf8 } from 'node:buffer';
import { pointerPart } from '../api/validation.ts';
import type { FieldFault } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { integersPastDouble, scanJson } from './json-scan.ts';

/**
 * `parsed`: usable JSON, `faults` empty unless single values in it are not. `broken`: no usable JSON at all.
 * Own `__proto__` keys of the text are ordinary own properties of the value.
 */
export type ParsedJson = { kind: 'parsed'; value: unknown; faults: FieldFault[] } | { kind: 'broken'; message: string };

const NO_FAULTS: FieldFault[] = [];

/** Parses a body strictly. @param bytes UTF-8 */
export function parseJson(bytes: Buffer): ParsedJson {
  if (!isUtf8(bytes)) return { kind: 'broken', message: 'The body is not valid UTF-8.' };
  const verdict = scanJson(bytes);
  if (verdict === 'too_deep') {
    return { kind: 'broken', message: `The body is nested deeper than ${LIMITS.jsonDepth} levels.` };
  }
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'broken', message: 'The body is not valid JSON.' };
  }
  return { kind: 'parsed', value, faults: verdict === 'plain' ? NO_FAULTS : faultsOf(value, text) };
}

function faultsOf(root: unknown, text: string): FieldFault[] {
  const faults: FieldFault[] = [];
  const pastDouble = integersPastDouble(text);
  const note = (path: string, message: string | undefined): void => {
    if (message !== undefined) faults.push({ path, message });
  };
  const walk = (value: unknown, path: string): void => {
    if (faults.length >= LIMITS.reportedFaults) return;
    if (typeof value === 'string') note(path, stringFault(value));
    else if (typeof value === 'number') note(path, numberFault(value, pastDouble));
    else if (Array.isArray(value)) value.forEach((item, index) => walk(item, `${path}/${index}`));
    else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) {
        const fault = stringFault(name);
        note(path, fault === undefined ? undefined : `has a key that ${fault}`);
        walk(item, `${path}/${pointerPart(name)}`);
      }
    }
  };
  walk(root, '');
  return faults;
}

function stringFault(text: string): string | undefined {
  if (text.includes('\u0000')) return 'must not hold U+0000';
  if (!text.isWellFormed()) return 'must not hold a lone surrogate';
  if (text.length * 3 > LIMITS.stringBytes && Buffer.byteLength(text) > LIMITS.stringBytes) {
    return `must be at most ${LIMITS.stringBytes} bytes`;
  }
  return undefined;
}

function numberFault(value: number, pastDouble: ReadonlySet<number>): string | undefined {
  if (!Number.isFinite(value)) return 'must be a finite number';
  return pastDouble.has(value) ? 'must be an integer up to 2^53, or a string' : undefined;
}
