import type { Clock } from '../../../core/kernel/clock.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import type { JsonObject, JsonText } from '../../../core/kernel/text/json.ts';
import { FLAG_LIMITS } from '../limits.ts';
import type { EvaluateFlags, ExposeFlag } from '../../../core/vocabulary/commands/commands.ts';
import type { FlagEvaluation, FlagsReply } from '../../../core/vocabulary/commands/replies.ts';
import { drawOf } from '../../../core/vocabulary/facts/flag-reason.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { Served, Subject, Targeting } from '../../decision/targeting.ts';
import { flagFor, withoutHidden } from './visible.ts';
import { countedPeriod } from '../experiment/trials.ts';

/**
 * Evaluates flags for a player from live state. `unknownFlags` lists keys without a flag, or with an archived one.
 * Fails with PLAYER_NOT_FOUND without a player, and with VALIDATION_ERROR if the values are too large for one response.
 * @param clock schedules and conditions use wall time; `durationUs` is measured in monotonic time
 */
export function evaluateFlags(
  player: PlayerState | undefined,
  { flagKeys, context, by }: EvaluateFlags,
  targeting: Targeting,
  clock: Pick<Clock, 'wallMs' | 'monotonicMs'>,
): FlagsReply | Failure {
  if (player === undefined) return failure('PLAYER_NOT_FOUND');
  const beganMs = clock.monotonicMs();
  const subject = subjectOf(player, context, clock.wallMs());
  const evaluations: FlagEvaluation[] = [];
  const unknownFlags: string[] = [];
  let valueChars = 0;
  // Flags with the same prerequisites share their results.
  const served: Served = new Map();
  for (const key of flagKeys === 'all' ? targeting.flags.keys() : new Set(flagKeys)) {
    const flag = flagFor(by, key, targeting);
    if (flag === undefined) {
      if (flagKeys !== 'all') unknownFlags.push(key);
      continue;
    }
    const evaluation = withoutHidden(by, flag.evaluate(subject, targeting, served), targeting);
    valueChars += evaluation.value.length;
    if (valueChars > FLAG_LIMITS.evaluatedChars) return tooLarge();
    evaluations.push(evaluation);
  }
  const durationUs = Math.round((clock.monotonicMs() - beganMs) * 10_000) / 10;
  return { kind: 'flags', evaluations, unknownFlags, durationUs };
}

/** Converts evaluations to exposures. Omits flags that were deleted meanwhile. */
export function exposuresOf(
  playerId: string,
  evaluations: readonly FlagEvaluation[],
  targeting: Targeting,
): ExposeFlag[] {
  return evaluations.flatMap(({ flagKey, value, variantKey, reason, segmentId, ...drawn }) => {
    const flag = targeting.flags.get(flagKey);
    if (flag === undefined) return [];
    const { document } = flag;
    const when = { flagVersion: document.version, period: countedPeriod(document, drawn) };
    const more = { ...(segmentId === undefined ? {} : { segmentId }), ...drawOf(drawn) };
    return [{ kind: 'ExposeFlag' as const, playerId, flagKey, ...when, variantKey, value, reason, ...more }];
  });
}

const NO_CONTEXT: JsonText = '{}';

function subjectOf(player: PlayerState, text: JsonText, nowMs: number): Subject {
  if (text === NO_CONTEXT) return { player, nowMs };
  const context: JsonObject = JSON.parse(text);
  return { player, nowMs, context };
}

function tooLarge(): Failure {
  const message = `selects flags whose values exceed ${FLAG_LIMITS.evaluatedChars} characters in total; request fewer flags`;
  return failure('VALIDATION_ERROR', `\`flag_keys\` ${message}.`, { fields: [{ path: '/flag_keys', message }] });
}
