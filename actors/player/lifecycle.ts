import { DAY_MS } from '../../src/kernel/days.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import type { LifecycleThresholds } from '../vocabulary/documents.ts';
import type { LifecycleStage } from '../vocabulary/player.ts';

/** The stage after something a player did; mostly the one it is in. The state holds what was done already. */
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

/** A change of stage that comes with time. */
export interface StageChange {
  to: LifecycleStage;
  /** Epoch milliseconds. */
  at: number;
}

/** The next change of a player's stage if nothing happens; `undefined`: there is none. */
export function nextStage(state: PlayerState, thresholds: LifecycleThresholds): StageChange | undefined {
  const { newDays, atRiskDays, churnedDays } = thresholds;
  const atRisk = { to: 'at_risk', at: state.lastSeenAt + atRiskDays * DAY_MS } as const;
  switch (state.lifecycleStage) {
    case 'new': {
      const settledAt = state.firstSeenAt + newDays * DAY_MS;
      return settledAt <= atRisk.at ? { to: 'active', at: settledAt } : atRisk;
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
