import { hash } from 'node:crypto';
import type { Ids } from '../../src/kernel/ids.ts';

const PREFIX = 'ses_';
const SHAPE = /^ses_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Hexadecimal digits at an id's end that prove whose it is: 24 bits. */
const PROOF_DIGITS = 6;

/**
 * The id of a session that an init opens: `ses_` and a UUIDv7 whose last 24 bits are the first 24 bits of SHA-256 over the
 * player's id and the digits before them. So an id proves that it was made for this player, however long ago, and no list
 * of closed sessions need be kept. The time, a counter of 12 bits and 38 random bits are left to tell ids apart and to
 * make one hard to guess.
 * @param playerId the player's UUID in lower case
 * @param nowMs epoch milliseconds
 */
export function newSessionId(ids: Ids, playerId: string, nowMs: number): string {
  const id = PREFIX + ids.uuidv7(nowMs);
  return id.slice(0, -PROOF_DIGITS) + proofOf(playerId, id);
}

/**
 * Whether `newSessionId` made the id for this player. An id of the same form that somebody else made is taken for one by
 * chance once in 2^24, about 17 million; a caller's id of any other form never. The proof is no secret: who
 * makes such an id on purpose only keeps a session of their own from counting.
 * @param playerId the player's UUID in lower case
 */
export function isOwnSessionId(playerId: string, sessionId: string): boolean {
  return SHAPE.test(sessionId) && sessionId.endsWith(proofOf(playerId, sessionId));
}

function proofOf(playerId: string, id: string): string {
  return hash('sha256', `${playerId}\n${id.slice(0, -PROOF_DIGITS)}`).slice(0, PROOF_DIGITS);
}
