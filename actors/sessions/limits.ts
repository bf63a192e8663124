/** Bounds of sessions in the state of a player. */
export const SESSION_LIMITS = {
  /** Open sessions of one player, on several devices. One more closes the oldest. */
  openSessions: 4,
  /**
   * Characters of all values in the answer of one init or sync; further flags come without. Such an answer is stored
   * under its Idempotency-Key: beside the attributes, this leaves three quarters of a client's share to other answers.
   */
  sessionValueChars: 128 * 1024,
  /** A value stored with a session to tell a change, in characters. Of a longer one the session stores a digest. */
  markedValueLength: 16,
  /** Achievements in a session's summary, and characters of one. Anything beyond is recorded as an event only. */
  sessionAchievements: 256,
  achievementLength: 128,
} as const;
