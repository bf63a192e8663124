import { FLAG_LIMITS } from '../limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import type { JsonText } from '../../../core/kernel/text/json.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { ExposeFlag } from '../../../core/vocabulary/commands/commands.ts';
import type { Context, Draft, PlayerLimits } from '../../decision/decision.ts';
import type { Attribution } from '../../../core/vocabulary/facts/flag-facts.ts';
import { type Draw, drawOf, type Trial } from '../../../core/vocabulary/facts/flag-reason.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { Targeting } from '../../decision/targeting.ts';
import { drawnNow } from './drawn-now.ts';
import { exposed } from './expose.ts';
import { countedPeriod } from '../experiment/trials.ts';
import { periodOf } from '../periods.ts';
import { flagFor } from '../evaluate/visible.ts';
import { variantServed } from '../evaluate/serve.ts';
import { servedOf } from '../evaluate/served-of.ts';
import type { ServedFlag } from '../../../core/vocabulary/state/player.ts';

/**
 * Emits the exposure of a tracked event whose properties contain `flag_key`: the player saw that flag. It exposes the
 * value served last, or the variant that the event names as `variant_key`; nothing is evaluated again, except to learn
 * how a variant was drawn that nothing else is known of. If neither is known, only the `unattributed` tally counts it.
 * @param state the player before the event
 * @param targeting called only if the event names a flag
 */
export function exposeTracked(
  draft: Draft,
  state: PlayerState,
  properties: JsonText,
  targeting: () => Targeting,
  context: Context,
): void {
  const sighting = sightingOf(properties);
  if (sighting === undefined || state.environment === 'test') return;
  const flag = flagFor(context.by, sighting.flagKey, targeting())?.document;
  if (flag === undefined) return;
  const found = attributed(servedOf(state, flag.key), sighting.variant, flag, draft.limits);
  if (found === 'unattributed') {
    draft.tally?.('unattributed');
    return;
  }
  const { attribution } = found;
  const exposure = attribution === 'named' ? drawnNow(state, found.exposure, targeting(), context) : found.exposure;
  for (const fact of exposed(state, exposure, attribution, context)) draft.emit(fact);
}

interface Sighting {
  flagKey: string;
  /** `undefined`: the event names no variant. `null`: it says that no variant was shown. */
  variant: string | null | undefined;
}

/** Parses the properties only if they may name a flag: most events do not. */
function sightingOf(properties: JsonText): Sighting | undefined {
  if (!properties.includes('"flag_key"')) return undefined;
  const parsed: { flag_key?: unknown; variant_key?: unknown } = JSON.parse(properties);
  const { flag_key: flagKey, variant_key: named } = parsed;
  if (typeof flagKey !== 'string' || flagKey.length > TEXT_LIMITS.nameLength) return undefined;
  if (typeof named === 'boolean') return { flagKey, variant: String(named) };
  return { flagKey, variant: typeof named === 'string' || named === null ? named : undefined };
}

type Exposure = Omit<ExposeFlag, 'kind' | 'playerId'>;
type Attributed = { exposure: Exposure; attribution: Attribution };

/** Selects the exposure of an event. @param named the variant, as in `Sighting` */
function attributed(
  kept: ServedFlag | undefined,
  named: string | null | undefined,
  flag: FlagDocument,
  limits: PlayerLimits,
): Attributed | 'unattributed' {
  if (kept === undefined) {
    return typeof named === 'string' ? byName(named, 'named', flag) : 'unattributed';
  }
  // Evaluations of a boolean flag have the variant null, which clients may send back.
  const isNamed = named !== undefined && !(named === null && kept.variantKey === null);
  if (!isNamed) {
    if (kept.changes >= limits.servedChanges) return 'unattributed';
    return { exposure: keptExposure(kept, flag), attribution: 'served' };
  }
  if (named === variantServed(kept)) return { exposure: keptExposure(kept, flag), attribution: 'served' };
  const before = kept.earlier.find(({ variant }) => variant === named);
  if (before === undefined || named === null) return byName(named, 'mismatch', flag, kept);
  const { flagVersion, period, reason } = before;
  const seen = { ...shownAs(before.variant, flag, period, before.trial), ...drawOf(before) };
  return { exposure: { flagKey: flag.key, flagVersion, period, reason, ...seen }, attribution: 'earlier' };
}

function keptExposure({ value, ...kept }: ServedFlag, flag: FlagDocument): Exposure {
  const { flagKey, flagVersion, period, variantKey, reason, segmentId } = kept;
  const more = { ...(segmentId === undefined ? {} : { segmentId }), ...drawOf(kept) };
  const text = value ?? longValue(variantKey, flag, isCurrent(flag, kept));
  return { flagKey, flagVersion, period, variantKey, value: text, reason, ...more };
}

/**
 * The exposure of a variant that only the event names; `unattributed` if the flag does not have it.
 * @param drawn how the last one was drawn: a player in an experiment who shows another variant is left out of it
 */
function byName(
  named: string | null,
  attribution: Attribution,
  flag: FlagDocument,
  drawn: Draw = {},
): Attributed | 'unattributed' {
  const isBoolean = flag.flagType === 'boolean';
  const isThere = isBoolean ? named === 'true' || named === 'false' : flag.variants.some(({ key }) => key === named);
  if (named !== null && !isThere) return 'unattributed';
  const period = countedPeriod(flag, drawn);
  const reason = named === null ? 'default' : 'percentage_rollout';
  const trial = drawn.trial && { ...drawn.trial, variant: named ?? '' };
  const seen = { ...shownAs(named, flag, period, trial), ...drawOf({ ...drawn, ...(trial && { trial }) }) };
  return { exposure: { flagKey: flag.key, flagVersion: flag.version, period, reason, ...seen }, attribution };
}

/** A variant in the form of exposures: for a boolean flag it is the value. */
export function shownAs(
  variant: string | null,
  flag: FlagDocument,
  period: number,
  trial?: Trial,
): Pick<Exposure, 'variantKey' | 'value'> {
  if (flag.flagType === 'boolean') return { variantKey: null, value: variant ?? 'false' };
  const isNow = isCurrent(flag, { period, ...(trial && { trial }) });
  if (variant !== null) return { variantKey: variant, value: longValue(variant, flag, isNow) };
  return { variantKey: null, value: isNow ? JSON.stringify(flag.defaultValue) : 'null' };
}

/** Whether the definition still has the values of the period. All phases of an experiment have the same. */
function isCurrent(flag: FlagDocument, { period, trial }: Pick<ServedFlag, 'period' | 'trial'>): boolean {
  return trial !== undefined || period === periodOf(flag);
}

/**
 * A value too long to store with its variant: read from the definition, unless its period is over. Without a variant it
 * is the only long value that the default or a rule serves.
 */
function longValue(variantKey: string | null, flag: FlagDocument, isNow: boolean): JsonText {
  if (!isNow) return 'null';
  if (variantKey !== null) return JSON.stringify(flag.variants.find(({ key }) => key === variantKey)?.value ?? null);
  const fixed = flag.rules.flatMap(({ serve }) => serve ?? []).concat(flag.defaultServe ?? []);
  const values = fixed.flatMap((serve) => ('value' in serve ? [JSON.stringify(serve.value)] : []));
  const long = values.filter((value) => value.length > FLAG_LIMITS.servedValueLength);
  const byDefault = JSON.stringify(flag.defaultValue);
  const [only = byDefault, ...others] = new Set(
    byDefault.length > FLAG_LIMITS.servedValueLength ? [byDefault, ...long] : long,
  );
  return others.length === 0 ? only : 'null';
}
