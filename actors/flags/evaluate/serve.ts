import type { Adjustable } from '../../../core/kernel/adjustable.ts';
import { PLAYER_LIMITS } from '../../decision/limits.ts';
import { FLAG_LIMITS } from '../limits.ts';
import { append } from '../../../core/kernel/flow/bounded.ts';
import type { ServedNow, ServeFlags } from '../../../core/vocabulary/commands/commands.ts';
import type { Context, Decision } from '../../decision/decision.ts';
import { type Draw, drawOf, KEYED_STRATUM, type Trial } from '../../../core/vocabulary/facts/flag-reason.ts';
import type { FlagsServed } from '../../../core/vocabulary/facts/flag-facts.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { Targeting } from '../../decision/targeting.ts';
import { seenVariant } from '../exposure/seen-variant.ts';
import { countedPeriod, isAssigned, isSameTrial, trialAfter } from '../experiment/trials.ts';
import { placeOf, servedOf } from './served-of.ts';
import { sharedServed } from './shared-served.ts';
import type { FlagExposure, ServedFlag, ServedVariant } from '../../../core/vocabulary/state/player.ts';

/*
 * Owns `servedFlags` of a player's state: what each flag served last. A later event that names a flag exposes this
 * value, never what the flag would serve at that time without the context of the original request.
 *
 * Invariants
 * 1. A change is durable before the response that serves it is sent. If that response is lost, the record differs from
 *    what the client shows; such a client names the variant in its event.
 * 2. A player that gets two variants of one draw in one period, or any by an override beside a draw, is marked as
 *    mixed, once.
 * 3. A flag changes a player's record at most `servedChanges` times in a period, and once more for each experiment that
 *    assigns a variant.
 * 4. The variant that an experiment assigned stays in the record while the experiment is active, also while something
 *    else is served: an override, or the default of the disabled flag.
 */

/** Selects the evaluations that differ from the record; usually none. */
export function servedAnew(
  { environment, servedFlags }: PlayerState,
  evaluations: readonly FlagEvaluation[],
  targeting: Targeting,
  limits: Adjustable<typeof PLAYER_LIMITS, 'servedChanges'> = PLAYER_LIMITS,
): ServedNow[] {
  // Experiments exclude test players.
  if (environment === 'test') return NOTHING;
  let anew: ServedNow[] | undefined;
  let guess = 0;
  for (const evaluation of evaluations) {
    const { flagKey } = evaluation;
    const document = targeting.flags.get(flagKey)?.document;
    if (document === undefined) continue;
    // The record is sorted by key, and flags are usually evaluated in that order.
    const place = servedFlags[guess]?.flagKey === flagKey ? guess : placeOf(servedFlags, flagKey);
    guess = place + 1;
    const period = countedPeriod(document, evaluation);
    const kept = servedFlags[place];
    if (isKept(kept?.flagKey === flagKey ? kept : undefined, evaluation, period, targeting, limits)) continue;
    const { value, variantKey, reason, segmentId } = evaluation;
    const more = { ...(segmentId === undefined ? {} : { segmentId }), ...drawOf(evaluation) };
    const now = { flagKey, flagVersion: document.version, period, variantKey, value, reason, ...more };
    (anew ??= []).push(now);
  }
  return anew ?? NOTHING;
}

const NOTHING: ServedNow[] = [];

/** Records the served variants. The reply goes to no caller. */
export function serveFlags(
  state: PlayerState | undefined,
  { flags }: ServeFlags,
  targeting: Targeting,
  context: Context,
  limits: Adjustable<typeof PLAYER_LIMITS, 'servedChanges'> = PLAYER_LIMITS,
): Decision {
  return {
    facts: state === undefined ? [] : served(state, flags, targeting, context, limits),
    reply: { kind: 'noted' },
  };
}

