import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { FlagDocument, FlagRule } from '../../../core/vocabulary/documents/documents.ts';
import { compileCondition } from '../../conditions/compile-condition.ts';
import type { ExplainedTest } from '../../conditions/explain-condition.ts';
import type { RuleOutcome } from './explained-steps.ts';
import { type KeyOf, keyReader } from '../../conditions/buckets/bucket-key.ts';
import { type Bucketing, bucketingId, bucketingOf } from '../draw/bucketing.ts';
import { BUCKETS, seededBucket } from '../../conditions/buckets/hash.ts';
import { isDrawn, type Offer } from '../draw/offers.ts';
import { dividing, type DividingRule } from '../draw/strata.ts';
import { isMember } from '../../conditions/segments/is-member.ts';
import type { Condition, DefinitionLookup, Subject } from '../../decision/targeting.ts';

/** A compiled targeting rule. */
export interface CompiledRule extends DividingRule {
  rule: FlagRule;
  /** Place in the definition, from 0. */
  index: number;
  /** `undefined`: nothing can be served. */
  offer: Offer | undefined;
  /** The player must pass all. The first that fails says why the rule does not include the player. */
  checks: readonly Check[];
  /** Whether the rule is for the player, whatever its percentage. */
  isFor: (subject: Subject) => boolean;
  /** The player's bucket, by which the percentage includes players; undefined: the player has no key. */
  bucketOf: (subject: Subject) => number | undefined;
  /** What the variants are drawn by. */
  keyOf: KeyOf;
  /** The parts of its condition; none without one. */
  explain: (subject: Subject) => ExplainedTest[];
}

interface Check {
  failure: Exclude<RuleOutcome, 'served' | 'not_reached'>;
  passes(subject: Subject): boolean;
}

/**
 * Compiles a flag's rules and sorts them by ascending priority; equal priorities keep their order. Paths are as on the
 * wire.
 * @returns `refusals`: why a new definition must not have these conditions
 */
export function compileRules(
  flag: FlagDocument,
  onOverBudget?: () => void,
  lookup?: DefinitionLookup,
): { rules: CompiledRule[]; faults: FieldFault[]; refusals: FieldFault[] } {
  const faults: FieldFault[] = [];
  const refusals: FieldFault[] = [];
  const atRule = (index: number, { path, message }: FieldFault): FieldFault => ({
    path: `/targeting_rules/${index}/conditions${path}`,
    message,
  });
  const bucketsOf = createBuckets();
  const compiled: CompiledRule[] = [];
  for (const [index, rule] of flag.rules.entries()) {
    const condition = conditionOf(rule, onOverBudget, lookup);
    if (condition?.kind === 'invalid') {
      faults.push(...condition.faults.map((fault) => atRule(index, fault)));
    } else {
      refusals.push(...(condition?.refusals ?? []).map((fault) => atRule(index, fault)));
      const explain: CompiledRule['explain'] = (subject) => condition?.explain(subject).tests ?? [];
      const divides = dividing(flag, rule);
      const by = bucketsOf(bucketingOf(flag, rule));
      const checks = checksOf(rule, condition?.condition, divides, by);
      const audience = checks.filter(({ failure }) => failure !== 'outside_percentage');
      const isFor: CompiledRule['isFor'] = (subject) => audience.every((check) => check.passes(subject));
      const { keyOf, bucketOf } = by;
      compiled.push({ rule, index, ...divides, keyOf, bucketOf, checks, isFor, explain });
    }
  }
  // Array.sort is stable.
  return { rules: compiled.sort((one, other) => one.rule.priority - other.rule.priority), faults, refusals };
}

interface Buckets extends Pick<CompiledRule, 'keyOf' | 'bucketOf'> {
  bucketOfKey: (key: string) => number;
}

/** Readers of buckets, one for each bucketing. Rules follow each other for one player: the last bucket is kept. */
function createBuckets(): (bucketing: Bucketing) => Buckets {
  const made = new Map<string, Buckets>();
  return (bucketing) => {
    const id = bucketingId(bucketing);
    const found = made.get(id) ?? bucketsBy(bucketing);
    made.set(id, found);
    return found;
  };
}

function bucketsBy({ salt, by }: Bucketing): Buckets {
  const hash = seededBucket(salt);
  const keyOf = keyReader(by);
  let last: string | undefined;
  let bucket = 0;
  function bucketOfKey(key: string): number {
    if (key !== last) {
      bucket = hash(key);
      last = key;
    }
    return bucket;
  }
  if (by === 'player') return { keyOf, bucketOfKey, bucketOf: ({ player }) => bucketOfKey(player.id) };
  return {
    keyOf,
    bucketOfKey,
    bucketOf(subject) {
      const key = keyOf(subject);
      return key === undefined ? undefined : bucketOfKey(key);
    },
  };
}

function conditionOf(
  { conditions }: FlagRule,
  onOverBudget: (() => void) | undefined,
  lookup: DefinitionLookup | undefined,
) {
  return conditions === undefined ? undefined : compileCondition(conditions, { context: true, lookup, onOverBudget });
}

/** Cheap tests first: most rules fail on schedule or segment. */
function checksOf(
  { segmentId, startAt, endAt }: FlagRule,
  condition: Condition | undefined,
  { buckets, by, offer }: DividingRule & { offer: Offer | undefined },
  { keyOf, bucketOf, bucketOfKey }: Buckets,
): Check[] {
  const checks: Check[] = [];
  const isKeyed = by !== 'player';
  if (startAt !== null) checks.push({ failure: 'outside_schedule', passes: ({ nowMs }) => nowMs >= startAt });
  if (endAt !== null) checks.push({ failure: 'outside_schedule', passes: ({ nowMs }) => nowMs < endAt });
  if (segmentId !== null) {
    checks.push({ failure: 'not_in_segment', passes: (subject) => isMember(subject, segmentId) });
  }
  if (condition !== undefined) {
    checks.push({ failure: 'conditions_not_met', passes: (subject) => condition.matches(subject) });
  }
  if (isKeyed && (buckets < BUCKETS || isDrawn(offer))) {
    checks.push({ failure: 'no_bucketing_value', passes: (subject) => keyOf(subject) !== undefined });
  }
  if (buckets < BUCKETS && isKeyed) {
    checks.push({ failure: 'outside_percentage', passes: (subject) => (bucketOf(subject) ?? BUCKETS) < buckets });
  } else if (buckets < BUCKETS) {
    checks.push({ failure: 'outside_percentage', passes: ({ player }) => bucketOfKey(player.id) < buckets });
  }
  return checks;
}
