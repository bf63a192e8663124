import { isDeepStrictEqual } from 'node:util';
import type { Attribution, FlagExposed, FlagsServed } from '../../../core/vocabulary/facts/flag-facts.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { FLAG_LIMITS } from '../../../actors/flags/limits.ts';
import { SIM_LIMITS } from '../machines/sim-limits.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { ModelFlags } from './flag-history.ts';
import { CHANGEABLE, evaluated, periodIn, variantSeen } from './model-flags.ts';
import type { FlagExposure, ServedFlag, ServedVariant } from '../../../core/vocabulary/state/player.ts';

/** The variants that flags served a player, and those that it saw (docs/decisions/0014). */
export interface Serving {
  evaluation: FlagEvaluation;
  flag: FlagDocument;
}

/** Whether the player's state already contains what the flag serves. */
export function isServed(state: PlayerState, { evaluation, flag }: Serving): boolean {
  const kept = state.servedFlags.find(({ flagKey }) => flagKey === flag.key);
  if (kept === undefined) return evaluation.reason === 'flag_disabled';
  if (kept.period !== periodIn(flag)) return false;
  // At this number of changes, recording ends.
  if (kept.changes === SIM_LIMITS.servedChanges) return true;
  const { variantKey, value, reason, segmentId, stratum, cluster } = kept;
  return isDeepStrictEqual(
    { value, variantKey, reason, segmentId, stratum, cluster },
    {
      value: evaluation.value,
      variantKey: evaluation.variantKey,
      reason: evaluation.reason,
      segmentId: evaluation.segmentId,
      stratum: evaluation.stratum,
      cluster: evaluation.cluster,
    },
  );
}

/** Records what flags served a player; `undefined` if the state already contains it. */
export function predictServed(
  state: PlayerState,
  serving: readonly Serving[],
  at: number,
): { fact: FlagsServed; next: PlayerState } | undefined {
  const news = serving.filter((one) => !isServed(state, one));
  if (news.length === 0) return undefined;
  const flags = news.map((one) => recordOf(state, one)).toSorted(inOrder);
  const { id: entityId, game, environment, externalId, servedFlags } = state;
  const isNewlyMixed = ({ flagKey, period, mixed }: ServedFlag) =>
    mixed && !servedFlags.some((one) => one.flagKey === flagKey && one.period === period && one.mixed);
  const mixed = news
    .map(({ flag }) => flag.key)
    .filter((key) => flags.some((flag) => flag.flagKey === key && isNewlyMixed(flag)));
  const kept = servedFlags.filter(({ flagKey }) => flags.every((flag) => flag.flagKey !== flagKey));
  return {
    fact: { kind: 'FlagsServed', entityId, game, environment, at, externalId, flags, mixed, forgotten: [] },
    next: { ...state, servedFlags: [...kept, ...flags].toSorted(inOrder) },
  };
}

function recordOf(state: PlayerState, { evaluation, flag }: Serving): ServedFlag {
  const { key: flagKey, version: flagVersion } = flag;
  const period = periodIn(flag);
  const before = state.servedFlags.find((one) => one.flagKey === flagKey);
  const inPeriod = before?.period === period ? before : undefined;
  const variant = countedVariant(evaluation);
  const last = before && countedVariant({ ...before, value: before.value ?? 'null' });
  const all: ServedVariant[] = before === undefined ? [] : [...before.earlier];
  if (before !== undefined && typeof last === 'string') {
    const { flagVersion: version, period: ofPeriod, reason, stratum, cluster } = before;
    const again = all.findIndex((one) => one.variant === last);
    if (again >= 0) all.splice(again, 1);
    all.push({ variant: last, flagVersion: version, period: ofPeriod, reason, ...drawIn(stratum, cluster) });
  }
  const earlier = all.filter((one) => one.variant !== variant).slice(-FLAG_LIMITS.servedVariants);
  const isSecond = variant !== null && earlier.some((one) => one.period === period && isContradiction(one, evaluation));
  const { flagKey: _, prerequisiteKey: __, period: ___, ...what } = evaluation;
  const changes = inPeriod === undefined ? 0 : inPeriod.changes + 1;
  return { flagKey, flagVersion, period, ...what, changes, mixed: inPeriod?.mixed === true || isSecond, earlier };
}

function drawIn(stratum: number | undefined, cluster: number | undefined): Pick<ServedVariant, 'stratum' | 'cluster'> {
  return { ...(stratum !== undefined && { stratum }), ...(cluster !== undefined && { cluster }) };
}

/** Two variants of one draw, or one of them by an override; what a player gets outside of the experiment is none. */
function isContradiction(one: Pick<ServedVariant, 'reason' | 'stratum'>, other: FlagEvaluation): boolean {
  const isForced = [one, other].map(({ reason }) => reason === 'player_override');
  // With another device or attribute a player may get another variant of one draw.
  if (!isForced.includes(true)) return one.stratum === other.stratum && (one.stratum ?? CHANGEABLE) < CHANGEABLE;
  return [one, other].every(({ stratum }, place) => isForced[place] === true || stratum !== undefined);
}

