import { LIMITS, type Limits } from '../../src/kernel/limits.ts';
import { DAY_MS, dayOf } from '../../src/kernel/days.ts';
import { jitterMs } from '../segments/update-segments.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import { HIGH_SCORE, IDLE_DAYS, churnScoreOn } from './churn-risk.ts';

/** Days without anything after which a score stays as it is: nothing is left to compare, and inactivity says all it can. */
const LOOK_AHEAD_DAYS = Math.max(LIMITS.activityDays, IDLE_DAYS);

/** Whether a player is a high churn risk as of `nowMs` (epoch milliseconds). */
export function isHighRisk(state: PlayerState, nowMs: number): boolean {
  return churnScoreOn(state, dayOf(nowMs)) >= HIGH_SCORE;
}

/**
 * When a player becomes a high churn risk, or stops to be one, if nothing happens: epoch milliseconds after `nowMs`;
 * `undefined`: never. A risk changes by the day, so that is a midnight (UTC), and the player's own minutes after it.
 */
export function churnChangesAt(
  state: PlayerState,
  nowMs: number,
  limits: Pick<Limits, 'segmentJitterMs'> = LIMITS,
): number | undefined {
  const today = dayOf(nowMs);
  for (let day = today + 1; day <= today + LOOK_AHEAD_DAYS; day++) {
    if (churnScoreOn(state, day) >= HIGH_SCORE !== state.churnHigh) return day * DAY_MS + jitterMs(state.id, limits);
  }
  return undefined;
}
