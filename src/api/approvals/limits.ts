/** Bounds of proposals that a second person approves. */
export const APPROVAL_LIMITS = {
  /** Changes of a game that wait for a second person, the bytes of one, and about the characters of a page of them. */
  proposals: 200,
  /** Those of one person, so that one cannot take all places; how long one waits until it expires. */
  proposalsOfUser: 20,
  /** Characters of the reason for which an admin turns something off alone. */
  turnOffReasonLength: 500,
  proposalKeptMs: 14 * 24 * 3_600_000,
  proposalBytes: 64 * 1024,
  proposalPageChars: 256 * 1024,
  /** How long an approved change is left to the process that makes it: longer than the attempts of one request take. */
  proposalClaimMs: 60_000,
} as const;
