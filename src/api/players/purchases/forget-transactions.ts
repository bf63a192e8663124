import type { RequestContext } from '../../route/request-context.ts';

/**
 * Takes a player out of the transactions of stores, before its state, which names them, is erased. They stay taken, so
 * that no other player can use their receipts.
 * @returns whether it is done, or there is no such player
 */
export async function forgetTransactions(
  playerId: string,
  { origin, key: { game, environment }, services }: RequestContext,
): Promise<boolean> {
  const reply = await services.backend.query(origin, playerId, { kind: 'ExportPlayer', playerId });
  if (reply.kind === 'failure') return reply.code === 'PLAYER_NOT_FOUND';
  if (reply.kind !== 'exported') throw new Error(`a question for a player's state was answered with ${reply.kind}`);
  const transactions = reply.player.recordedPurchases.flatMap(({ digest, receipt }) =>
    receipt === undefined ? [] : [{ game, environment, store: receipt.store, digest }],
  );
  return services.receipts.claims.forget(transactions);
}
