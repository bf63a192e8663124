import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import type { Static, TSchema } from 'typebox';
import type { FieldFault } from '../kernel/errors.ts';
import { isEmail } from '../kernel/email.ts';
import { LIMITS } from '../kernel/limits.ts';
import { parseAmount, unitsText } from '../kernel/money.ts';
import { parseTimestamp } from '../kernel/timestamp.ts';
import { isCurrency } from './players/currencies.ts';
import { parseVersionTag } from './version-tag.ts';

/** A compiled schema. */
export interface Check<T> {
  accepts(value: unknown): value is T;
  /**
   * What is wrong with the value that `accepts` has just refused: all its faults, up to `LIMITS.reportedFaults`, when it is
   * small, and the first one when it holds more than `LIMITS.validatedValues`.
   */
  faultsOf(value: unknown): FieldFault[];
}

/** Compiles a TypeBox schema. Done once per schema, when the module that holds it is loaded. */
export function compile<S extends TSchema>(schema: S): Check<Static<S>> {
  const first = firstFault.compile<Static<S>>({ ...schema });
  let all: ValidateFunction | undefined;
  return {
    accepts: (value): value is Static<S> => first(value),
    faultsOf(value) {
      // Ajv cannot stop after a number of faults: a million wrong items make a million errors.
      if (!holdsAtMost(value, LIMITS.validatedValues)) {
        return (first.errors ?? []).slice(0, 1).map(faultOf);
      }
      all ??= allFaults.compile({ ...schema });
      all(value);
      return (all.errors ?? []).slice(0, LIMITS.reportedFaults).map(faultOf);
    },
  };
}

/** Whether a parsed JSON value holds at most so many values, itself included. Looks at no more than that. */
export function holdsAtMost(value: unknown, most: number): boolean {
  let left = most;
  const count = (each: unknown): boolean => {
    left -= 1;
    if (left < 0) return false;
    if (typeof each !== 'object' || each === null) return true;
    if (Array.isArray(each)) return each.length <= left && each.every(count);
    for (const name in each) if (!count(Reflect.get(each, name))) return false;
    return true;
  };
  return count(value);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const OPTIONS: Options = {
  allowUnionTypes: true,
  keywords: ['x-items', 'x-shown'],
  formats: {
    'date-time': (text: string) => parseTimestamp(text) !== undefined,
    email: isEmail,
    uuid: UUID,
    amount: (text: string) => parseAmount(text) !== undefined,
    currency: isCurrency,
    'version-tag': (text: string) => parseVersionTag(text) !== undefined,
  },
};

/** Accepts or refuses, and stops at the first fault: sizes come before contents, so a list that is too long is not looked into. */
const firstFault = new Ajv(OPTIONS);
/** Finds every fault. Only for small values. */
const allFaults = new Ajv({ ...OPTIONS, allErrors: true });

const FORMAT_MESSAGES: Readonly<Record<string, string>> = {
  'date-time': 'must be an ISO 8601 time in the years 1970 to 2299',
  email: 'must be an e-mail address',
  uuid: 'must be a UUID',
  amount: `must be a decimal number, over 0 once rounded to 4 decimals and at most ${unitsText(LIMITS.purchaseAmount)}`,
  'version-tag': 'must be a version (3, "3" or W/"3") or *',
  currency: 'must be the code of a currency (ISO 4217), in upper case',
};

/** An error of the validator as callers are told it. */
export function faultOf(error: ErrorObject): FieldFault {
  const params: Record<string, unknown> = error.params;
  const child = params['missingProperty'] ?? params['additionalProperty'] ?? params['propertyName'];
  const path = typeof child === 'string' ? `${error.instancePath}/${pointerPart(child)}` : error.instancePath;
  return { path, message: messageOf(error, params) };
}

function messageOf(error: ErrorObject, params: Record<string, unknown>): string {
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a known field';
    case 'format':
      return FORMAT_MESSAGES[String(params['format'])] ?? 'has the wrong format';
    case 'enum':
      return `must be one of ${JSON.stringify(params['allowedValues'])}`;
    case 'propertyNames':
      return 'is not a usable name';
    default:
      return error.message ?? 'is not valid';
  }
}

/** One part of a JSON Pointer (RFC 6901). */
export function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
