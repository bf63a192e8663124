import { isDeepStrictEqual } from 'node:util';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { FlagArm, FlagDocument, FlagPeriod } from '../vocabulary/documents.ts';

/**
 * The periods of a flag, oldest first. Of a flag that was written before there were periods nobody knows which edits changed
 * who gets what, so its current version begins the first.
 */
export function periodsOf({ periods, version, updatedAt }: FlagDocument): readonly FlagPeriod[] {
  return periods === undefined || periods.length === 0 ? [{ period: 1, version, since: updatedAt }] : periods;
}

/** The number of the current period. Cheap: every evaluation calls it. */
export function periodOf({ periods }: FlagDocument): number {
  return periods?.at(-1)?.period ?? 1;
}

/**
 * An edited flag with its periods: the edit begins a new one if it changes who gets what.
 * @param nowMs when the edit is written, epoch milliseconds
 */
export function withPeriods(held: FlagDocument, next: FlagDocument, nowMs: number): FlagDocument {
  const periods = periodsOf(held);
  const current = periods.at(-1);
  if (current === undefined || isDeepStrictEqual(assignment(held), assignment(next))) {
    return { ...next, periods: [...periods] };
  }
  const begun = { period: current.period + 1, version: held.version + 1, since: nowMs };
  const all = [...periods.slice(0, -1), { ...current, arms: armsOf(held) }, begun];
  return { ...next, periods: all.slice(-LIMITS.flagPeriods) };
}

/**
 * What decides who gets what. The switch and the prerequisites are in it, as they take everybody out or some people in; the
 * default too, which is a variant of a boolean flag. Names and descriptions are not.
 */
function assignment(flag: FlagDocument): unknown {
  const { enabled, salt, defaultValue, variants, prerequisites } = flag;
  const rules = flag.rules.map((rule) => ({ ...rule, name: '' }));
  return { enabled, salt, defaultValue, variants, rules, prerequisites };
}

/** What results compare, first the control. */
export function armsOf(flag: FlagDocument): FlagArm[] {
  if (flag.flagType !== 'boolean') return flag.variants.map(({ key, weight }) => ({ variantKey: key, weight }));
  const share = plainShare(flag);
  return [
    { variantKey: 'false', weight: share === null ? null : 100 - share },
    { variantKey: 'true', weight: share },
  ];
}

/** The percentage of all exposed players that get `true`, where one rule alone decides that by chance. */
function plainShare({ rules, defaultValue }: FlagDocument): number | null {
  const [rule, ...more] = rules;
  if (rule === undefined || more.length > 0 || defaultValue !== false || !rule.value) return null;
  const forAll = rule.segmentId === null && rule.conditions === undefined;
  const always = rule.startAt === null && rule.endAt === null;
  return forAll && always ? rule.percentage : null;
}
