import { pointerPart } from '../text/json.ts';
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import type { Static, TSchema } from 'typebox';
import type { FieldFault } from '../errors.ts';
import { isEmail } from '../text/email.ts';
import { dropAbsent } from './absent-values.ts';
import { isPlainObject } from './plain-object.ts';
import { BROKEN_ID, isBrokenId } from '../text/broken-id.ts';
import { SHARED_LIMITS } from '../limits.ts';
import { fieldsWanted, knownFields } from './known-fields.ts';
import { VALIDATION_LIMITS } from './limits.ts';
import { parseAmount, unitsText } from '../money.ts';
import { parseTimestamp } from '../text/timestamp.ts';
import { isCurrency } from './currencies.ts';
import { parseVersionTag } from './version-tag.ts';
import { isUuid } from '../uuid.ts';

/*
 * Compiles TypeBox schemas with Ajv and words their faults.
 * Invariant: validating a body takes bounded time, whatever the body holds.
 */

/** A compiled schema. */
export interface Check<T> {
  accepts(value: unknown): value is T;
  /**
   * The faults of the value that `accepts` has just refused: at most `reportedFaults`, or only the first one if
   * the value holds more than `validatedValues` values.
   */
  faultsOf(value: unknown): FieldFault[];
}

/**
 * A check of a TypeBox schema. Call it once per schema, when its module loads. The schema is compiled when the first
 * value is checked: a process checks few of the schemas that it loads, and all of them take half a second.
 * @param dropsAbsentIn where `accepts` deletes absent values of optional fields before it refuses: in the whole value,
 * or in its property `body` alone
 */
export function compile<S extends TSchema, T = Static<S>>(
  schema: S,
  { dropsAbsentIn }: { dropsAbsentIn?: 'value' | 'body' } = {},
): Check<T> {
  const { properties = {} }: { properties?: Record<string, TSchema> } = schema;
  const drops = (value: unknown): boolean => {
    if (dropsAbsentIn === 'value') return dropAbsent(value, schema);
    return dropsAbsentIn === 'body' && isPlainObject(value) && dropAbsent(value['body'], { ...properties['body'] });
  };
  let first: ValidateFunction<T> | undefined;
  let all: ValidateFunction | undefined;
  return {
    accepts(value): value is T {
      first ??= firstFault.compile<T>({ ...schema });
      return first(value) || (drops(value) && first(value));
    },
    faultsOf(value) {
      // Ajv cannot stop after a number of faults: a million invalid items make a million errors.
      if (!holdsAtMost(value, VALIDATION_LIMITS.validatedValues)) {
        return (first?.errors ?? []).slice(0, 1).map(faultOf);
      }
      all ??= allFaults.compile({ ...schema });
      all(value);
      return (all.errors ?? []).slice(0, VALIDATION_LIMITS.reportedFaults).map(faultOf);
    },
  };
}

/** Whether a parsed JSON value holds at most `most` values, itself included. Visits at most `most` values. */
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

const OPTIONS: Options = {
  allowUnionTypes: true,
  // Errors carry the invalid value, for the messages that state its size.
  verbose: true,
  keywords: ['x-items', 'x-shown'],
  formats: {
    'date-time': (text: string) => parseTimestamp(text) !== undefined,
    email: isEmail,
    uuid: isUuid,
    'external-id': (text: string) => !isBrokenId(text),
    'caller-id': (text: string) => !isBrokenId(text),
    amount: (text: string) => parseAmount(text) !== undefined,
    currency: isCurrency,
    delay: /^[1-9]\d{0,4}[mhd]$/,
    'bucket-by': /^(?:player|device|attribute:[^]+)$/,
    'version-tag': (text: string) => parseVersionTag(text) !== undefined,
  },
};

/** Stops at the first fault. Sizes are checked before contents, so the items of an oversized list are not visited. */
const firstFault = new Ajv(OPTIONS);
/** Finds every fault. Used for small values only. */
const allFaults = new Ajv({ ...OPTIONS, allErrors: true });

const FORMAT_MESSAGES: Readonly<Record<string, string>> = {
  'date-time': 'must be an ISO 8601 time in the years 1970 to 2299, for example 2026-01-15T10:30:00Z',
  email: 'must be an e-mail address',
  'external-id': BROKEN_ID,
  'caller-id': BROKEN_ID,
  uuid: 'must be a UUID: the `id` that the service answered for it',
  amount:
    'must be a decimal number that is greater than 0 after rounding to 4 decimals and at most ' +
    unitsText(SHARED_LIMITS.purchaseAmount),
  'version-tag': 'must be a version (3, "3" or W/"3") or *',
  currency: 'must be an ISO 4217 currency code in upper case, for example USD',
  delay: 'must be a time in minutes, hours or days, such as 90m, 24h or 7d',
  'bucket-by': 'must be player, device or attribute:<path>, such as attribute:guild',
};

/** The fault that callers see for an error of Ajv. */
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
      return `is not a known field${knownFields(error.parentSchema, String(params['additionalProperty']))}`;
    case 'format':
      return FORMAT_MESSAGES[String(params['format'])] ?? 'has the wrong format';
    case 'type':
      return `must be ${[params['type']].flat().join(' or ')}${error.instancePath === '' ? '' : fieldsWanted(error.parentSchema)}`;
    case 'enum':
      return `must be one of ${JSON.stringify(params['allowedValues'])}`;
    case 'pattern':
      return keyMessage(String(params['pattern'])) ?? error.message ?? 'is invalid';
    case 'propertyNames':
      return 'is not a valid field name';
    default:
      return limitMessage(error, Number(params['limit'])) ?? error.message ?? 'is invalid';
  }
}

/** The message for the pattern of a key; undefined for another pattern. */
function keyMessage(pattern: string): string | undefined {
  const [, most] = /\[A-Za-z0-9._-\]\{1,(\d+)\}\$$/.exec(pattern) ?? [];
  const dots = pattern.startsWith('^(?!') ? ', and must not be . or ..' : '';
  return most === undefined ? undefined : `must have 1 to ${most} characters of A-Z a-z 0-9 . _ -${dots}`;
}

/** The message for a bound that the value exceeds. */
function limitMessage({ keyword, data, propertyName }: ErrorObject, limit: number): string | undefined {
  const subject = propertyName === undefined ? 'must have' : 'has a field name that must have';
  switch (keyword) {
    case 'maxItems':
      return Array.isArray(data)
        ? `has ${data.length} items; the maximum is ${limit}`
        : `must have at most ${limit} items`;
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} items`;
    case 'maxLength':
      return `${subject} at most ${limit} characters`;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `${subject} at least ${limit} characters`;
    case 'maxProperties':
      return `must have at most ${limit} fields`;
    case 'minProperties':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} fields`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'exclusiveMinimum':
      return `must be greater than ${limit}`;
    case 'exclusiveMaximum':
      return `must be less than ${limit}`;
    default:
      return undefined;
  }
}
