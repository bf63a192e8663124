import { hash } from 'node:crypto';
import type { Ids } from '../../core/kernel/ids.ts';

const PREFIX = 'ses_';
const SHAPE = /^ses_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Hexadecimal digits at the end of an id that prove its player: 24 bits. */
const PROOF_DIGITS = 6;

/**
 * The id of a session that an init opens: `ses_` and a UUIDv7 whose last 24 bits are the first 24 bits of SHA-256 over
 * the player's id and the digits before them. The id proves that it was created for this player, so no list of closed
 * sessions is needed. The time, a 12-bit counter and 38 random bits keep ids unique and hard to guess.
 * @param playerId the player's UUID in lower case
 * @param nowMs epoch milliseconds
 */
export function newSessionId(ids: Ids, playerId: string, nowMs: number): string {
  const id = PREFIX + ids.uuidv7(nowMs);
  return id.slice(0, -PROOF_DIGITS) + proofOf(playerId, id);
}

/**
 * Whether `newSessionId` created the id for this player. A foreign id of the same form passes by chance once in 2^24,
 * about 17 million; an id of another form never passes. The proof is not a secret: a caller that forges an id only
 * keeps its own session from counting.
 * @param playerId the player's UUID in lower case
 */
export function isOwnSessionId(playerId: string, sessionId: string): boolean {
  return SHAPE.test(sessionId) && sessionId.endsWith(proofOf(playerId, sessionId));
}

function proofOf(playerId: string, id: string): string {
  return hash('sha256', `${playerId}\n${id.slice(0, -PROOF_DIGITS)}`).slice(0, PROOF_DIGITS);
}
