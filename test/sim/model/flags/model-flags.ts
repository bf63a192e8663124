import { isDeepStrictEqual } from 'node:util';
import type { EvaluateFlags, OverrideFlag } from '../../../../core/vocabulary/commands/commands.ts';
import type { FlagOverridden } from '../../../../core/vocabulary/facts/flag-facts.ts';
import type { FlagEvaluation, Reply } from '../../../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../../../core/vocabulary/state/state.ts';
import type { FlagDocument, FlagRule } from '../../../../core/vocabulary/documents/documents.ts';
import type { ModelFlags } from './flag-set.ts';
import { bucketOf, CHANGEABLE, clusterIn, fnv1a, keyIn } from './model-buckets.ts';
import { shownPeriod, triedBy } from './model-experiments.ts';
import { cellsOf, drawOf, type Given, givenBy, needsPlace, placeOf, ruleIn } from './model-rules.ts';
import { isTrue } from '../model-segments.ts';
import type { Scope } from '../../../../core/vocabulary/documents/scope.ts';

/** A flag's current period, which flag-history.ts has checked. */
export function periodIn({ periods }: FlagDocument): number {
  return periods.at(-1)?.period ?? 1;
}

/** Flags as documented: an independent implementation of the evaluation order and the hash. */
export function evaluated(state: PlayerState, flag: FlagDocument, flags: ModelFlags): FlagEvaluation {
  const served = server(flag);
  if (!flag.enabled) return served({ reason: 'flag_disabled' });
  for (const { flagKey: prerequisiteKey, ...needed } of flag.prerequisites) {
    const other = flags.get(prerequisiteKey);
    const evaluation = other && evaluated(state, other, flags);
    const isMet =
      'value' in needed
        ? evaluation?.value === JSON.stringify(needed.value)
        : evaluation?.variantKey === needed.variantKey;
    if (evaluation?.reason === 'flag_disabled' || !isMet) {
      return served({ reason: 'flag_disabled', prerequisiteKey });
    }
  }
  const override = state.overrides.find(({ flagKey }) => flagKey === flag.key);
  if (override !== undefined) {
    const variant = flag.variants.find(({ value }) => JSON.stringify(value) === override.value);
    return { ...served({ reason: 'player_override' }), value: override.value, variantKey: variant?.key ?? null };
  }
  const tried = triedBy(state, flag, flags);
  if (tried !== undefined && 'shown' in tried) return { ...served({ reason: 'percentage_rollout' }), ...tried.shown };
  const byRules = evaluatedByRules(state, flag);
  if (tried === undefined) return byRules;
  const { stratum: _, cluster: __, ...undrawn } = byRules;
  return { ...undrawn, period: shownPeriod(tried.trial), trial: tried.trial };
}

const server =
  (flag: FlagDocument) =>
  (some: Omit<FlagEvaluation, 'flagKey' | 'value' | 'variantKey' | 'period'>, value = flag.defaultValue) =>
    ({
      flagKey: flag.key,
      value: JSON.stringify(value),
      variantKey: null,
      period: 0,
      ...some,
    }) satisfies FlagEvaluation;

function evaluatedByRules(state: PlayerState, flag: FlagDocument): FlagEvaluation {
  const period = periodIn(flag);
  const served = server(flag);
  const isOpen = (rule: FlagRule) => isFor(rule, flag, state);
  const rule = flag.rules
    .toSorted((a, b) => a.priority - b.priority)
    .find((each) => isOpen(each) && bucketIn(flag, each, state) < Math.round(each.percentage * 100));
  const isBoolean = flag.flagType === 'boolean';
  const share = isBoolean ? shareOfTrue(flag, isOpen) : undefined;
  const keys = keysOf(flag, isOpen);
  const together = keys.length === 0 ? {} : { cluster: clusterIn(keys, state) };
  const drawn = share === undefined ? {} : { period, stratum: share + (keys.length > 0 ? CHANGEABLE : 0), ...together };
  const segment = rule?.segmentId ?? null;
  const reason =
    rule === undefined
      ? ({ reason: 'default' } as const)
      : segment === null
        ? ({ reason: 'percentage_rollout' } as const)
        : ({ reason: 'segment_match', segmentId: segment } as const);
  const given = givenBy(flag, rule);
  if ('value' in given) return { ...served({ ...reason, ...drawn }, given.value), variantKey: given.variantKey };
  const { weights, salt, by } = given;
  const key = keyIn(by, state);
  const isDrawn = drawOf(flag, given) !== undefined;
  if (key === undefined && isDrawn) return served(reason);
  const total = weights.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  const bucket = bucketOf(`${salt}:variant`, key ?? '');
  const chosen =
    weights.find(({ weight }) => bucket < Math.round(((sum += weight) / total) * 10_000)) ??
    weights.findLast(({ weight }) => weight > 0);
  const variant = flag.variants.find((one) => one.key === chosen?.key);
  const cluster = by === 'player' ? {} : { cluster: clusterIn([by], state) };
  const draw = isDrawn ? { period, stratum: stratumOf(flag, given), ...cluster } : {};
  return { ...served(reason, variant?.value ?? null), variantKey: variant?.key ?? null, ...draw };
}

