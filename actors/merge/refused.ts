import type { PlayerState, MergedState } from '../../core/vocabulary/state/state.ts';
import { MERGE_LIMITS } from './limits.ts';

/** Whether the merge was cancelled or taken back, so that no late command begins it again. */
export function isRefused({ refused = [] }: Pick<PlayerState | MergedState, 'refused'>, mergeId: string): boolean {
  return refused.includes(mergeId);
}

/** With further refused merges, the latest last. */
export function withRefused(refused: readonly string[] = [], ...more: readonly string[]): readonly string[] {
  return [...refused.filter((one) => !more.includes(one)), ...more].slice(-MERGE_LIMITS.refusedPerPlayer);
}
