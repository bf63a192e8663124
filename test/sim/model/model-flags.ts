import { isDeepStrictEqual } from 'node:util';
import type { EvaluateFlags, OverrideFlag } from '../../../core/vocabulary/commands/commands.ts';
import type { FlagOverridden } from '../../../core/vocabulary/facts/flag-facts.ts';
import type { FlagEvaluation, Reply } from '../../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { FlagDocument, FlagRule } from '../../../core/vocabulary/documents/documents.ts';
import type { ModelFlags } from './flag-history.ts';
import { isTrue } from './model-segments.ts';
import type { Scope } from '../../../core/vocabulary/documents/scope.ts';

/** A flag's current period, which flag-history.ts has checked. */
export function periodIn({ periods }: FlagDocument): number {
  return periods.at(-1)?.period ?? 1;
}

/** Flags as documented: an independent implementation of the evaluation order and the hash. */
export function evaluated(state: PlayerState, flag: FlagDocument, flags: ModelFlags): FlagEvaluation {
  const period = periodIn(flag);
  const served = (
    some: Omit<FlagEvaluation, 'flagKey' | 'value' | 'variantKey' | 'period'>,
    value = flag.defaultValue,
  ) =>
    ({ flagKey: flag.key, value: JSON.stringify(value), variantKey: null, period, ...some }) satisfies FlagEvaluation;
  if (!flag.enabled) return served({ reason: 'flag_disabled' });
  for (const { flagKey: prerequisiteKey, value } of flag.prerequisites) {
    const other = flags.get(prerequisiteKey);
    const evaluation = other && evaluated(state, other, flags);
    if (evaluation?.reason === 'flag_disabled' || evaluation?.value !== JSON.stringify(value)) {
      return served({ reason: 'flag_disabled', prerequisiteKey });
    }
  }
  const override = state.overrides.find(({ flagKey }) => flagKey === flag.key);
  if (override !== undefined) {
    const variant = flag.variants.find(({ value }) => JSON.stringify(value) === override.value);
    return { ...served({ reason: 'player_override' }), value: override.value, variantKey: variant?.key ?? null };
  }
  const rule = [...flag.rules].sort((a, b) => a.priority - b.priority).find((each) => takesIn(each, flag, state));
  if (rule === undefined) return served({ reason: 'default' });
  const reason =
    rule.segmentId === null
      ? ({ reason: 'percentage_rollout' } as const)
      : ({ reason: 'segment_match', segmentId: rule.segmentId } as const);
  if (!rule.value) return served(reason);
  if (flag.flagType === 'boolean') return served(reason, true);
  const total = flag.variants.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  const bucket = bucketOf(`${flag.salt}:variant`, state.id);
  const variant =
    flag.variants.find(({ weight }) => bucket < Math.round(((sum += weight) / total) * 10_000)) ?? flag.variants.at(-1);
  return { ...served(reason, variant?.value ?? null), variantKey: variant?.key ?? null };
}

function takesIn({ segmentId, conditions, percentage }: FlagRule, flag: FlagDocument, state: PlayerState): boolean {
  if (segmentId !== null && !state.segments.some((membership) => membership.segmentId === segmentId)) return false;
  if (conditions !== undefined && !isTrue(conditions, state, 0)) return false;
  return bucketOf(flag.salt, state.id) < Math.round(percentage * 100);
}

const buckets = new Map<string, number>();

/** GrowthBook's hash, version 2: an integer from 0 to 9,999. */
export function bucketOf(seed: string, id: string): number {
  const text = seed + id;
  const bucket = buckets.get(text) ?? Number(fnv1a(String(fnv1a(text))) % 10_000n);
  buckets.set(text, bucket);
  return bucket;
}

function fnv1a(text: string): bigint {
  let hash = 0x811c9dc5n;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 0x01000193n) & 0xffffffffn;
  return hash;
}

/** The reply to an evaluation for an existing player. */
export function predictEvaluations(state: PlayerState, query: EvaluateFlags, flags: ModelFlags): Reply {
  const keys = query.flagKeys === 'all' ? [...flags.keys()] : query.flagKeys;
  const known = keys.flatMap((key) => flags.get(key) ?? []);
  const unknownFlags = keys.filter((key) => !flags.has(key));
  return {
    kind: 'flags',
    evaluations: known.map((flag) => evaluated(state, flag, flags)),
    unknownFlags,
    durationUs: 0,
  };
}

/** Whether two evaluation replies are equal, apart from their duration and the order of all flags. */
export function sameEvaluations(one: Reply, other: Reply): boolean {
  if (one.kind !== 'flags' || other.kind !== 'flags') return false;
  const inOrder = ({ evaluations }: { evaluations: FlagEvaluation[] }) =>
    evaluations.toSorted((a, b) => (a.flagKey < b.flagKey ? -1 : 1));
  return isDeepStrictEqual(inOrder(one), inOrder(other)) && isDeepStrictEqual(one.unknownFlags, other.unknownFlags);
}

/** Predicts an override. `change` is absent when the player already has it. */
export function predictOverride(
  held: PlayerState,
  { flagKey, value }: OverrideFlag,
  scope: Scope,
  at: number,
): { reply: Reply; change?: { fact: FlagOverridden; next: PlayerState } } {
  const reply = { kind: 'overridden', flagKey, value } as const;
  const before = held.overrides.find((override) => override.flagKey === flagKey);
  if (before === undefined ? value === null : before.value === value) return { reply };
  const overrides = held.overrides.filter((override) => override !== before);
  if (value !== null) overrides.push({ flagKey, value });
  const fact = { kind: 'FlagOverridden', entityId: held.id, ...scope, at, flagKey, value } as const;
  return { reply, change: { fact, next: { ...held, overrides } } };
}

/** Boolean flags have no variants, so their values are compared. */
export function variantSeen({ variantKey, value }: Pick<FlagEvaluation, 'variantKey' | 'value'>): string | null {
  if (variantKey !== null) return variantKey;
  return typeof JSON.parse(value) === 'boolean' ? value : null;
}