/** The fact of newly served variants; none if the record has all of them. */
export function served(
  state: PlayerState,
  flags: readonly ServedNow[],
  targeting: Targeting,
  context: Context,
  limits: Adjustable<typeof PLAYER_LIMITS, 'servedChanges'> = PLAYER_LIMITS,
): FlagsServed[] {
  const changed = new Map<string, ServedFlag>();
  const mixed: string[] = [];
  for (const now of flags) {
    const kept = changed.get(now.flagKey) ?? servedOf(state, now.flagKey);
    if (isKept(kept, now, now.period, targeting, limits)) continue;
    const next = nextServed(state, kept, now, trialNext(kept, now, targeting));
    if (next.mixed && !(kept?.mixed === true && isSamePeriod(kept, next))) mixed.push(now.flagKey);
    changed.set(now.flagKey, next);
  }
  if (changed.size === 0) return [];
  const { game, environment, at } = context;
  const { id: entityId, externalId } = state;
  const inOrder = [...changed.values()].toSorted(byKey);
  const forgotten = goneFlags(state, changed, targeting);
  return [{ kind: 'FlagsServed', entityId, game, environment, at, externalId, flags: inOrder, mixed, forgotten }];
}

/** The keys of deleted flags, if the record would exceed its limit; otherwise none. */
function goneFlags(
  { servedFlags }: PlayerState,
  changed: ReadonlyMap<string, ServedFlag>,
  { flags }: Targeting,
): string[] {
  if (servedFlags.length + changed.size <= FLAG_LIMITS.servedFlags) return [];
  return servedFlags.flatMap(({ flagKey }) => (flags.has(flagKey) ? [] : [flagKey]));
}

/** Applies the fact to the record. */
export function flagsServed(state: PlayerState, { flags, forgotten }: FlagsServed): PlayerState {
  const replaced = new Set(flags.map(({ flagKey }) => flagKey).concat(forgotten));
  const kept = state.servedFlags.filter(({ flagKey }) => !replaced.has(flagKey));
  return { ...state, servedFlags: [...kept, ...flags.map(sharedServed)].toSorted(byKey) };
}

type What = Pick<ServedNow, 'flagKey' | 'variantKey' | 'value' | 'reason' | 'segmentId' | keyof Draw>;

function isKept(
  kept: ServedFlag | undefined,
  now: What,
  period: number,
  targeting: Targeting,
  limits: Adjustable<typeof PLAYER_LIMITS, 'servedChanges'>,
): boolean {
  // A disabled flag without a record needs none: an event cannot be attributed to it.
  if (kept === undefined) return now.reason === 'flag_disabled';
  let drawn: Draw = now;
  if (kept.trial !== undefined || now.trial !== undefined) {
    const trial = trialNext(kept, now, targeting);
    if (!isSameTrial(kept.trial, trial)) return false;
    if (trial === undefined && kept.period !== period) return false;
    // An evaluation that did not know of the assignment yet has drawn the same variant, in a later phase.
    if (trial !== undefined && isLater(trial, now.trial)) return true;
    if (!isSameTrial(trial, now.trial)) drawn = drawNext(kept, now, trial);
  } else if (kept.period !== period) return false;
  if (kept.changes >= limits.servedChanges) return true;
  return (
    kept.variantKey === now.variantKey &&
    kept.reason === now.reason &&
    kept.segmentId === now.segmentId &&
    kept.stratum === drawn.stratum &&
    kept.cluster === drawn.cluster &&
    (kept.value === null ? now.value.length > FLAG_LIMITS.servedValueLength : kept.value === now.value)
  );
}

/** The player's variant of an experiment after this answer. Answers of no experiment look for none. */
function trialNext(kept: ServedFlag | undefined, now: What, targeting: Targeting): Trial | undefined {
  if (kept?.trial === undefined) return now.trial;
  return trialAfter(kept.trial, now, targeting.experimentOf?.(now.flagKey)?.key);
}

function nextServed(
  state: PlayerState,
  kept: ServedFlag | undefined,
  now: ServedNow,
  trial: Trial | undefined,
): ServedFlag {
  const { value, stratum: _, cluster: __, ...rest } = now;
  const variant = variantServed(now);
  const next = { ...rest, period: trial?.phase ?? now.period, ...drawNext(kept, now, trial) };
  const earlier = kept === undefined ? [] : earlierVariants(kept, variant);
  const isSecond = variant !== null && earlier.some((one) => isSamePeriod(one, next) && isOther(one, next));
  const before = kept === undefined ? [] : [kept, ...kept.earlier];
  const isBeside =
    before.some((one) => isSamePeriod(one, next) && isOverridden(one, next)) ||
    (isForced(next) && hasSeen(state, next));
  const isSame = kept !== undefined && isSamePeriod(kept, next);
  return {
    ...next,
    value: value.length > FLAG_LIMITS.servedValueLength ? null : value,
    changes: isSame ? kept.changes + 1 : 0,
    mixed: (isSame && kept.mixed) || isSecond || isBeside,
    earlier,
  };
}

