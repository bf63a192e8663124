import { append } from '../../core/kernel/flow/bounded.ts';
import { FLAG_LIMITS } from './limits.ts';
import type { FlagExposed, FlagOverridden } from '../../core/vocabulary/facts/flag-facts.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { countedVariant } from './experiment/trials.ts';

export function flagOverridden(state: PlayerState, { flagKey, value }: FlagOverridden): PlayerState {
  const others = state.overrides.filter((override) => override.flagKey !== flagKey);
  return { ...state, overrides: value === null ? others : [...others, { flagKey, value }] };
}

export function flagExposed(state: PlayerState, fact: FlagExposed): PlayerState {
  const { flagKey, flagVersion, period, stratum, trial } = fact;
  const seen = { flagKey, flagVersion, period, variantKey: countedVariant(fact), drawn: stratum !== undefined };
  const exposure = trial === undefined ? seen : { ...seen, experiment: trial.experiment };
  return { ...state, exposures: append(state.exposures, exposure, FLAG_LIMITS.exposuresPerPlayer) };
}
