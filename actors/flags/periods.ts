import { FLAG_LIMITS } from './limits.ts';
import { BUCKETS } from '../conditions/buckets/hash.ts';
import { defaultOffer } from './draw/offers.ts';
import { dividingRules, isTrue, splitsOf } from './draw/strata.ts';
import { effectOf } from './edit-effect.ts';
import type { FlagArm, FlagDocument } from '../../core/vocabulary/documents/documents.ts';

/** The period of an evaluation that counts in none. */
export const NO_PERIOD = 0;

/** The number of the current period. Cheap: every evaluation calls it. */
export function periodOf({ periods }: Pick<FlagDocument, 'periods'>): number {
  return periods.at(-1)?.period ?? 1;
}

/**
 * Sets the effect of an edit and the periods of the flag: an edit that gives players of the experiment another variant
 * starts a new period.
 * @param nowMs the time of the edit, epoch milliseconds
 */
export function withPeriods(previous: FlagDocument, next: FlagDocument, nowMs: number): FlagDocument {
  const { periods } = previous;
  const current = periods.at(-1);
  const editEffect = effectOf(previous, next);
  if (current === undefined || editEffect !== 'reassigns') return { ...next, editEffect, periods: [...periods] };
  const started = { period: current.period + 1, version: previous.version + 1, since: nowMs };
  const splits = splitsOf(previous);
  const ended = {
    ...current,
    arms: armsOf(previous),
    ...(splits.some(({ stratum }) => stratum !== BUCKETS) ? { splits } : {}),
  };
  const all = [...periods.slice(0, -1), ended, started];
  return { ...next, editEffect, periods: all.slice(-FLAG_LIMITS.flagPeriods) };
}

/** The arms that results compare; the control is first. */
export function armsOf(flag: FlagDocument): FlagArm[] {
  if (flag.flagType !== 'boolean') return flag.variants.map(({ key, weight }) => ({ variantKey: key, weight }));
  const share = onlyShare(flag);
  return [
    { variantKey: 'false', weight: share === null ? null : 100 - share },
    { variantKey: 'true', weight: share },
  ];
}

/** The percentage of players that get `true`, if it is the same for all for whom a boolean flag draws; else null. */
function onlyShare(flag: FlagDocument): number | null {
  if (isTrue(defaultOffer(flag))) return null;
  const rules = dividingRules(flag).filter(({ buckets }) => buckets > 0);
  const drawn = rules.filter((rule) => rule.isTrue && rule.buckets < BUCKETS);
  const isDivided = rules.some((rule) => !rule.isTrue) || new Set(drawn.map(({ group }) => group)).size > 1;
  const [share, ...others] = new Set(drawn.map(({ rule }) => rule.percentage));
  return share === undefined || others.length > 0 || isDivided ? null : share;
}
