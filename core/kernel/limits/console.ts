/** Bounds of the console: its users, their links, sessions and sign-ins, and its files. */
export const CONSOLE_LIMITS = {
  /** Users of a deployment. Every process holds them in memory: 10 MB with all grants, links and sessions. */
  users: 1_000,
  /** Users with a role in a game, above which its admins cannot add one: otherwise one game could take all places. */
  usersOfGame: 250,
  /** Users without a role, above which admins of a game remove a user instead of taking its last role. */
  usersWithoutRoles: 100,
  /** Characters of an e-mail address (RFC 5321, section 4.5.3.1). */
  userEmailLength: 254,
  /** Grants of one user: a role in fifty games and both environments. */
  userGrants: 100,
  /** One-time links of one user that are not used yet. A further one replaces the oldest. */
  userLinks: 3,
  /** How long a one-time link is valid: an invitation is read the next day. */
  userLinkMs: 24 * 3_600_000,
  /** The same for the link that a start prints, since terminals and their logs are shared. */
  startLinkMs: 3_600_000,
  /** Browsers in which one user is signed in. A further sign-in ends the oldest session. */
  userSessions: 10,
  /** How long a session lasts: a working day. Then the user signs in again. */
  userSessionMs: 12 * 3_600_000,
  /** How often a process ends the streams of sessions that have expired. */
  sessionLookMs: 60_000,
  /** Characters of the token of a session or link: a prefix, the user's id, a dot and 256 bits. */
  userTokenLength: 83,
  /** Characters of a Cookie header that is searched for a session: other services of the host may set cookies too. */
  cookieLength: 8_192,
  /** Requests per minute of one user, as of a `growth` key. */
  userRequestsPerMinute: 1_000,

  /** Characters of a password: a shorter one can be guessed; a longer one takes longer to hash. */
  passwordLeastLength: 12,
  passwordLength: 256,
  /**
   * Passwords that a process hashes at once, at most, and not on more than half of its cores: 0.3 s, 64 MiB of memory
   * and one of libuv's four threads each.
   */
  passwordHashes: 2,
  /**
   * Further ones that wait, in all and of one network around the caller (/24, /48), which take turns. Beyond it 503.
   */
  passwordHashesWaiting: 64,
  passwordHashesOfNetwork: 8,
  /** Wrong passwords per minute: of one account from one network, and of one network. Wider networks have more. */
  signInsOfUser: 5,
  signInsOfNetwork: 20,
  /** Tries of a signed-in user per minute to change its password. */
  passwordTries: 10,

  /**
   * A statement of the console: characters, seconds, memory, and how long the client waits, which includes a wait for a
   * slot of ClickHouse. The embedded one allows readers 4 statements of 512 MiB.
   */
  sqlLength: 20_000,
  sqlSeconds: 30,
  sqlMemoryBytes: 512 * 1024 * 1024,
  sqlRequestMs: 45_000,
  /** Rows and bytes of its result, which this process and the page hold; characters of ClickHouse's message. */
  sqlRows: 10_000,
  sqlResultBytes: 4 * 1024 * 1024,
  /**
   * Bytes of a result in ClickHouse. The client holds a row until its end, and one array could have all the memory of a
   * statement. It is more than a block of rows (65,409) that are short enough for `sqlResultBytes`.
   */
  sqlSentBytes: 64 * 1024 * 1024,
  sqlFaultLength: 2_000,
  /** Statements of one process at once, those that wait, and for how long. Beyond them 429. */
  sqlStatements: 2,
  sqlWaiting: 4,
  sqlWaitMs: 10_000,
  /** Statements of one user: one runs, so that a user cannot take all places, and one waits for its end. */
  sqlOfUser: 2,
  /** Passkeys of one user: one for each of its devices and a spare key. */
  passkeysOfUser: 10,
  passkeyNameLength: 64,
  /** Tries of one user per minute to add a passkey. */
  passkeyTries: 20,
  /** Characters of one field of a passkey's response: an RSA key with its self-signed attestation has 2,500. */
  passkeyLength: 8_192,
  /** How long a challenge for a passkey is valid. STREAM_TOKENS keeps entries for longer. */
  challengeMs: 100_000,
  /** How long gateways sign challenges with one secret. STREAM_TOKENS keeps it for longer than this and a challenge. */
  challengeSecretMs: 300_000,
  /** Age of a session up to which it may add a passkey, or a password beside one. */
  passkeyFreshMs: 15 * 60_000,
  /** How long a sign-in by the identity provider may take, from the first click. */
  openIdSeconds: 600,
  /**
   * Codes that a process asks the provider about at once; those that wait, in all and of one network. Beyond it 503.
   */
  openIdCodes: 8,
  openIdCodesWaiting: 64,
  openIdCodesOfNetwork: 8,
  /** One request to the provider, the bytes of its answer, and how long what it says of itself is kept. */
  openIdRequestMs: 5_000,
  openIdResponseBytes: 256 * 1024,
  openIdKeptMs: 3_600_000,
  /** Characters of a code or state that the provider's redirect brings back. */
  openIdTextLength: 4_096,
  /** Changes of a game that wait for a second person, the bytes of one, and about the characters of a page of them. */
  proposals: 200,
  /** Those of one person, so that one cannot take all places; how long one waits until it expires. */
  proposalsOfUser: 20,
  /** Characters of the reason for which an admin turns something off alone. */
  turnOffReasonLength: 500,
  proposalKeptMs: 14 * 24 * 3_600_000,
  proposalBytes: 64 * 1024,
  proposalPageChars: 256 * 1024,
  /** How long an approved change is left to whoever makes it: longer than the attempts of one request take. */
  proposalClaimMs: 60_000,
  /** Users that one admin may add per minute: the answers say whether an address has an account. */
  usersAddedPerMinute: 30,
  /** Valid API keys of a game and environment that admins may create. */
  keysOfEnvironment: 100,
  /** API keys of a game and environment, revoked ones included. Beyond it the oldest revoked one is forgotten. */
  keysKept: 500,

  /** How often a process looks for a console that is being built. */
  consoleLookMs: 500,
  /** Bytes of the console's files, which each gateway holds in memory, plain and compressed. */
  consoleBytes: 16 * 1024 * 1024,
} as const;
