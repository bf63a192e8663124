import { LIMITS } from '../../src/kernel/limits.ts';
import type { JsonText } from '../../src/kernel/json.ts';
import type { FlagDocument } from '../vocabulary/documents.ts';
import type { ExposeFlag } from '../vocabulary/commands.ts';
import type { Context, Draft, PlayerLimits } from '../decision.ts';
import type { Attribution } from '../vocabulary/flag-facts.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import type { Targeting } from '../targeting.ts';
import { exposed } from './expose.ts';
import { periodOf } from './periods.ts';
import { servedOf, variantServed } from './serve.ts';
import type { ServedFlag } from '../vocabulary/player.ts';

/**
 * A tracked event whose properties hold `flag_key` says that the player saw that flag. It exposes what the flag served the
 * player last, or the variant that the event names as `variant_key`; nothing is evaluated again. Where nothing is known to
 * have been served and the event names nothing, the exposure is counted as unattributed, and is none.
 * @param state the player as it was before the event
 * @param targeting asked for only when the event names a flag
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
  const flag = targeting().flags.get(sighting.flagKey)?.document;
  if (flag === undefined) return;
  const found = attributed(servedOf(state, flag.key), sighting.variant, flag, draft.limits);
  if (found === 'unattributed') draft.tally?.('unattributed');
  else for (const fact of exposed(state, found.exposure, found.attribution, context)) draft.emit(fact);
}

interface Sighting {
  flagKey: string;
  /** `undefined`: none is named. `null`: that no variant was shown. */
  variant: string | null | undefined;
}

/** Most events name no flag, and their properties are not parsed. */
function sightingOf(properties: JsonText): Sighting | undefined {
  if (!properties.includes('"flag_key"')) return undefined;
  const parsed: { flag_key?: unknown; variant_key?: unknown } = JSON.parse(properties);
  const { flag_key: flagKey, variant_key: named } = parsed;
  if (typeof flagKey !== 'string' || flagKey.length > LIMITS.nameLength) return undefined;
  if (typeof named === 'boolean') return { flagKey, variant: String(named) };
  return { flagKey, variant: typeof named === 'string' || named === null ? named : undefined };
}

type Exposure = Omit<ExposeFlag, 'kind' | 'playerId'>;
type Attributed = { exposure: Exposure; attribution: Attribution };

/** What an event exposes. @param named as in `Sighting` */
function attributed(
  kept: ServedFlag | undefined,
  named: string | null | undefined,
  flag: FlagDocument,
  limits: PlayerLimits,
): Attributed | 'unattributed' {
  if (kept === undefined) {
    return typeof named === 'string' ? byName(named, 'named', flag) : 'unattributed';
  }
  // Evaluations of a boolean flag have the variant null, and a client may send it back.
  const isNamed = named !== undefined && !(named === null && kept.variantKey === null);
  if (!isNamed) {
    if (kept.changes >= limits.servedChanges) return 'unattributed';
    return { exposure: keptExposure(kept, flag), attribution: 'served' };
  }
  if (named === variantServed(kept)) return { exposure: keptExposure(kept, flag), attribution: 'served' };
  const before = kept.earlier.find(({ variant }) => variant === named);
  if (before === undefined || named === null) return byName(named, 'mismatch', flag);
  const { flagVersion, period, reason } = before;
  const seen = seenAs(before.variant, flag, period);
  return { exposure: { flagKey: flag.key, flagVersion, period, reason, ...seen }, attribution: 'earlier' };
}

function keptExposure({ value, ...kept }: ServedFlag, flag: FlagDocument): Exposure {
  const { flagKey, flagVersion, period, variantKey, reason, segmentId } = kept;
  const segment = segmentId === undefined ? {} : { segmentId };
  const text = value ?? longValue(variantKey, flag, period);
  return { flagKey, flagVersion, period, variantKey, value: text, reason, ...segment };
}

/** A variant that only the event names. `unattributed` when the flag does not have it. */
function byName(named: string | null, attribution: Attribution, flag: FlagDocument): Attributed | 'unattributed' {
  const isBoolean = flag.flagType === 'boolean';
  const isThere = isBoolean ? named === 'true' || named === 'false' : flag.variants.some(({ key }) => key === named);
  if (named !== null && !isThere) return 'unattributed';
  const period = periodOf(flag);
  const reason = named === null ? 'default' : 'percentage_rollout';
  const seen = seenAs(named, flag, period);
  return { exposure: { flagKey: flag.key, flagVersion: flag.version, period, reason, ...seen }, attribution };
}

/** A variant as exposures hold it: of a boolean flag it is the value. */
function seenAs(variant: string | null, flag: FlagDocument, period: number): Pick<Exposure, 'variantKey' | 'value'> {
  if (flag.flagType === 'boolean') return { variantKey: null, value: variant ?? 'false' };
  return { variantKey: variant, value: longValue(variant, flag, period) };
}

/** A value that is not kept beside its variant: the definition has it, unless that is of another period by now. */
function longValue(variantKey: string | null, flag: FlagDocument, period: number): JsonText {
  if (period !== periodOf(flag)) return 'null';
  const variant = flag.variants.find(({ key }) => key === variantKey);
  return JSON.stringify(variantKey === null ? flag.defaultValue : (variant?.value ?? null));
}
