import { DAY_MS } from '../../core/kernel/days.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { LifecycleThresholds } from '../../core/vocabulary/documents/game.ts';
import type { LifecycleStage } from '../../core/vocabulary/state/lifecycle-stages.ts';
import { NEVER_SEEN } from '../../core/vocabulary/state/player.ts';

/** The stage after an activity, which `state` already contains; usually unchanged. */
export function stageAfterActivity(state: PlayerState, thresholds: LifecycleThresholds): LifecycleStage {
  switch (state.lifecycleStage) {
    case 'new':
      return state.sessionCount >= 2 ? 'active' : 'new';
    case 'active':
      return 'active';
    case 'at_risk':
      return 'active';
    case 'churned':
      return 'reactivated';
    case 'reactivated':
      return state.sessionsInStage >= thresholds.reactivatedSessions ? 'active' : 'reactivated';
  }
}

/** A change of stage by time alone. */
export interface StageChange {
  to: LifecycleStage;
  /** Epoch milliseconds. */
  at: number;
}

/** The next change of the stage without activity; `undefined`: there is none. */
export function nextStage(state: PlayerState, thresholds: LifecycleThresholds): StageChange | undefined {
  if (state.lastSeenAt === NEVER_SEEN) return undefined;
  const { newDays, atRiskDays, churnedDays } = thresholds;
  const atRisk = { to: 'at_risk', at: state.lastSeenAt + atRiskDays * DAY_MS } as const;
  switch (state.lifecycleStage) {
    case 'new': {
      const activeAt = state.firstSeenAt + newDays * DAY_MS;
      return activeAt <= atRisk.at ? { to: 'active', at: activeAt } : atRisk;
    }
    case 'active':
    case 'reactivated':
      return atRisk;
    case 'at_risk':
      return { to: 'churned', at: state.lastSeenAt + churnedDays * DAY_MS };
    case 'churned':
      return undefined;
  }
}
