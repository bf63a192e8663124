/** Bounds of the work on passwords. One hash takes 64 MiB and a core for about 0.1 s. */
export const SECRETS_LIMITS = {
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
} as const;
