import type { ExportedPlayer } from '../../../core/vocabulary/commands/replies.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';

/**
 * Why a client key may not merge a player: it is more than a guest. Anyone can read a client key, so what a game server
 * has confirmed of a player moves to another one only by a server key.
 */
export function noGuest({ email, recordedPurchases, absorbed = [] }: ExportedPlayer): Failure | undefined {
  if (email !== null) return refused('has an e-mail address');
  if (recordedPurchases.some(({ byClient }) => byClient !== true)) {
    return refused('has a purchase that a game server reported or refunded');
  }
  return absorbed.length > 0 ? refused('is an account that guests were merged into') : undefined;
}

const refused = (why: string): Failure =>
  failure('FORBIDDEN', `The player ${why}, so only a server key (sk_) can merge it.`);
