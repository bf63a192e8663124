import type { Flag, FlagUsage } from '../definitions.ts';
import { DAY_MS } from '../parts/charts/units.ts';

export type Staleness = 'unused' | 'settled';

const STALE_DAYS = 30;

/**
 * Whether a flag can probably go. `unused`: not evaluated or exposed for 30 days. `settled`: it has given
 * everybody the same for 30 days.
 */
export function stalenessOf(flag: Flag, usage: FlagUsage | undefined, nowMs: number): Staleness | undefined {
  const isOld = (time: string | null | undefined): boolean =>
    time === null || time === undefined || nowMs - Date.parse(time) > STALE_DAYS * DAY_MS;
  if (!isOld(flag.updated_at)) return undefined;
  if (usage !== undefined && isOld(usage.last_evaluated_at) && isOld(usage.last_exposed_at)) return 'unused';
  return isSettled(flag) ? 'settled' : undefined;
}

/** Whether a flag gives everybody the same. */
function isSettled({ enabled, targeting_rules: rules, variants }: Flag): boolean {
  if (!enabled || rules.length === 0) return true;
  const [first] = rules.toSorted((one, other) => (one.priority ?? 0) - (other.priority ?? 0));
  if (first === undefined || (first.percentage ?? 100) < 100) return false;
  if ((first.segment_id ?? null) !== null || Object.keys(first.conditions ?? {}).length > 0) return false;
  if ((first.start_at ?? null) !== null || (first.end_at ?? null) !== null) return false;
  return first.value === false || !isWeighted(first.serve, variants);
}

/** Whether a rule gives players different variants. */
function isWeighted(serve: Flag['targeting_rules'][number]['serve'], variants: Flag['variants']): boolean {
  const weights = serve === undefined ? variants : (serve.weights ?? []);
  return weights.filter(({ weight }) => weight > 0).length > 1;
}

/** Whether a flag that is on gives different players different values, by chance. */
export function isSplit(flag: Flag): boolean {
  const { enabled, targeting_rules: rules, variants, flag_type: type, default_serve: byDefault } = flag;
  if (!enabled) return false;
  if (byDefault !== undefined && isWeighted(byDefault, variants)) return true;
  if (rules.some(({ value, serve }) => value !== false && isWeighted(serve, variants))) return true;
  return type === 'boolean' && rules.some(({ percentage = 100 }) => percentage > 0 && percentage < 100);
}
