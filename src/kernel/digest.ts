import { hash } from 'node:crypto';

/**
 * What a player keeps of a caller's id so that its repeat is known for ever: 72 bits of SHA-256 in base64url, 12
 * characters whatever the id's length. Of 10,000 ids of one player two are alike once in 10^14 players.
 */
export function digestOf(callerId: string): string {
  return hash('sha256', callerId, 'base64url').slice(0, 12);
}
