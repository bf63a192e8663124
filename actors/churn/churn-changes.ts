import type { Adjustable } from '../../core/kernel/adjustable.ts';
import { PLAYER_LIMITS } from '../decision/limits.ts';
import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import { DAY_MS, dayOf } from '../../core/kernel/days.ts';
import { jitterMs } from '../segments/update-segments.ts';
import { NEVER_SEEN } from '../../core/vocabulary/state/player.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { HIGH_SCORE, IDLE_DAYS, churnScoreOn } from './churn-risk.ts';

/**
 * Days without activity after which a score no longer changes: no day is left to compare, and inactivity is at its
 * maximum.
 */
const LOOK_AHEAD_DAYS = Math.max(STATE_LIMITS.activityDays, IDLE_DAYS);

/** Whether a player's churn risk is high as of `nowMs` (epoch milliseconds). */
export function isHighRisk(state: PlayerState, nowMs: number): boolean {
  return state.lastSeenAt !== NEVER_SEEN && churnScoreOn(state, dayOf(nowMs)) >= HIGH_SCORE;
}

/**
 * When the churn risk becomes high, or stops being high, without activity: epoch milliseconds after `nowMs`;
 * `undefined`: never. A risk changes by UTC day, so this is a midnight plus the player's jitter.
 */
export function churnChangesAt(
  state: PlayerState,
  nowMs: number,
  limits: Adjustable<typeof PLAYER_LIMITS, 'segmentJitterMs'> = PLAYER_LIMITS,
): number | undefined {
  if (state.lastSeenAt === NEVER_SEEN) return undefined;
  const today = dayOf(nowMs);
  for (let day = today + 1; day <= today + LOOK_AHEAD_DAYS; day++) {
    if (churnScoreOn(state, day) >= HIGH_SCORE !== state.churnHigh) return day * DAY_MS + jitterMs(state.id, limits);
  }
  return undefined;
}
