import type { Reply } from './replies.ts';
import type { CallerKind, Environment } from './scope.ts';
import type { PlayerFields, PlayerView } from './player.ts';

/** An Idempotency-Key, what it came with and what was answered. */
export interface RememberedKey {
  key: string;
  bodyHash: string;
  at: number;
  reply: Reply;
  /** Keys of client and server API keys never meet; absent when the kind was not kept yet: then it meets both. */
  by?: CallerKind;
}

/** Everything held about one player. Immutable: `evolve` makes a new one. */
export interface PlayerState extends PlayerFields {
  keys: readonly RememberedKey[];
}

/** Idempotency-Keys of one API key, for writes that belong to no single player. */
export interface LedgerState {
  kind: 'ledger';
  id: string;
  game: string;
  environment: Environment;
  keys: readonly RememberedKey[];
  lastSeq: number;
}

/** What is left of a player that was erased: that it was, and when. */
export interface ErasedState {
  kind: 'erased';
  id: string;
  game: string;
  environment: Environment;
  /** Epoch milliseconds. */
  erasedAt: number;
  /** Idempotency-Keys of the erasure itself, never of what came before. */
  keys: readonly RememberedKey[];
  /** As in `PlayerErased`. */
  quarantined: number;
  lastSeq: number;
}

/** What a partition holds under an id. */
export type EntityState = PlayerState | LedgerState | ErasedState;

/** The part of a player that others may see. */
export function viewOf(state: PlayerState): PlayerView {
  return {
    id: state.id,
    externalId: state.externalId,
    deviceId: state.deviceId,
    email: state.email,
    lifecycleStage: state.lifecycleStage,
    sessionCount: state.sessionCount,
    totalRevenue: state.totalRevenue,
    isPayer: state.isPayer,
    firstSeenAt: state.firstSeenAt,
    lastSeenAt: state.lastSeenAt,
    attributes: state.attributes,
  };
}
