/** Bounds of the bucket CONFIG. */
export const CONFIG_LIMITS = {
  /** How long an owner waits for the CONFIG revision that a command refers to. */
  configWaitMs: 1_000,

  /** Writes of a schedule against concurrent ones. */
  scheduleWriteAttempts: 5,

  /** Periods of a game's holdout whose results can be asked for: five years of quarterly changes. */
  holdoutPeriods: 20,

  /** Valid API keys of a game and environment. Each may be rotated once beyond it. */
  keysOfEnvironment: 100,
  keysWithSuccessors: 200,
  /** API keys of a game and environment, ended ones included. Beyond it the oldest ended one is forgotten. */
  keysKept: 500,
  keyNameLength: 64,
  /** Days until the latest expiry that a key may be given. */
  keyLifeDays: 3_650,
  /** Days that a rotated key stays valid: the most, and the default. */
  keyOverlapDays: 30,
  keyOverlapDaysDefault: 7,

  /** Characters of an e-mail address (RFC 5321, section 4.5.3.1). */
  userEmailLength: 254,
  /** One-time links of one user that are not used yet. A further one replaces the oldest. */
  userLinks: 3,
  /** Browsers in which one user is signed in. A further sign-in ends the oldest session. */
  userSessions: 10,
  /** Passkeys of one user: one for each of its devices and a spare key. */
  passkeysOfUser: 10,
  passkeyNameLength: 64,
} as const;
