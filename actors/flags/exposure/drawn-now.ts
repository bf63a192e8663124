import type { ExposeFlag } from '../../../core/vocabulary/commands/commands.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import { drawOf } from '../../../core/vocabulary/facts/flag-reason.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { Context } from '../../decision/decision.ts';
import type { Targeting } from '../../decision/targeting.ts';
import { servesByRule, stratumOfOffer, weightsOffer } from '../draw/strata.ts';
import { countedPeriod } from '../experiment/trials.ts';
import { periodOf } from '../periods.ts';
import { seenVariant } from './seen-variant.ts';

type Exposure = Omit<ExposeFlag, 'kind' | 'playerId'>;

/**
 * The exposure of a variant that this owner has not served, with its draw. If no experiment is active, no rule serves
 * anything of its own, and nobody has a key, every player with a variant has the flag's weights. Otherwise, and of a
 * boolean flag, the player is evaluated now, without a context: the exposure is drawn if the evaluation gives the same
 * by chance. No player matches a condition on the context then.
 */
export function drawnNow(state: PlayerState, exposure: Exposure, targeting: Targeting, { at }: Context): Exposure {
  const flag = targeting.flags.get(exposure.flagKey);
  if (flag === undefined) return exposure;
  const { document, key } = flag;
  const isTried = exposure.trial !== undefined || targeting.experimentOf?.(key) !== undefined;
  if (!isTried && document.flagType !== 'boolean' && !servesByRule(document)) {
    const stratum = exposure.variantKey === null ? undefined : stratumOfOffer(document, weightsOffer(document));
    return stratum === undefined ? exposure : { ...exposure, stratum };
  }
  if (exposure.trial === undefined && exposure.period !== periodOf(document)) return exposure;
  const now = flag.evaluate({ player: state, nowMs: at }, targeting);
  if (!isSameAnswer(exposure, now)) return exposure;
  return { ...exposure, period: countedPeriod(document, now), ...drawOf(now) };
}

/** Whether an evaluation explains what was seen. A server says of which experiment it was; an event does not. */
function isSameAnswer({ trial, attribution, ...seen }: Exposure, now: FlagEvaluation): boolean {
  if (trial !== undefined) return now.trial?.experiment === trial.experiment && now.trial.variant === trial.variant;
  if (attribution === 'local' && now.trial !== undefined) return false;
  return seenVariant(now) === seenVariant(seen);
}
