import type { ExposeFlag } from '../commands.ts';
import type { Context, Decision } from '../decision.ts';
import type { FlagExposed } from '../facts.ts';
import type { PlayerState } from '../state.ts';

/**
 * Notes that a player saw what a flag served: once per flag, version and variant. Nobody waits for the answer. Overridden
 * and test players count for nothing.
 */
export function exposeFlag(state: PlayerState | undefined, exposure: ExposeFlag, context: Context): Decision {
  return { facts: state === undefined ? [] : exposed(state, exposure, context), reply: { kind: 'noted' } };
}

/** The fact of an exposure, if it is one to note. */
export function exposed(state: PlayerState, exposure: ExposeFlag, context: Context): FlagExposed[] {
  return isNews(state, exposure) ? [exposedFact(state, exposure, context)] : [];
}

/** Whether an exposure is one to note. Cheap: it is asked at every single evaluation. */
export function isNews(state: PlayerState, exposure: ExposeFlag): boolean {
  const { flagKey, flagVersion, variantKey, reason } = exposure;
  if (state.environment === 'test' || reason === 'player_override') return false;
  // With the flag disabled the reason doesn't tell that the player has an override.
  if (state.overrides.some((override) => override.flagKey === flagKey)) return false;
  return !state.exposures.some(
    (seen) => seen.flagKey === flagKey && seen.flagVersion === flagVersion && seen.variantKey === variantKey,
  );
}

function exposedFact(state: PlayerState, exposure: ExposeFlag, { game, environment, at }: Context): FlagExposed {
  const { flagKey, flagVersion, variantKey, value, reason, segmentId } = exposure;
  const { id: entityId, externalId } = state;
  const base = { entityId, game, environment, at, externalId };
  const segment = segmentId === undefined ? {} : { segmentId };
  return { kind: 'FlagExposed', ...base, flagKey, flagVersion, variantKey, value, reason, ...segment };
}
