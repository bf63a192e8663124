import type { MergeSettled } from '../../core/vocabulary/merge/merge-facts.ts';
import type { MergedState } from '../../core/vocabulary/state/state.ts';
import { MERGE_LIMITS } from './limits.ts';

/** When a merge can no longer be taken back, epoch milliseconds; `null`: that is not known, or past. */
export function settlesAt({ stage, at }: Pick<MergedState, 'stage' | 'at'>): number | null {
  return stage === 'moved' ? at + MERGE_LIMITS.takeBackMs : null;
}

/** Settles a merge that is due: the kept state goes, the alias stays. */
export function settled(state: MergedState, nowMs: number): MergeSettled[] {
  const due = settlesAt(state);
  if (due === null || due > nowMs) return [];
  const { id: entityId, game, environment, mergeId, externalId, into } = state;
  return [{ kind: 'MergeSettled', entityId, game, environment, at: due, mergeId, externalId, into }];
}
