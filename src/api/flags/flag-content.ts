import type { Static } from 'typebox';
import type { FlagDocument, FlagRule, FlagType } from '../../../core/vocabulary/documents/documents.ts';
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
  | 'variants'
  | 'rules'
  | 'prerequisites'
  | 'clientVisible'
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
  return {
    flagType: empty.flagType,
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
      prerequisites.map(({ flag_key: flagKey, value }) => ({ flagKey, value })),
    ),
  };
}

function over<W, D>(wire: W | null | undefined, kept: D, empty: D, read: (wire: W) => D): D {
  if (wire === undefined) return kept;
  return wire === null ? empty : read(wire);
}

const same = <T>(value: T): T => value;

function ruleOf(rule: NonNullable<FlagBody['targeting_rules']>[number]): FlagRule {
  return {
    name: rule.name ?? '',
    segmentId: rule.segment_id ?? null,
    ...(rule.conditions === undefined ? {} : { conditions: rule.conditions }),
    value: rule.value ?? true,
    percentage: rule.percentage ?? 100,
    priority: rule.priority ?? 0,
    startAt: epochMs(rule.start_at),
    endAt: epochMs(rule.end_at),
  };
}

function epochMs(text: string | null | undefined): number | null {
  return text === undefined || text === null ? null : (parseTimestamp(text) ?? null);
}