/** The draw of an answer. What is served beside a kept variant was not drawn by its experiment. */
function drawNext(kept: ServedFlag | undefined, now: Draw, trial: Trial | undefined): Draw {
  if (trial === undefined || isSameTrial(trial, now.trial)) return drawOf({ ...now, ...(trial && { trial }) });
  const { cluster } = kept ?? {};
  return { ...(cluster === undefined ? {} : { cluster }), trial };
}

function isLater(kept: Trial, now: Trial | undefined): boolean {
  return now !== undefined && kept.phase !== now.phase && kept.variant === now.variant;
}

/** Whether two answers count in one period of the flag, or in one phase of an experiment. */
function isSamePeriod(one: Pick<ServedFlag, 'period' | 'trial'>, other: Pick<ServedFlag, 'period' | 'trial'>): boolean {
  return one.period === other.period && one.trial?.experiment === other.trial?.experiment;
}

/**
 * Whether two variants cannot both be what was drawn: they are of one stratum, or an override served one of them. What
 * was served to a player who was not eligible is no variant of the flag's results. With another key a player may get
 * another variant of the same draw. A player with a variant of an experiment gets no other one, whatever served it.
 */
function isOther(one: Pick<ServedVariant, 'reason' | keyof Draw>, other: Pick<ServedVariant, 'reason' | keyof Draw>) {
  if (other.trial !== undefined) return isAssigned(other.trial) && one.trial !== undefined && isAssigned(one.trial);
  const isOneDraw = one.stratum === other.stratum && (one.stratum ?? 0) < KEYED_STRATUM;
  return takesPart(one) && takesPart(other) && (isForced(one) || isForced(other) || isOneDraw);
}

/**
 * Whether an override served one of two, and a draw the other. It does not matter which variant: players whom the
 * override leaves with theirs would else stay, and only those of the other variants go.
 */
function isOverridden(one: Parameters<typeof isOther>[0], other: Parameters<typeof isOther>[1]): boolean {
  return isForced(one) !== isForced(other) && isOther(one, other);
}

/** Whether the player was exposed to a draw of this period. The record may have forgotten it since. */
function hasSeen(
  { exposures }: PlayerState,
  { flagKey, period, trial }: Pick<ServedFlag, 'flagKey' | 'period' | 'trial'>,
) {
  const isOf = (seen: FlagExposure) => seen.period === period && seen.experiment === trial?.experiment;
  return exposures.some((seen) => seen.flagKey === flagKey && seen.drawn && isOf(seen));
}

const isForced = ({ reason }: Pick<ServedVariant, 'reason'>): boolean => reason === 'player_override';

function takesPart({ reason, stratum }: Pick<ServedVariant, 'reason' | 'stratum'>): boolean {
  return stratum !== undefined || isForced({ reason });
}

/** The variants served before `variant`. */
function earlierVariants(kept: ServedFlag, variant: string | null): readonly ServedVariant[] {
  const before = variantServed(kept);
  const others = kept.earlier.filter((one) => one.variant !== variant && one.variant !== before);
  if (before === null || before === variant) return others.length === kept.earlier.length ? kept.earlier : others;
  const { flagVersion, period, reason } = kept;
  return append(others, { variant: before, flagVersion, period, reason, ...drawOf(kept) }, FLAG_LIMITS.servedVariants);
}

/** The served variant; `null`: none, for a disabled flag or a default that is not boolean. */
export function variantServed({ variantKey, value, reason }: Pick<ServedFlag, 'variantKey' | 'value' | 'reason'>) {
  return reason === 'flag_disabled' ? null : seenVariant({ variantKey, value: value ?? '' });
}

function byKey(one: { flagKey: string }, other: { flagKey: string }): number {
  return one.flagKey < other.flagKey ? -1 : 1;
}
