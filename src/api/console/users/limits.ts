/** Bounds of the users of the console. */
export const USER_LIMITS = {
  /** Users of a deployment. Every process holds them in memory: 10 MB with all grants, links and sessions. */
  users: 1_000,
  /** Users with a role in a game, above which its admins cannot add one: otherwise one game could take all places. */
  usersOfGame: 250,
  /** Users without a role, above which admins of a game remove a user instead of taking its last role. */
  usersWithoutRoles: 100,
  /** Grants of one user: a role in fifty games and both environments. */
  userGrants: 100,
  /** How long a one-time link is valid: an invitation is read the next day. */
  userLinkMs: 24 * 3_600_000,
  /** Users that one admin may add per minute: the answers say whether an address has an account. */
  usersAddedPerMinute: 30,
} as const;
