import type { Stratum } from '../../../core/vocabulary/facts/flag-reason.ts';
import type { FlagDocument, FlagRule } from '../../../core/vocabulary/documents/documents.ts';
import { BUCKETS, bucketsIn } from './hash.ts';

/*
 * What chance decides of a flag. All rules of a flag look at one bucket of the player, so that the rules that are for a
 * player divide the buckets among each other: players like this one differ only in their bucket.
 */

/**
 * Calls `served` with the buckets, from the first up to the second, that each rule serves.
 * @param rules in the order in which they are evaluated
 * @param isFor whether the rule is for the player, whatever its percentage
 */
export function divideBuckets<R extends { rule: FlagRule }>(
  rules: readonly R[],
  isFor: (rule: R) => boolean,
  served: (rule: FlagRule, from: number, to: number) => void,
): void {
  let covered = 0;
  for (const each of rules) {
    const buckets = bucketsIn(each.rule.percentage);
    if (buckets <= covered || !isFor(each)) continue;
    served(each.rule, covered, buckets);
    covered = buckets;
    if (covered === BUCKETS) return;
  }
}

/** Whether a boolean flag may draw: with a default of true, it serves true whatever its rules say. */
export function mayDraw({ defaultValue, rules }: Pick<FlagDocument, 'defaultValue' | 'rules'>): boolean {
  return defaultValue === false && rules.some(({ percentage }) => isPartial(bucketsIn(percentage)));
}

/** The stratum of the players of a boolean flag with these rules; `undefined`: all get the same. */
export function stratumOf<R extends { rule: FlagRule }>(
  rules: readonly R[],
  isFor: (rule: R) => boolean,
): Stratum | undefined {
  let buckets = 0;
  divideBuckets(rules, isFor, ({ value }, from, to) => {
    if (value) buckets += to - from;
  });
  return isPartial(buckets) ? buckets : undefined;
}

/** The stratum of players who get the flag's variants; `undefined` if only one has a weight. */
export function stratumOfVariants({ variants }: Pick<FlagDocument, 'variants'>): Stratum | undefined {
  return variants.filter(({ weight }) => weight > 0).length > 1 ? BUCKETS : undefined;
}

function isPartial(buckets: number): boolean {
  return buckets > 0 && buckets < BUCKETS;
}
