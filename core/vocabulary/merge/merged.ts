/** The account that a guest is merged into. */
export interface MergeTarget {
  playerId: string;
  externalId: string;
  /** Which life of the account, as `PlayerReply.life`: an account that was erased since never absorbs the guest. */
  life?: number;
}

/**
 * `moving`: the account may not have absorbed the guest. `moved`: it has. `leaving`: it is being taken back.
 * `settled`: it can no longer be taken back.
 */
export type MergeStage = 'moving' | 'moved' | 'leaving' | 'settled';

/** Where a merged player is now. */
export interface Moved {
  /** The merged player. */
  playerId: string;
  into: MergeTarget;
  mergeId: string;
  stage: MergeStage;
}

/** A guest that an account has absorbed. */
export interface AbsorbedGuest {
  mergeId: string;
  guestId: string;
  guestExternalId: string;
  /** When the merge began, epoch milliseconds. */
  at: number;
  /** It came with a guest that had absorbed it by this merge's id. */
  with?: string;
  /** Absent for one that came with another, and once it can no longer be taken back. */
  takeBack?: TakeBack;
}

/** What an account needs to give a guest back, beside the guest's own state. */
export interface TakeBack {
  /** Names of what the guest and the account both had. */
  kept: readonly string[];
  /** Times of the account before. */
  firstSeenAt: number;
  lastSeenAt: number;
  /** What the guest's reports added to its totals of purchases that both had recorded, which count once. */
  repeated: readonly RepeatedPurchase[];
}

export interface RepeatedPurchase {
  digest: string;
  revenue: number;
  purchases: number;
}
