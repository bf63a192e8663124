import type { Ids } from '../../core/kernel/ids.ts';
import type { DocumentAddress } from '../../core/vocabulary/documents/documents.ts';
import type { PlayerTokenSecrets } from '../../core/vocabulary/player-token-secrets.ts';

/** The address of a game's secrets, which both environments share. */
export function playerTokensAddress(game: string): DocumentAddress<'player_tokens'> {
  return { game, environment: '_', kind: 'player_tokens', key: 'secrets' };
}

const PREFIX = 'ptsec_';
/** As long as the hash: a longer key does not make HMAC-SHA-256 stronger (RFC 2104, section 3). */
const SECRET_BYTES = 32;

export function newPlayerTokenSecret(ids: Ids): string {
  return PREFIX + Buffer.from(ids.bytes(SECRET_BYTES)).toString('base64url');
}

/**
 * The secrets after a rotation.
 * @param overlapMs how long tokens signed with the current secret stay valid
 */
export function rotated(held: PlayerTokenSecrets, ids: Ids, nowMs: number, overlapMs: number): PlayerTokenSecrets {
  const secret = newPlayerTokenSecret(ids);
  return overlapMs === 0 ? { secret } : { secret, previous: { secret: held.secret, until: nowMs + overlapMs } };
}

/** The secrets whose signatures are valid, the newest first. */
export function goodSecrets({ secret, previous }: PlayerTokenSecrets, nowMs: number): string[] {
  return previous !== undefined && nowMs < previous.until ? [secret, previous.secret] : [secret];
}
