import type { ActiveProperties } from '../documents/computed.ts';
import type { CallerKind, Environment } from '../documents/scope.ts';
import type { MergeStage, MergeTarget } from '../merge/merged.ts';
import type { PlayerFields, PlayerView } from './player.ts';

/** An Idempotency-Key, the hash of its request, and the reply as `encodeReply` writes it. */
export interface RememberedKey {
  key: string;
  bodyHash: string;
  at: number;
  reply: Uint8Array;
  /** Client and server API keys have separate keys. Without it, the key matches both kinds. */
  by?: CallerKind;
}

/** The complete state of one player. Immutable: `evolve` returns a new one. */
export interface PlayerState extends PlayerFields {
  keys: readonly RememberedKey[];
}

/** Idempotency-Keys of one API key, for writes of more than one player. */
export interface LedgerState {
  kind: 'ledger';
  id: string;
  game: string;
  environment: Environment;
  keys: readonly RememberedKey[];
  /** Of `propertiesLedgerOf` a game and environment: the properties that this partition counts. */
  properties?: ActiveProperties;
  /** The imported files that it remembers, that of the last command at the end. */
  imports?: readonly ImportedFile[];
  /** Of `testersLedgerOf` a game and environment: the test players of this partition. */
  testPlayers?: number;
  lastSeq: number;
}

/** How far a file is imported in this partition. */
export interface ImportedFile {
  importId: string;
  /** The last line that was decided. */
  line: number;
  /** When, epoch milliseconds. */
  at: number;
}

/** The tombstone of an erased player. */
export interface ErasedState {
  kind: 'erased';
  id: string;
  game: string;
  environment: Environment;
  /** Epoch milliseconds. */
  erasedAt: number;
  /** Idempotency-Keys of the erasure itself, without earlier ones. */
  keys: readonly RememberedKey[];
  /** As in `PlayerErased`. */
  quarantined: number;
  lastSeq: number;
}

/** A guest that was merged into an account. Its id is an alias of the account. */
export interface MergedState {
  kind: 'merged';
  id: string;
  game: string;
  environment: Environment;
  externalId: string;
  into: MergeTarget;
  mergeId: string;
  /** When the merge began, epoch milliseconds. */
  at: number;
  stage: MergeStage;
  /** When it began to be taken back, epoch milliseconds. Absent: it is not. */
  leavingAt?: number;
  /** The player as it was, as `encodeState` writes it. Empty once settled. */
  guest: Uint8Array;
  /** Merges by which it had absorbed other guests. */
  absorbed: readonly string[];
  /** Merges that it will never absorb, the latest last. */
  refused: readonly string[];
  /** As in `PlayerErased`. */
  quarantined: number;
  keys: readonly RememberedKey[];
  lastSeq: number;
}

/** The state of one entity of a partition. */
export type EntityState = PlayerState | LedgerState | ErasedState | MergedState;

/** The public part of a player. */
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
    isTestPlayer: state.isTestPlayer,
    firstSeenAt: state.firstSeenAt,
    lastSeenAt: state.lastSeenAt,
    attributes: state.attributes,
  };
}
