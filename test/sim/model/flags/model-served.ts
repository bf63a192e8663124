import { isDeepStrictEqual } from 'node:util';
import type { Attribution, FlagExposed, FlagsServed } from '../../../../core/vocabulary/facts/flag-facts.ts';
import type { Draw } from '../../../../core/vocabulary/facts/flag-reason.ts';
import type { FlagEvaluation } from '../../../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../../../core/vocabulary/state/state.ts';
import { FLAG_LIMITS } from '../../../../actors/flags/limits.ts';
import { SIM_LIMITS } from '../../machines/sim-limits.ts';
import type { FlagDocument } from '../../../../core/vocabulary/documents/documents.ts';
import type { ModelFlags } from './flag-set.ts';
import { CHANGEABLE } from './model-buckets.ts';
import { isVariant, trialAfter } from './model-experiments.ts';
import { evaluated, periodIn, variantSeen } from './model-flags.ts';
import type { FlagExposure, ServedFlag, ServedVariant } from '../../../../core/vocabulary/state/player.ts';

/** The variants that flags served a player, and those that it saw (docs/decisions/0014). */
export interface Serving {
  evaluation: FlagEvaluation;
  flag: FlagDocument;
}

/** Whether the player's state already contains what the flag serves. @param flags those in force now */
export function isServed(state: PlayerState, serving: Serving, flags: ModelFlags): boolean {
  const { evaluation, flag } = serving;
  const kept = state.servedFlags.find(({ flagKey }) => flagKey === flag.key);
  if (kept === undefined) return evaluation.reason === 'flag_disabled';
  const next = recordOf(state, serving, flags);
  if (kept.period !== next.period || !isDeepStrictEqual(kept.trial, next.trial)) return false;
  // At this number of changes, recording ends.
  if (kept.changes === SIM_LIMITS.servedChanges) return true;
  // An evaluation that did not know of the assignment has drawn the same variant in a later phase.
  const { trial } = evaluation;
  if (trial !== undefined && trial.variant === kept.trial?.variant && trial.phase !== kept.trial.phase) return true;
  const what = ({ value, variantKey, reason, segmentId, stratum, cluster }: ServedFlag) =>
    [value, variantKey, reason, segmentId, stratum, cluster] as const;
  return isDeepStrictEqual(what(kept), what(next));
}

/** Records what flags served a player; `undefined` if the state already contains it. */
export function predictServed(
  state: PlayerState,
  serving: readonly Serving[],
  now: ModelFlags,
  at: number,
): { fact: FlagsServed; next: PlayerState } | undefined {
  const news = serving.filter((one) => !isServed(state, one, now));
  if (news.length === 0) return undefined;
  const flags = news.map((one) => recordOf(state, one, now)).toSorted(inOrder);
  const { id: entityId, game, environment, externalId, servedFlags } = state;
  const isNewlyMixed = (flag: ServedFlag) =>
    flag.mixed && !servedFlags.some((one) => one.flagKey === flag.flagKey && isOnePeriod(one, flag) && one.mixed);
  const mixed = news
    .map(({ flag }) => flag.key)
    .filter((key) => flags.some((flag) => flag.flagKey === key && isNewlyMixed(flag)));
  const kept = servedFlags.filter(({ flagKey }) => flags.every((flag) => flag.flagKey !== flagKey));
  return {
    fact: { kind: 'FlagsServed', entityId, game, environment, at, externalId, flags, mixed, forgotten: [] },
    next: { ...state, servedFlags: [...kept, ...flags].toSorted(inOrder) },
  };
}

function recordOf(state: PlayerState, { evaluation, flag }: Serving, { experiments }: ModelFlags): ServedFlag {
  const { key: flagKey, version: flagVersion } = flag;
  const before = state.servedFlags.find((one) => one.flagKey === flagKey);
  const trial = trialAfter(before?.trial, evaluation, experiments?.get(flagKey));
  const when = { period: trial?.phase ?? periodIn(flag), ...(trial === undefined ? {} : { trial }) };
  const inPeriod = before !== undefined && isOnePeriod(before, when) ? before : undefined;
  // What is served beside the player's variant was not drawn, but its device or attribute stays known.
  const isBeside = trial !== undefined && !isDeepStrictEqual(trial, evaluation.trial);
  const drawn = isBeside ? { cluster: before?.cluster } : evaluation;
  const variant = countedVariant(evaluation);
  const last = before && countedVariant({ ...before, value: before.value ?? 'null' });
  const all: ServedVariant[] = before === undefined ? [] : [...before.earlier];
  if (before !== undefined && typeof last === 'string') {
    const { flagVersion: version, period: ofPeriod, reason } = before;
    const again = all.findIndex((one) => one.variant === last);
    if (again >= 0) all.splice(again, 1);
    all.push({ variant: last, flagVersion: version, period: ofPeriod, reason, ...drawIn(before) });
  }
  const earlier = all.filter((one) => one.variant !== variant).slice(-FLAG_LIMITS.servedVariants);
  const now = { ...evaluation, trial };
  const isSecond = variant !== null && earlier.some((one) => isOnePeriod(one, when) && isContradiction(one, now));
  // Who is overridden counts no more, also with the variant that it was drawn.
  const isFreed = (before === undefined ? [] : [before, ...before.earlier]).some(
    (one) => isOnePeriod(one, when) && isForced(one) !== isForced(now) && isContradiction(one, now),
  );
  const wasDrawn = state.exposures.some(
    (seen) =>
      seen.flagKey === flagKey && seen.period === when.period && seen.experiment === trial?.experiment && seen.drawn,
  );
  const { value, variantKey, reason, segmentId } = evaluation;
  const what = { variantKey, value, reason, ...(segmentId !== undefined && { segmentId }) };
  const changes = inPeriod === undefined ? 0 : inPeriod.changes + 1;
  const mixed = inPeriod?.mixed === true || isSecond || isFreed || (isForced(now) && wasDrawn);
  return { flagKey, flagVersion, ...what, ...drawIn({ ...drawn, trial }), ...when, changes, mixed, earlier };
}