function countedVariant(what: Pick<FlagEvaluation, 'variantKey' | 'value' | 'reason'>): string | null {
  return what.reason === 'flag_disabled' ? null : variantSeen(what);
}

function inOrder(one: ServedFlag, other: ServedFlag): number {
  return one.flagKey < other.flagKey ? -1 : 1;
}

type Exposed = Pick<
  FlagExposed,
  'flagKey' | 'flagVersion' | 'variantKey' | 'value' | 'reason' | 'segmentId' | 'stratum' | 'cluster'
> & {
  period: number;
};

/** Records that a player saw a variant; `undefined` if that is no exposure, or not a new one. */
export function predictExposure(
  state: PlayerState,
  seen: Exposed,
  attribution: Attribution,
  at: number,
): { fact: FlagExposed; next: PlayerState } | undefined {
  const { flagKey, flagVersion, period, variantKey, value, reason, segmentId, stratum, cluster } = seen;
  const { id: entityId, game, environment, externalId } = state;
  if (environment === 'test' || reason === 'flag_disabled' || reason === 'player_override') return undefined;
  if (state.overrides.some((override) => override.flagKey === flagKey)) return undefined;
  const drawn = stratum !== undefined;
  const exposure: FlagExposure = { flagKey, flagVersion, period, variantKey: variantSeen(seen), drawn };
  const isSame = (one: FlagExposure) =>
    one.flagKey === flagKey && one.period === period && one.variantKey === exposure.variantKey && (one.drawn || !drawn);
  if (state.exposures.some(isSame)) return undefined;
  const what = { flagKey, flagVersion, period, attribution, variantKey, value, reason };
  const more = { ...(segmentId === undefined ? {} : { segmentId }), ...drawIn(stratum, cluster) };
  return {
    fact: { kind: 'FlagExposed', entityId, game, environment, at, externalId, ...what, ...more },
    next: { ...state, exposures: [...state.exposures, exposure] },
  };
}

/** What an event with a `flag_key` exposes: what was served last, or the variant that it names. */
export function predictSighting(
  state: PlayerState,
  properties: string,
  flags: ModelFlags,
  at: number,
): { fact: FlagExposed; next: PlayerState } | undefined {
  const said = new Map<string, unknown>(Object.entries(JSON.parse(properties)));
  const flag = flags.get(String(said.get('flag_key')));
  if (flag === undefined) return undefined;
  const kept = state.servedFlags.find(({ flagKey }) => flagKey === flag.key);
  const named = said.get('variant_key');
  if (typeof named !== 'string') {
    if (kept === undefined || kept.changes === SIM_LIMITS.servedChanges) return undefined;
    return predictExposure(state, { ...kept, value: kept.value ?? 'null' }, 'served', at);
  }
  if (kept !== undefined && countedVariant({ ...kept, value: kept.value ?? 'null' }) === named) {
    return predictExposure(state, { ...kept, value: kept.value ?? 'null' }, 'served', at);
  }
  const before = kept?.earlier.find(({ variant }) => variant === named);
  const where = before ?? { flagVersion: flag.version, period: periodIn(flag), reason: 'percentage_rollout' as const };
  const attribution = before !== undefined ? 'earlier' : kept === undefined ? 'named' : 'mismatch';
  const { flagVersion, period, reason } = where;
  const { stratum, cluster } = before ?? drawOfNamed(state, kept, named, flag, flags);
  const base = { flagKey: flag.key, flagVersion, period, reason, ...drawIn(stratum, cluster) };
  if (flag.flagType === 'boolean') {
    const isThere = named === 'true' || named === 'false';
    return isThere ? predictExposure(state, { ...base, variantKey: null, value: named }, attribution, at) : undefined;
  }
  const variant = flag.variants.find(({ key }) => key === named);
  if (variant === undefined && before === undefined) return undefined;
  const value = period === periodIn(flag) ? JSON.stringify(variant?.value ?? null) : 'null';
  return predictExposure(state, { ...base, variantKey: named, value }, attribution, at);
}

/** How a variant was drawn that the event alone names: as what was served last, else as the flag evaluates now. */
function drawOfNamed(
  state: PlayerState,
  kept: ServedFlag | undefined,
  named: string,
  flag: FlagDocument,
  flags: ModelFlags,
): Pick<ServedVariant, 'stratum' | 'cluster'> {
  if (kept !== undefined) return kept;
  const ownRules = flag.rules.filter((rule) => 'serve' in rule || 'salt' in rule || 'bucketBy' in rule);
  const keys = flag.bucketBy === undefined || flag.bucketBy === 'player' ? [] : [flag.bucketBy];
  if (flag.flagType !== 'boolean' && ownRules.length + keys.length === 0 && flag.defaultServe === undefined) {
    const isDrawn = flag.variants.filter(({ weight }) => weight > 0).length > 1;
    return isDrawn ? { stratum: 10_000 } : {};
  }
  const now = evaluated(state, flag, flags);
  return (now.variantKey ?? now.value) === named ? now : {};
}
