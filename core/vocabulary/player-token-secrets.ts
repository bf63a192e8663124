/** Secrets that sign player tokens, apart from the game: a process without the key for secrets skips the document. */
export interface PlayerTokenSecrets {
  /** The HMAC key is its text in UTF-8. */
  secret: string;
  /** The secret before the latest rotation; its tokens are valid until then (epoch milliseconds). */
  previous?: { secret: string; until: number };
}