type Drawn = { [Part in keyof Draw]?: Draw[Part] | undefined };

function drawIn({ stratum, cluster, trial }: Drawn): Draw {
  return {
    ...(stratum !== undefined && { stratum }),
    ...(cluster !== undefined && { cluster }),
    ...(trial !== undefined && { trial }),
  };
}

/** Whether both count in one period of the flag, or in one phase of an experiment. */
function isOnePeriod(one: Pick<ServedVariant, 'period' | 'trial'>, other: Pick<ServedVariant, 'period' | 'trial'>) {
  return one.period === other.period && one.trial?.experiment === other.trial?.experiment;
}

/** Two variants of one draw, or one of them by an override; what a player gets outside of the experiment is none. */
function isContradiction(one: Reasoned, other: Reasoned): boolean {
  // Whatever shows it, another variant contradicts the one that the player has in an experiment.
  if (other.trial !== undefined) return isVariant(other.trial) && isVariant(one.trial);
  const both = [one, other];
  // With another device or attribute a player may get another variant of one draw.
  if (!both.some(isForced)) return one.stratum === other.stratum && (one.stratum ?? CHANGEABLE) < CHANGEABLE;
  return both.every((each) => isForced(each) || each.stratum !== undefined);
}

type Reasoned = Pick<ServedVariant, 'reason'> & Drawn;

const isForced = ({ reason }: Reasoned): boolean => reason === 'player_override';

function countedVariant(what: Pick<FlagEvaluation, 'variantKey' | 'value' | 'reason'>): string | null {
  return what.reason === 'flag_disabled' ? null : variantSeen(what);
}

function inOrder(one: ServedFlag, other: ServedFlag): number {
  return one.flagKey < other.flagKey ? -1 : 1;
}

type Exposed = Pick<
  FlagExposed,
  'flagKey' | 'flagVersion' | 'variantKey' | 'value' | 'reason' | 'segmentId' | keyof Draw
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
  const { flagKey, flagVersion, period, variantKey, value, reason, segmentId, stratum, trial } = seen;
  const { id: entityId, game, environment, externalId } = state;
  if (environment === 'test' || reason === 'flag_disabled' || reason === 'player_override') return undefined;
  if (state.overrides.some((override) => override.flagKey === flagKey)) return undefined;
  const drawn = stratum !== undefined;
  // All variants of an A/A experiment show the control.
  const counted = trial?.variant ?? variantSeen(seen);
  const experiment = trial === undefined ? {} : { experiment: trial.experiment };
  const exposure: FlagExposure = { flagKey, flagVersion, period, variantKey: counted, drawn, ...experiment };
  const isSame = (one: FlagExposure) =>
    one.flagKey === flagKey &&
    one.experiment === trial?.experiment &&
    one.period === period &&
    one.variantKey === counted &&
    (one.drawn || !drawn);
  if (state.exposures.some(isSame)) return undefined;
  const what = { flagKey, flagVersion, period, attribution, variantKey, value, reason };
  const more = { ...(segmentId === undefined ? {} : { segmentId }), ...drawIn(seen) };
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
  const drawn: Drawn = before ?? drawOfNamed(state, kept, named, flag, flags);
  const period = before?.period ?? drawn.trial?.phase ?? periodIn(flag);
  const { flagVersion, reason } = before ?? { flagVersion: flag.version, reason: 'percentage_rollout' as const };
  const attribution = before !== undefined ? 'earlier' : kept === undefined ? 'named' : 'mismatch';
  const base = { flagKey: flag.key, flagVersion, period, reason, ...drawIn(drawn) };
  if (flag.flagType === 'boolean') {
    const isThere = named === 'true' || named === 'false';
    return isThere ? predictExposure(state, { ...base, variantKey: null, value: named }, attribution, at) : undefined;
  }
  const variant = flag.variants.find(({ key }) => key === named);
  if (variant === undefined && before === undefined) return undefined;
  const isKnown = drawn.trial !== undefined || period === periodIn(flag);
  const value = isKnown ? JSON.stringify(variant?.value ?? null) : 'null';
  return predictExposure(state, { ...base, variantKey: named, value }, attribution, at);
}

/** How a variant was drawn that the event alone names: as what was served last, else as the flag evaluates now. */
function drawOfNamed(
  state: PlayerState,
  kept: ServedFlag | undefined,
  named: string,
  flag: FlagDocument,
  flags: ModelFlags,
): Draw {
  if (kept !== undefined) return { ...kept, ...(kept.trial && { trial: { ...kept.trial, variant: named } }) };
  const ownRules = flag.rules.filter((rule) => 'serve' in rule || 'salt' in rule || 'bucketBy' in rule);
  const keys = flag.bucketBy === undefined || flag.bucketBy === 'player' ? [] : [flag.bucketBy];
  const isTried = flags.experiments?.has(flag.key) === true;
  if (
    !isTried &&
    flag.flagType !== 'boolean' &&
    ownRules.length + keys.length === 0 &&
    flag.defaultServe === undefined
  ) {
    const isDrawn = flag.variants.filter(({ weight }) => weight > 0).length > 1;
    return isDrawn ? { stratum: 10_000 } : {};
  }
  const now = evaluated(state, flag, flags);
  return (now.variantKey ?? now.value) === named ? now : {};
}
