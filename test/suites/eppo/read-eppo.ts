import { aFlag, aRule } from '../../../actors/flags/evaluate/testing-flag.ts';
import { bucketsIn } from '../../../actors/conditions/buckets/hash.ts';
import { sortableVersion } from '../../../actors/conditions/texts/version.ts';
import type { FlagDocument, FlagRule, FlagType } from '../../../core/vocabulary/documents/documents.ts';
import type { FlagServe } from '../../../core/vocabulary/documents/flag-serve.ts';
import type { Json, JsonObject } from '../../../core/kernel/text/json.ts';
import { type Case, linesOf } from '../suite.ts';

interface Condition {
  attribute: string;
  operator: string;
  value: Json;
}

interface Split {
  variationKey: string;
  shards: { salt: string; ranges: { start: number; end: number }[] }[];
}

interface Allocation {
  key: string;
  rules?: { conditions: Condition[] }[] | null;
  startAt?: string | null;
  endAt?: string | null;
  splits: Split[];
}

interface Flag {
  key: string;
  enabled: boolean;
  type: string;
  variations: Record<string, { key: string; value: Json }>;
  allocations: Allocation[];
  tests: [fallback: Json, subject: string, attributes: JsonObject, assignment: Json][];
}

const TYPES: Readonly<Record<string, FlagType>> = {
  BOOLEAN: 'boolean',
  STRING: 'string',
  JSON: 'json',
  NUMERIC: 'number',
  INTEGER: 'number',
};
const NOW_MS = Date.UTC(2026, 10, 27);

export function eppoFlags(): { key: string; cases: Case[] }[] {
  return linesOf<Flag>(new URL('cases.jsonl', import.meta.url)).map((flag) => ({
    key: flag.key,
    cases: casesOf(flag),
  }));
}

function casesOf(flag: Flag): Case[] {
  const document = flagOf(flag);
  return flag.tests.map(([fallback, subject, attributes, assignment]) => ({
    name: `${flag.key} ${subject} ${JSON.stringify(attributes)}`,
    flags:
      flag.type === 'INTEGER' && assignment === fallback && hasFraction(flag)
        ? 'a value that is no integer: numbers are one type here'
        : [document],
    context: { id: subject, ...attributes },
    nowMs: NOW_MS,
    expected: assignment,
    // Without a value the caller's own default is used.
    resultOf: ({ value, reason }) =>
      reason === 'flag_disabled' || reason === 'default' ? fallback : (JSON.parse(value) satisfies Json),
  }));
}

const hasFraction = ({ variations }: Flag): boolean =>
  Object.values(variations).some(({ value }) => typeof value === 'number' && !Number.isInteger(value));

function flagOf({ key, enabled, type, variations, ...flag }: Flag): FlagDocument {
  // One allocation, which never applies, names a variation that is not there.
  const allocations = flag.allocations.filter(
    ({ splits: [first] }) => first === undefined || first.variationKey in variations,
  );
  const flagType = TYPES[type] ?? 'json';
  const valueOf = (value: Json): Json => (type === 'JSON' && typeof value === 'string' ? JSON.parse(value) : value);
  const served = new Set(allocations.flatMap(({ splits }) => splits.map(({ variationKey }) => variationKey)));
  const variants = Object.entries(variations).map(([name, { value }]) => ({
    key: name,
    value: valueOf(value),
    // The only one that is served needs no word of a rule.
    weight: served.size !== 1 || served.has(name) ? 1 : 0,
  }));
  // A flag has a variant here, although no rule serves it.
  const some = variants.length === 0 ? [{ key: 'none', value: flagType === 'number' ? 0 : '', weight: 1 }] : variants;
  return aFlag({
    key,
    enabled,
    flagType,
    salt: key,
    variants: flagType === 'boolean' ? [] : some,
    rules: allocations.flatMap((allocation) => rulesOf(allocation, flagType, variations, served.size > 1)),
  });
}

