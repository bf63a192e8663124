/** Bounds of merges of guests into accounts. */
export const MERGE_LIMITS = {
  /** How long a merge can be taken back. As long the guest's owner keeps the guest's state. */
  takeBackMs: 24 * 60 * 60 * 1000,
  /**
   * Guests of one account, those of its guests included. An entry takes 130 bytes. A player signs in on a new device a
   * few times in its life; an account with more is used by a program or a cybercafé, and keeps its oldest guests.
   */
  guestsPerAccount: 100,
  /**
   * Cancelled merges and merges taken back that one player refuses to repeat. Only a driver that was stopped for as
   * long as so many further merges of the player took could begin an older one again.
   */
  refusedPerPlayer: 32,
} as const;
