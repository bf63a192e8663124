/** Bounds of signing in to the console. */
export const SIGN_IN_LIMITS = {
  /** How long a session lasts: a working day. Then the user signs in again. */
  userSessionMs: 12 * 3_600_000,
  /** Characters of the token of a session or link: a prefix, the user's id, a dot and 256 bits. */
  userTokenLength: 83,

  /** Characters of a password: a shorter one can be guessed; a longer one takes longer to hash. */
  passwordLeastLength: 12,
  passwordLength: 256,
  /** Wrong passwords per minute: of one account from one network, and of one network. Wider networks have more. */
  signInsOfUser: 5,
  signInsOfNetwork: 20,
  /** Tries of a signed-in user per minute to change its password. */
  passwordTries: 10,
  /** Tries of one user per minute to add a passkey. */
  passkeyTries: 20,
  /** Characters of one field of a passkey's response: an RSA key with its self-signed attestation has 2,500. */
  passkeyLength: 8_192,
  /** Age of a session up to which it may add a passkey, or a password beside one. */
  passkeyFreshMs: 15 * 60_000,
  /** How long a sign-in by the identity provider may take, from the first click. */
  openIdSeconds: 600,
  /** Characters of a code or state that the provider's redirect brings back. */
  openIdTextLength: 4_096,
} as const;
