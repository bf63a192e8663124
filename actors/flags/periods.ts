import { isDeepStrictEqual } from 'node:util';
import { FLAG_LIMITS } from './limits.ts';
import type { FlagArm, FlagDocument } from '../../core/vocabulary/documents/documents.ts';

/** The number of the current period. Cheap: every evaluation calls it. */
export function periodOf({ periods }: Pick<FlagDocument, 'periods'>): number {
  return periods.at(-1)?.period ?? 1;
}

/**
 * Sets the periods of an edited flag: an edit that changes the assignment starts a new period.
 * @param nowMs the time of the edit, epoch milliseconds
 */
export function withPeriods(previous: FlagDocument, next: FlagDocument, nowMs: number): FlagDocument {
  const { periods } = previous;
  const current = periods.at(-1);
  if (current === undefined || isDeepStrictEqual(assignment(previous), assignment(next))) {
    return { ...next, periods: [...periods] };
  }
  const started = { period: current.period + 1, version: previous.version + 1, since: nowMs };
  const all = [...periods.slice(0, -1), { ...current, arms: armsOf(previous) }, started];
  return { ...next, periods: all.slice(-FLAG_LIMITS.flagPeriods) };
}

/**
 * The parts of a definition that decide which player gets which variant. The default is a variant of a boolean flag;
 * `enabled` and prerequisites decide who takes part. Names and descriptions do not count.
 */
function assignment(flag: FlagDocument): unknown {
  const { enabled, salt, defaultValue, variants, prerequisites, archivedAt } = flag;
  const rules = flag.rules.map((rule) => ({ ...rule, name: '' }));
  return { enabled, isArchived: archivedAt !== null, salt, defaultValue, variants, rules, prerequisites };
}

/** The arms that results compare; the control is first. */
export function armsOf(flag: FlagDocument): FlagArm[] {
  if (flag.flagType !== 'boolean') return flag.variants.map(({ key, weight }) => ({ variantKey: key, weight }));
  const share = plainShare(flag);
  return [
    { variantKey: 'false', weight: share === null ? null : 100 - share },
    { variantKey: 'true', weight: share },
  ];
}

/** The percentage of exposed players that get `true`; null unless a single rule decides at random for all players. */
function plainShare({ rules, defaultValue }: FlagDocument): number | null {
  const [rule, ...more] = rules;
  if (rule === undefined || more.length > 0 || defaultValue !== false || !rule.value) return null;
  const forAll = rule.segmentId === null && rule.conditions === undefined;
  const always = rule.startAt === null && rule.endAt === null;
  return forAll && always ? rule.percentage : null;
}
