import type { FlagDocument, FlagRule, FlagVariant } from '../../../core/vocabulary/documents/documents.ts';
import type { FlagServe } from '../../../core/vocabulary/documents/flag-serve.ts';
import { effectiveAt } from '../../../core/vocabulary/labels.ts';

/**
 * Since when a flag has served one value to everybody; `undefined`: it may serve several, now or later. Overrides of
 * single players do not count. A flag whose rules differ only in whom they name is not seen to serve one value.
 */
export function settledSince(flag: FlagDocument, nowMs: number): number | undefined {
  const since = effectiveAt(flag);
  if (!flag.enabled) return since;
  // Players for whom a prerequisite does not hold get the default.
  if (flag.prerequisites.length > 0) return undefined;
  const past = (at: number | null): boolean => at !== null && at <= nowMs;
  const changes = flag.rules.flatMap(({ startAt, endAt }) => [startAt, endAt].filter((at) => at !== null));
  const lastMs = Math.max(since, ...changes.filter(past));
  const live = flag.rules
    .filter(({ endAt, percentage }) => !past(endAt) && percentage > 0)
    .toSorted((one, other) => one.priority - other.priority);
  const [first] = live;
  if (first === undefined) return isOne(flag.defaultServe, [], flag) ? lastMs : undefined;
  return includesAll(first, flag, past) && isOneOf(first, flag) ? lastMs : undefined;
}

/** Whether a rule includes everybody, for good. */
function includesAll(rule: FlagRule, flag: FlagDocument, past: (at: number | null) => boolean): boolean {
  const { segmentId, conditions = {}, percentage, startAt, endAt, bucketBy = flag.bucketBy ?? 'player' } = rule;
  const isForAll = segmentId === null && Object.keys(conditions).length === 0 && percentage >= 100;
  // Players without the attribute are in no bucket.
  return isForAll && bucketBy === 'player' && (startAt === null || past(startAt)) && endAt === null;
}

function isOneOf({ value, serve }: FlagRule, flag: FlagDocument): boolean {
  return value ? isOne(serve, flag.variants, flag) : isOne(flag.defaultServe, [], flag);
}

/** @param without what is served if `serve` is absent; empty: a value */
function isOne(serve: FlagServe | undefined, without: readonly FlagVariant[], { bucketBy }: FlagDocument): boolean {
  if (serve !== undefined && !('weights' in serve)) return true;
  const weights = serve === undefined ? without : serve.weights;
  const isWeighted = weights.filter(({ weight }) => weight > 0).length > 1;
  return !isWeighted && (serve === undefined || (bucketBy ?? 'player') === 'player');
}
