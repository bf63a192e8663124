import { failure } from '../../core/kernel/errors.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { churnRisk } from './churn-risk.ts';

/** A player's churn risk as of `nowMs` (epoch milliseconds). Fails with PLAYER_NOT_FOUND. */
export function readChurnRisk(state: PlayerState | undefined, nowMs: number): Reply {
  if (state === undefined) return failure('PLAYER_NOT_FOUND');
  return { kind: 'churnRisk', playerId: state.id, risk: churnRisk(state, nowMs) };
}
