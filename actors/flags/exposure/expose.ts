import { failure } from '../../../core/kernel/errors.ts';
import type { ExposeFlag } from '../../../core/vocabulary/commands/commands.ts';
import type { Context, Decision } from '../../decision/decision.ts';
import type { Attribution, FlagExposed } from '../../../core/vocabulary/facts/flag-facts.ts';
import { drawOf } from '../../../core/vocabulary/facts/flag-reason.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { Targeting } from '../../decision/targeting.ts';
import { drawnNow } from './drawn-now.ts';
import { countedVariant } from '../experiment/trials.ts';
import type { FlagExposure } from '../../../core/vocabulary/state/player.ts';

/**
 * Records that a player saw a flag's variant: once per flag, period and variant (for a boolean flag: value), and once
 * more when the player becomes eligible. Overridden players, test players and disabled flags are not recorded. The
 * reply to an exposure by the owner goes to no caller.
 */
export function exposeFlag(
  state: PlayerState | undefined,
  exposure: ExposeFlag,
  targeting: () => Targeting,
  context: Context,
): Decision {
  if (state === undefined) return { facts: [], reply: failure('PLAYER_NOT_FOUND') };
  const { attribution = 'served' } = exposure;
  const seen = attribution === 'local' ? drawnNow(state, exposure, targeting(), context) : exposure;
  return { facts: exposed(state, seen, attribution, context), reply: { kind: 'noted' } };
}

/** The fact of an exposure; none if it is not new. */
export function exposed(
  state: PlayerState,
  exposure: Omit<ExposeFlag, 'kind' | 'playerId'>,
  attribution: Attribution,
  { game, environment, at }: Context,
): FlagExposed[] {
  if (!isNewExposure(state, exposure)) return [];
  const { flagKey, flagVersion, period = 1, variantKey, value, reason, segmentId } = exposure;
  const { id: entityId, externalId } = state;
  const base = { entityId, game, environment, at, externalId };
  const what = { flagKey, flagVersion, period, variantKey, value, reason };
  const more = { ...(segmentId === undefined ? {} : { segmentId }), ...drawOf(exposure) };
  return [{ kind: 'FlagExposed', ...base, ...what, attribution, ...more }];
}

/** Whether an exposure is to be recorded. Cheap: it runs at every evaluation. */
export function isNewExposure(state: PlayerState, exposure: Omit<ExposeFlag, 'kind' | 'playerId'>): boolean {
  const { flagKey, flagVersion, period = 1, reason, stratum, trial } = exposure;
  if (state.environment === 'test' || reason === 'player_override' || reason === 'flag_disabled') return false;
  // The override may be newer than the evaluation.
  if (state.overrides.some((override) => override.flagKey === flagKey)) return false;
  const variantKey = countedVariant(exposure);
  const isOf = (seen: FlagExposure) => (seen.period === 0 ? seen.flagVersion === flagVersion : seen.period === period);
  const isKnown = (seen: FlagExposure) => seen.variantKey === variantKey && (seen.drawn || stratum === undefined);
  return !state.exposures.some(
    (seen) => seen.flagKey === flagKey && seen.experiment === trial?.experiment && isKnown(seen) && isOf(seen),
  );
}
