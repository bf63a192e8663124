import type { FieldFault } from '../../../core/kernel/errors.ts';
import { pointerPart, type JsonText } from '../../../core/kernel/text/json.ts';
import { SEGMENT_CLIENT_LIMITS } from './limits.ts';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { documentText } from '../input/document-text.ts';
import { isEmptyList, isPlainObject } from '../../../core/kernel/validation/plain-object.ts';

/*
 * Makes the free-form objects of third-party clients fit the rules of this service, because those clients would drop a
 * refused batch. Characters and numbers that cannot be stored are replaced. What exceeds a bound is cut and is a fault.
 */

/** An object that may be stored, and what was cut for it. */
export interface Fitted {
  document: Record<string, unknown>;
  text: JsonText;
  faults: FieldFault[];
}

/**
 * @param value an absent one stands for an empty object
 * @param path JSON Pointer to the value in the message
 */
export function fitDocument(value: unknown, path: string): Fitted {
  const fit: Fit = { faults: [], parts: [] };
  if (isAbsent(value)) return { document: {}, text: '{}', faults: fit.faults };
  if (!isPlainObject(value)) {
    const whole = { value: fitValue(value, 1, fit) };
    const text = documentText(whole);
    const faults = [{ path, message: 'must be an object' }];
    return text === undefined ? { document: {}, text: '{}', faults } : { document: whole, text, faults };
  }
  const document = fitObject(value, 0, fit);
  const text = documentText(document);
  const faults = fit.faults.map((fault) => ({ ...fault, path: path + fault.path }));
  if (text !== undefined) return { document, text, faults };
  faults.unshift({ path, message: `must be at most ${TEXT_LIMITS.documentBytes} bytes as JSON` });
  return { document: {}, text: '{}', faults };
}

/** Whether a value in the place of an object is one that languages write for none. */
export function isAbsent(value: unknown): value is undefined | null | [] {
  return value === undefined || value === null || isEmptyList(value);
}

/** A text without characters that cannot be stored: U+0000 and lone surrogates become U+FFFD. */
export function fitText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes('\u0000') ? wellFormed.replaceAll('\u0000', '\uFFFD') : wellFormed;
}

interface Fit {
  faults: FieldFault[];
  /** The names on the way to the current value. */
  parts: string[];
}

/** A UTF-16 code unit takes at most 3 bytes of UTF-8. */
const CUT_LENGTH = Math.floor(TEXT_LIMITS.stringBytes / 3);

/** The value itself if it fits, so that most values are not copied. */
function fitValue(value: unknown, depth: number, fit: Fit): unknown {
  if (typeof value === 'string') return fitString(value, fit);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= SEGMENT_CLIENT_LIMITS.fittedDepth) {
    note(fit, `is nested more than ${SEGMENT_CLIENT_LIMITS.fittedDepth} levels deep`);
    return null;
  }
  return Array.isArray(value) ? fitList(value, depth, fit) : fitObject(value, depth, fit);
}

function fitString(text: string, fit: Fit): string {
  if (text.length * 3 <= TEXT_LIMITS.stringBytes || Buffer.byteLength(text) <= TEXT_LIMITS.stringBytes)
    return fitText(text);
  note(fit, `must be a string of at most ${TEXT_LIMITS.stringBytes} bytes`);
  return fitText(text.slice(0, CUT_LENGTH));
}

function fitList(list: readonly unknown[], depth: number, fit: Fit): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    fit.parts.push(String(index));
    const fitted = fitValue(item, depth + 1, fit);
    fit.parts.pop();
    if (fitted === item) continue;
    copy ??= [...list];
    copy[index] = fitted;
  }
  return copy ?? list;
}

function fitObject(object: object, depth: number, fit: Fit): Record<string, unknown> {
  const fitted: [string, unknown][] = [];
  let isSame = true;
  const longest = depth === 0 ? TEXT_LIMITS.nameLength : CUT_LENGTH;
  for (const [name, value] of Object.entries(object)) {
    const fittedName = fitText(name);
    fit.parts.push(fittedName.slice(0, TEXT_LIMITS.nameLength));
    if (name.length > longest || (depth === 0 && name === '')) {
      note(fit, `has a field name that must have 1 to ${longest} characters`);
      isSame = false;
    } else if (depth === 0 && fitted.length >= TEXT_LIMITS.documentKeys) {
      if (fitted.length === TEXT_LIMITS.documentKeys && isSame)
        note(fit, `is beyond the ${TEXT_LIMITS.documentKeys} fields`);
      isSame = false;
    } else {
      const fittedValue = fitValue(value, depth + 1, fit);
      if (fittedName !== name || fittedValue !== value) isSame = false;
      fitted.push([fittedName, fittedValue]);
    }
    fit.parts.pop();
  }
  // Object.fromEntries keeps a field named __proto__ as an own property.
  return isSame && isPlainObject(object) ? object : Object.fromEntries(fitted);
}

function note({ faults, parts }: Fit, message: string): void {
  if (faults.length >= SHARED_LIMITS.quarantineFaults) return;
  const path = parts.map((part) => `/${pointerPart(part)}`).join('');
  faults.push({ path: path.slice(0, SHARED_LIMITS.quarantineFaultLength).toWellFormed(), message });
}
