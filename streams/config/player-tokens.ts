import type { Ids } from '../../src/kernel/ids.ts';
import type { DocumentAddress, PlayerTokenSecrets } from '../../actors/vocabulary/documents.ts';

/** Where the secrets of a game are. They span both environments, as the game does. */
export function playerTokensAddress(game: string): DocumentAddress<'player_tokens'> {
  return { game, environment: '_', kind: 'player_tokens', key: 'secrets' };
}

const PREFIX = 'ptsec_';
/** As long as the hash: a longer one makes HMAC-SHA-256 no stronger (RFC 2104, section 3). */
const SECRET_BYTES = 32;

export function newPlayerTokenSecret(ids: Ids): string {
  return PREFIX + Buffer.from(ids.bytes(SECRET_BYTES)).toString('base64url');
}

/** The secrets after a rotation. @param overlapMs how long tokens of the present secret stay valid */
export function rotated(held: PlayerTokenSecrets, ids: Ids, nowMs: number, overlapMs: number): PlayerTokenSecrets {
  const secret = newPlayerTokenSecret(ids);
  return overlapMs === 0 ? { secret } : { secret, previous: { secret: held.secret, until: nowMs + overlapMs } };
}

/** The secrets whose signatures are valid, the newest first. */
export function goodSecrets({ secret, previous }: PlayerTokenSecrets, nowMs: number): string[] {
  return previous !== undefined && nowMs < previous.until ? [secret, previous.secret] : [secret];
}
