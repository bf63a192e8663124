import type { Failure } from '../../../core/kernel/errors.ts';
import type { Origin } from './backend.ts';

/** A merge of a guest into an account that has ended. */
export interface MergedGuest {
  kind: 'merged';
  mergeId: string;
  guestId: string;
  guestExternalId: string;
  accountId: string;
  accountExternalId: string;
  /** When it began, epoch milliseconds. */
  at: number;
}

/** A merge that was taken back. */
export interface TakenBack {
  kind: 'taken back';
  mergeId: string;
  guestId: string;
  accountId: string;
}

/** The account that a player's id leads to. */
export interface FoundAccount {
  kind: 'account';
  /** The id itself if no such player exists. */
  playerId: string;
  /** Guests that were merged into it. */
  guestIds: readonly string[];
}

export interface MergeRequest {
  guestId: string;
  accountId: string;
  /** Then what is no guest is refused. */
  byClientKey: boolean;
}

/** Merges guests into accounts. Nothing rejects. */
export interface Merges {
  /** A repeat gets the same answer. */
  merge(origin: Origin, request: MergeRequest): Promise<MergedGuest | Failure>;
  takeBack(origin: Origin, guestId: string): Promise<TakenBack | Failure>;
  /** For what reads rows by a player's id: those of a guest are the account's. */
  accountOf(origin: Origin, playerId: string): Promise<FoundAccount | Failure>;
}
