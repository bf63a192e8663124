import { DAY_MS } from '../../core/kernel/days.ts';
import type { PlayerLimits } from '../decision/decision.ts';
import { isHighRisk } from '../churn/churn-changes.ts';
import type { LifecycleThresholds } from '../../core/vocabulary/documents/game.ts';
import type { HistoryImported } from '../../core/vocabulary/facts/import-facts.ts';
import type { LifecycleStage } from '../../core/vocabulary/state/lifecycle-stages.ts';
import { NEVER_SEEN } from '../../core/vocabulary/state/player.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { nextChangeAt } from './update-lifecycle.ts';

/**
 * Stage, churn risk and due time of a player after an import. The stage follows from when the player was first and last
 * seen, so it does not depend on the order of the imported lines. Values from live traffic stay.
 * @param state the player with its history
 * @param isLatest whether the import holds the player's latest activity, or the player is new
 */
export function importedLifecycle(
  state: PlayerState,
  isLatest: boolean,
  thresholds: LifecycleThresholds,
  nowMs: number,
  limits: PlayerLimits,
): Pick<HistoryImported, 'stage' | 'stageChangedAt' | 'churnHigh' | 'dueAt'> {
  const { lifecycleStage: held, lifecycleChangedAt } = state;
  const found = stageOf(state, thresholds, nowMs);
  // A player that returned stays `reactivated`, which the two times do not show.
  const isKept =
    found.stage === held || (held === 'reactivated' && found.stage === 'active') || (!isLatest && held !== 'new');
  const stage = isKept ? held : found.stage;
  const stageChangedAt = isKept && !(isLatest && held === found.stage) ? lifecycleChangedAt : found.at;
  const churnHigh = isHighRisk(state, nowMs);
  const moved: PlayerState = { ...state, lifecycleStage: stage, lifecycleChangedAt: stageChangedAt, churnHigh };
  return { stage, stageChangedAt, churnHigh, dueAt: nextChangeAt({ limits }, moved, thresholds, nowMs, nowMs) };
}

/** The stage of a player without a past but these times, and since when. */
function stageOf(
  { firstSeenAt, lastSeenAt, sessionCount }: PlayerState,
  { newDays, atRiskDays, churnedDays }: LifecycleThresholds,
  nowMs: number,
): { stage: LifecycleStage; at: number } {
  const isKnown = lastSeenAt !== NEVER_SEEN;
  const silentFrom = isKnown ? lastSeenAt : firstSeenAt;
  const churnedAt = silentFrom + churnedDays * DAY_MS;
  if (churnedAt <= nowMs) return { stage: 'churned', at: churnedAt };
  const atRiskAt = silentFrom + atRiskDays * DAY_MS;
  if (atRiskAt <= nowMs) return { stage: 'at_risk', at: atRiskAt };
  // The line names no activity.
  if (!isKnown) return { stage: 'new', at: firstSeenAt };
  const activeAt = firstSeenAt + newDays * DAY_MS;
  if (activeAt <= nowMs) return { stage: 'active', at: activeAt };
  return sessionCount >= 2 ? { stage: 'active', at: nowMs } : { stage: 'new', at: firstSeenAt };
}
