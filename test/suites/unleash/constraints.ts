import { readRange } from '../../../actors/conditions/texts/address.ts';
import { sortableVersion } from '../../../actors/conditions/texts/version.ts';
import { parseTimestamp } from '../../../core/kernel/text/timestamp.ts';
import type { Json, JsonObject } from '../../../core/kernel/text/json.ts';

/* Constraints of Unleash as conditions on the context. */

export interface Constraint {
  contextName: string;
  operator: string;
  values?: string[];
  value?: string;
  inverted?: boolean;
  caseInsensitive?: boolean;
}

export const NEVER: JsonObject = {
  $nor: [{ 'context.any': { $exists: true } }, { 'context.any': { $exists: false } }],
};

export function constraintOf(constraint: Constraint): JsonObject {
  const made = plain(constraint);
  return constraint.inverted === true ? { $not: made } : made;
}

/** An address in one of the ranges; what is no range there is left out. */
export function anyOf(name: string, texts: readonly string[]): JsonObject {
  const ranges = texts.map((text) => text.trim()).filter((text) => readRange(text) !== undefined);
  return ranges.length === 0 ? NEVER : { [`context.${name}`]: { $inCidr: ranges } };
}

const NUMBERS: Readonly<Record<string, string>> = {
  NUM_EQ: '$eq',
  NUM_GT: '$gt',
  NUM_GTE: '$gte',
  NUM_LT: '$lt',
  NUM_LTE: '$lte',
};
const VERSIONS: Readonly<Record<string, string>> = {
  SEMVER_EQ: '$veq',
  SEMVER_GT: '$vgt',
  SEMVER_GTE: '$vgte',
  SEMVER_LT: '$vlt',
  SEMVER_LTE: '$vlte',
};
const TEXTS: Readonly<Record<string, (text: string) => string>> = {
  STR_CONTAINS: (text) => text,
  STR_STARTS_WITH: (text) => `^${text}`,
  STR_ENDS_WITH: (text) => `${text}$`,
};

function plain({ contextName, operator, values = [], value = '', caseInsensitive = false }: Constraint): JsonObject {
  const field = `context.${contextName}`;
  const number = NUMBERS[operator];
  if (number !== undefined) return comparedNumber(field, number, value);
  const version = VERSIONS[operator];
  if (version !== undefined) return sortableVersion(value) === undefined ? NEVER : { [field]: { [version]: value } };
  const pattern = TEXTS[operator];
  if (pattern !== undefined) return textIn(field, values.map(escaped).map(pattern), caseInsensitive);
  switch (operator) {
    case 'IN':
      return { [field]: { $in: withNumbers(values) } };
    case 'NOT_IN':
      return { [field]: { $nin: withNumbers(values) } };
    case 'DATE_AFTER':
    case 'DATE_BEFORE':
      if (parseTimestamp(value) === undefined) return NEVER;
      return { [field]: { [operator === 'DATE_AFTER' ? '$after' : '$before']: value } };
    case 'REGEX':
      return textIn(field, [value], caseInsensitive);
    case 'IN_CIDR':
      return anyOf(contextName, values);
  }
  return NEVER;
}

function comparedNumber(field: string, operator: string, value: string): JsonObject {
  const number = Number(value);
  if (value.trim() === '' || Number.isNaN(number)) return NEVER;
  const exists = { [field]: { $exists: true } };
  if (operator !== '$eq') return { $and: [exists, { [field]: { [operator]: number } }] };
  return { $and: [exists, { [field]: { $gte: number } }, { [field]: { $lte: number } }] };
}

function textIn(field: string, patterns: readonly string[], caseInsensitive: boolean): JsonObject {
  const operator = caseInsensitive ? '$regexi' : '$regex';
  return patterns.length === 0 ? NEVER : { $or: patterns.map((pattern) => ({ [field]: { [operator]: pattern } })) };
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/** Values of the context are compared as texts there. */
function withNumbers(values: readonly string[]): Json[] {
  if (values.length === 0) return ['no such value'];
  return values.flatMap((text): Json[] =>
    text.trim() !== '' && !Number.isNaN(Number(text)) ? [text, Number(text)] : [text],
  );
}
