import type { DomainFact } from '../facts.ts';
import type { PlayerState } from '../state.ts';

const DAY_MS = 86_400_000;

/** When the player's stage changes next with no request at all, epoch milliseconds; `null`: never. */
export function lifecycleDueAt(state: PlayerState): number | null {
  return state.lifecycleStage === 'new' ? state.firstSeenAt + DAY_MS : null;
}

/** The change that is due at `dueAt`: a new player is active at its first day's end. */
export function lifecycleDue(state: PlayerState, dueAt: number): DomainFact[] {
  const { id: entityId, game, environment, externalId, lifecycleStage: from } = state;
  return [
    {
      kind: 'LifecycleChanged',
      entityId,
      game,
      environment,
      externalId,
      at: dueAt,
      changedAt: dueAt,
      from,
      to: 'active',
    },
  ];
}