/** What else than the player decides, of the rules that may be reached. */
function keysOf(flag: FlagDocument, isOpen: (rule: FlagRule) => boolean): string[] {
  const open = flag.rules.toSorted((a, b) => a.priority - b.priority).filter((each) => isOpen(each));
  const whole = open.findIndex(({ percentage }) => percentage === 100);
  const partial = open.slice(0, whole < 0 ? undefined : whole).filter(({ percentage }) => percentage > 0);
  return [...new Set(partial.map((each) => placeOf(flag, each)[1]))].filter((by) => by !== 'player');
}

/** Of 10,000 players like this one, those who get true; undefined: all get the same. */
function shareOfTrue(flag: FlagDocument, isOpen: (rule: FlagRule) => boolean): number | undefined {
  const shares = { true: 0, false: 0 };
  for (const cell of cellsOf([flag])) {
    const given = givenBy(flag, ruleIn(flag, cell, isOpen));
    shares['value' in given && given.value === true ? 'true' : 'false'] += cell.share;
  }
  if (shares.true === 0 || shares.false === 0) return undefined;
  return Math.min(9_999, Math.max(1, Math.round(shares.true * 10_000)));
}

/** The same number for the same draw: 10,000 for the one of the flag's weights, and a hash of any other. */
function stratumOf(flag: FlagDocument, given: Extract<Given, { by: string }>): number {
  const [salt, by] = placeOf(flag);
  const isOfFlag = drawOf(flag, given) === drawOf(flag, { weights: flag.variants, salt, by });
  const total = given.weights.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  const ends = given.weights
    .filter(({ weight }) => weight > 0)
    .map(({ key, weight }) => [key, Math.round(((sum += weight) / total) * 10_000)]);
  const text = `${given.by}\n${given.salt}\n${JSON.stringify(ends)}`;
  const stratum = isOfFlag ? 10_000 : 10_001 + Number(fnv1a(text) % BigInt(CHANGEABLE - 10_001));
  return given.by === 'player' ? stratum : CHANGEABLE + stratum;
}

/** Whether a rule is for the player, whatever its percentage. */
function isFor(rule: FlagRule, flag: FlagDocument, state: PlayerState): boolean {
  const { segmentId, conditions } = rule;
  if (segmentId !== null && !state.segments.some((membership) => membership.segmentId === segmentId)) return false;
  if (conditions !== undefined && !isTrue(conditions, state, 0)) return false;
  return !needsPlace(flag, rule) || keyIn(placeOf(flag, rule)[1], state) !== undefined;
}

function bucketIn(flag: FlagDocument, rule: FlagRule, state: PlayerState): number {
  const [salt, by] = placeOf(flag, rule);
  const key = keyIn(by, state);
  return key === undefined ? 0 : bucketOf(salt, key);
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
  const { id: entityId, externalId } = held;
  const fact = { kind: 'FlagOverridden', entityId, externalId, ...scope, at, flagKey, value } as const;
  return { reply, change: { fact, next: { ...held, overrides } } };
}

/** Boolean flags have no variants, so their values are compared. */
export function variantSeen({ variantKey, value }: Pick<FlagEvaluation, 'variantKey' | 'value'>): string | null {
  if (variantKey !== null) return variantKey;
  return typeof JSON.parse(value) === 'boolean' ? value : null;
}