function rulesOf(
  allocation: Allocation,
  type: FlagType,
  variations: Flag['variations'],
  isOneOfSeveral: boolean,
): FlagRule[] {
  const { splits, startAt, endAt } = allocation;
  const rules = (allocation.rules ?? []).map(({ conditions }) => ({ $and: conditions.map(conditionOf) }));
  const [only = {}] = rules;
  const conditions: JsonObject | undefined =
    rules.length === 0 ? undefined : rules.length === 1 ? only : { $or: rules };
  const common = {
    ...(conditions === undefined ? {} : { conditions }),
    startAt: startAt ? Date.parse(startAt) : null,
    endAt: endAt ? Date.parse(endAt) : null,
  };
  const [first] = splits;
  if (first === undefined) return [];
  // The last shard divides, those before it let players in.
  const traffic = first.shards.slice(0, -1).map((shard) => widthOf([shard]));
  const percentage =
    Math.min(100, ...traffic) * (splits.reduce((sum, { shards }) => sum + widthOf(shards.slice(-1)), 0) / 100);
  const isOne = splits.length === 1;
  const { variationKey } = first;
  const serve: FlagServe = isOne
    ? { variant: variationKey }
    : { weights: splits.map(({ variationKey: key, shards }) => ({ key, weight: widthOf(shards.slice(-1)) })) };
  const salt = first.shards[0]?.salt;
  const isDrawn = percentage < 100 || !isOne;
  const bucketing = isDrawn && salt !== undefined ? ({ salt, bucketBy: 'attribute:id' } as const) : {};
  const value = type !== 'boolean' || variations[variationKey]?.value === true;
  const served = type === 'boolean' || (isOne && !isOneOfSeveral) ? {} : { serve };
  return [aRule({ ...common, ...bucketing, percentage: bucketsIn(percentage) / 100, value, ...served })];
}

/** The share of a shard in percent; all without one. */
function widthOf(shards: Split['shards']): number {
  const [shard] = shards;
  return shard === undefined ? 100 : shard.ranges.reduce((sum, { start, end }) => sum + (end - start) / 100, 0);
}

const VERSIONS: Readonly<Record<string, string>> = { GT: '$vgt', GTE: '$vgte', LT: '$vlt', LTE: '$vlte' };
const NUMBERS: Readonly<Record<string, string>> = { GT: '$gt', GTE: '$gte', LT: '$lt', LTE: '$lte' };

function conditionOf({ attribute, operator, value }: Condition): JsonObject {
  const field = `context.${attribute}`;
  const texts = Array.isArray(value) ? value.map(String) : [];
  const pattern = typeof value === 'string' ? value : '';
  switch (operator) {
    case 'ONE_OF':
      return { [field]: { $in: typed(texts) } };
    case 'NOT_ONE_OF':
      return { [field]: { $exists: true, $nin: typed(texts) } };
    case 'MATCHES':
      return matches(field, pattern);
    case 'NOT_MATCHES':
      return { [field]: { $exists: true }, $not: matches(field, pattern) };
    case 'IS_NULL':
      return { [field]: { $exists: value !== true } };
  }
  const isVersion = typeof value === 'string' && Number.isNaN(Number(value)) && sortableVersion(value) !== undefined;
  const name = (isVersion ? VERSIONS : NUMBERS)[operator] ?? '';
  return { [field]: { $exists: true, [name]: isVersion ? value : Number(value) } };
}

/** Attributes are compared as texts there. */
function typed(texts: readonly string[]): Json[] {
  return texts.flatMap((text): Json[] => {
    const number = Number(text);
    const ofNumber = text.trim() !== '' && !Number.isNaN(number) ? [number] : [];
    return [text, ...ofNumber, ...(text === 'true' ? [true] : []), ...(text === 'false' ? [false] : [])];
  });
}

function matches(field: string, pattern: string): JsonObject {
  const booleans = [true, false].filter((value) => new RegExp(pattern).test(String(value)));
  return { $or: [{ [field]: { $regex: pattern } }, ...booleans.map((value) => ({ [field]: value }))] };
}
