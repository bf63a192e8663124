import type { ExposeFlag } from '../commands.ts';
import type { Context, Decision } from '../decision.ts';
import type { FlagExposed } from '../facts.ts';
import type { PlayerState } from '../state.ts';
import { seenVariant } from './seen-variant.ts';

/**
 * Notes that a player saw what a flag served: once per flag, version and variant (of a boolean flag: value). Nobody waits for the
 * answer. Overridden and test players count for nothing, and neither does a disabled flag.
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
  const { flagKey, flagVersion, reason } = exposure;
  if (state.environment === 'test' || reason === 'player_override' || reason === 'flag_disabled') return false;
  // One set since the evaluation.
  if (state.overrides.some((override) => override.flagKey === flagKey)) return false;
  const variantKey = seenVariant(exposure);
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
