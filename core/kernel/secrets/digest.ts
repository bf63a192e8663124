import { hash } from 'node:crypto';

/**
 * The digest of a caller's id that a player stores to recognise repeats: 72 bits of SHA-256 in base64url, always 12
 * characters. Among 10,000 ids of one player, two digests collide in one of 10^14 players.
 */
export function digestOf(callerId: string): string {
  return hash('sha256', callerId, 'base64url').slice(0, 12);
}
