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
    ({
      flagKey: flag.key,
      value: JSON.stringify(value),
      variantKey: null,
      period: 0,
      ...some,
    }) satisfies FlagEvaluation;
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
  const rules = [...flag.rules].sort((a, b) => a.priority - b.priority);
  const rule = rules.find((each) => takesIn(each, bucketOf(flag.salt, state.id), state));
  const isBoolean = flag.flagType === 'boolean';
  const share = isBoolean ? shareOfTrue(rules, flag, state) : 0;
  const drawn = share > 0 && share < 10_000 ? { period, stratum: share } : {};
  if (rule === undefined) return { ...served({ reason: 'default' }), ...drawn };
  const reason =
    rule.segmentId === null
      ? ({ reason: 'percentage_rollout' } as const)
      : ({ reason: 'segment_match', segmentId: rule.segmentId } as const);
  if (!rule.value) return { ...served(reason), ...drawn };
  if (isBoolean) return { ...served(reason, true), ...drawn };
  const total = flag.variants.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  const bucket = bucketOf(`${flag.salt}:variant`, state.id);
  const variant =
    flag.variants.find(({ weight }) => bucket < Math.round(((sum += weight) / total) * 10_000)) ?? flag.variants.at(-1);
  const weighted = flag.variants.filter(({ weight }) => weight > 0).length > 1 ? { period, stratum: 10_000 } : {};
  return { ...served(reason, variant?.value ?? null), variantKey: variant?.key ?? null, ...weighted };
}

/** Of 10,000 players like this one, those who get true: each bucket is asked which rule takes it in. */
function shareOfTrue(rules: readonly FlagRule[], { defaultValue }: FlagDocument, state: PlayerState): number {
  const open = rules.filter((rule) => takesIn({ ...rule, percentage: 100 }, 0, state));
  const ends = [...new Set([0, ...open.map(({ percentage }) => Math.round(percentage * 100)), 10_000])].sort(
    (a, b) => a - b,
  );
  let share = 0;
  for (const [place, end] of ends.entries()) {
    const from = ends[place - 1] ?? 0;
    const rule = open.find((each) => takesIn(each, from, state));
    if (rule?.value === true || defaultValue === true) share += end - from;
  }
  return share;
}

function takesIn({ segmentId, conditions, percentage }: FlagRule, bucket: number, state: PlayerState): boolean {
  if (segmentId !== null && !state.segments.some((membership) => membership.segmentId === segmentId)) return false;
  if (conditions !== undefined && !isTrue(conditions, state, 0)) return false;
  return bucket < Math.round(percentage * 100);
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
