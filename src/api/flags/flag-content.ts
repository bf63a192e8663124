import type { Static } from 'typebox';
import type { FlagDocument, FlagRule, FlagType } from '../../../core/vocabulary/documents/documents.ts';
import type { FieldFault } from '../../../core/kernel/errors.ts';
import { bucketByOf, type FlagServe } from '../../../core/vocabulary/documents/flag-serve.ts';
import { parseTimestamp } from '../../../core/kernel/text/timestamp.ts';
import type { FlagBody, FlagPatch } from './flag-resource.ts';

/* Converts bodies of flag requests into the parts of a flag that callers set. */

/** The parts of a flag that callers set. */
export type FlagContent = Pick<
  FlagDocument,
  | 'name'
  | 'description'
  | 'flagType'
  | 'enabled'
  | 'defaultValue'
  | 'defaultServe'
  | 'bucketBy'
  | 'variants'
  | 'rules'
  | 'prerequisites'
  | 'clientVisible'
  | 'endsAt'
>;

/** A flag with the defaults of its type. */
export function emptyContent(key: string, flagType: FlagType): FlagContent {
  return {
    name: key,
    description: '',
    flagType,
    enabled: true,
    defaultValue: flagType === 'boolean' ? false : null,
    variants: [],
    rules: [],
    prerequisites: [],
    clientVisible: true,
  };
}

/**
 * Merges a body into a flag: missing fields keep the value in `kept`, null takes the default in `empty`. The type is
 * that of `empty`.
 */
export function contentOf(body: Static<typeof FlagPatch>, kept: FlagContent, empty: FlagContent): FlagContent {
  const defaultServe = over(body.default_serve, kept.defaultServe, undefined, serveOf);
  const bucketBy = over(body.bucket_by, kept.bucketBy, undefined, bucketByOf);
  const endsAt = over(body.ends_at, kept.endsAt, undefined, parseTimestamp);
  return {
    flagType: empty.flagType,
    ...(endsAt === undefined ? {} : { endsAt }),
    ...(defaultServe === undefined ? {} : { defaultServe }),
    ...(bucketBy === undefined || bucketBy === 'player' ? {} : { bucketBy }),
    name: over(body.name, kept.name, empty.name, same),
    description: over(body.description, kept.description, empty.description, same),
    enabled: over(body.enabled, kept.enabled, empty.enabled, same),
    clientVisible: over(body.client_visible, kept.clientVisible ?? true, empty.clientVisible ?? true, same),
    defaultValue: over(body.default_value, kept.defaultValue, empty.defaultValue, same),
    variants: over(body.variants, kept.variants, empty.variants, (variants) =>
      variants.map(({ key, value, weight }) => ({ key, value, weight })),
    ),
    rules: over(body.targeting_rules, kept.rules, empty.rules, (rules) => rules.map(ruleOf)),
    prerequisites: over(body.prerequisites, kept.prerequisites, empty.prerequisites, (prerequisites) =>
      prerequisites.map(prerequisiteOf),
    ),
  };
}

function over<W, D>(wire: W | null | undefined, kept: D, empty: D, read: (wire: W) => D): D {
  if (wire === undefined) return kept;
  return wire === null ? empty : read(wire);
}

const same = <T>(value: T): T => value;

type WireRule = NonNullable<FlagBody['targeting_rules']>[number];
type WirePrerequisite = NonNullable<FlagBody['prerequisites']>[number];
type WireServe = NonNullable<FlagBody['default_serve']>;

/** What is wrong with the form of a body, beyond its schema: members of which exactly one must be there. */
export function formFaults(body: Static<typeof FlagPatch>): FieldFault[] {
  const rules = body.targeting_rules ?? [];
  return [
    ...oneFault(body.default_serve ?? undefined, SERVES, '/default_serve'),
    ...rules.flatMap(({ serve }, place) => oneFault(serve, SERVES, `/targeting_rules/${place}/serve`)),
    ...(body.prerequisites ?? []).flatMap((each, place) => oneFault(each, NEEDS, `/prerequisites/${place}`)),
  ];
}

const SERVES = ['variant', 'weights', 'value'] as const;
const NEEDS = ['value', 'variant_key'] as const;

function oneFault(given: object | undefined, names: readonly string[], path: string): FieldFault[] {
  if (given === undefined || names.filter((name) => name in given).length === 1) return [];
  return [{ path, message: `must have exactly one of ${names.map((name) => `\`${name}\``).join(', ')}` }];
}

function serveOf({ variant, weights, value = null }: WireServe): FlagServe {
  if (variant !== undefined) return { variant };
  return weights === undefined ? { value } : { weights: weights.map(({ key, weight }) => ({ key, weight })) };
}

function prerequisiteOf({ flag_key: flagKey, value = null, variant_key: variantKey }: WirePrerequisite) {
  return variantKey === undefined ? { flagKey, value } : { flagKey, variantKey };
}

function ruleOf(rule: WireRule): FlagRule {
  return {
    name: rule.name ?? '',
    segmentId: rule.segment_id ?? null,
    ...(rule.conditions === undefined ? {} : { conditions: rule.conditions }),
    value: rule.value ?? true,
    ...(rule.serve === undefined ? {} : { serve: serveOf(rule.serve) }),
    ...(rule.salt === undefined ? {} : { salt: rule.salt }),
    ...(rule.bucket_by === undefined ? {} : { bucketBy: bucketByOf(rule.bucket_by) }),
    percentage: rule.percentage ?? 100,
    priority: rule.priority ?? 0,
    startAt: epochMs(rule.start_at),
    endAt: epochMs(rule.end_at),
  };
}

function epochMs(text: string | null | undefined): number | null {
  return text === undefined || text === null ? null : (parseTimestamp(text) ?? null);
}
