/** Bounds of proposals that a second person approves. */
export const APPROVAL_LIMITS = {
  /**
   * Changes of a game that wait for a second person, the bytes of one, and about the characters of a page of them. A
   * person without any has a place in any case, so that others cannot take all places.
   */
  proposals: 200,
  /** Those of one person. */
  proposalsOfUser: 20,
  /** Characters of the reason for which an admin turns something off alone. */
  turnOffReasonLength: 500,
  /** Days until one expires: the default, and the most. */
  proposalDays: 7,
  proposalDaysMost: 90,
  proposalBytes: 64 * 1024,
  proposalPageChars: 256 * 1024,
  /** How long an approved change is left to the process that makes it: longer than the attempts of one request take. */
  proposalClaimMs: 60_000,
} as const;
