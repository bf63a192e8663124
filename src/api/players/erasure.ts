import { Type } from 'typebox';
import type { KnownErasure } from '../../../clickhouse-schema/queries/analytics.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { API_LIMITS } from '../limits.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { clickHouseUnavailable } from '../route/clickhouse-unavailable.ts';
import { type Answer, jsonAnswer } from '../route/answer.ts';
import { integerOrNull, oneOf, PlayerId, timeOut } from '../input/fields.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, readBy } from '../route/route.ts';
import { forgetPlayer } from '../segments/forget-player.ts';
import { forgetTransactions } from './purchases/forget-transactions.ts';

/*
 * The routes that erase a player and return the receipt. The owner erases; ClickHouse has the number of deleted rows.
 */

const Receipt = Type.Object(
  {
    player_id: PlayerId,
    status: oneOf(['pending', 'done'], '`pending` while the rows are being deleted, `done` after that.'),
    erased_at: timeOut('When the player was erased. Nothing about the player is published after this time.'),
    rows_deleted: integerOrNull(
      "Number of rows deleted from the analytics tables, including the scores of the player's device if no other " +
        'player uses it; null while pending.',
    ),
    log_retention_days: Type.Integer({
      description: 'Days until the append-only log of facts no longer contains data of the player.',
    }),
  },
  { description: 'The receipt of an erasure.' },
);

const ROUTE = {
  tag: 'Players',
  auth: { keys: ['server'] },
  limitClass: 'none',
  input: { params: Type.Object({ id: PlayerId }) },
} as const;
const EXAMPLE = {
  player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
  status: 'done',
  erased_at: '2026-01-15T10:30:00.000Z',
  rows_deleted: 1_234,
  log_retention_days: API_LIMITS.logRetentionDays,
};

const erasePlayer = defineRoute({
  ...ROUTE,
  role: 'admin',
  scope: 'erase',
  audit: { kind: 'player', action: 'erased', player: 'id' },
  approval: 'none',
  method: 'DELETE',
  path: '/v1/players/players/{id}',
  summary: 'Erase a player',
  description:
    'Erases the live state at once: every endpoint returns 404 for the id. Rows in the analytics tables are deleted ' +
    'within seconds; queued webhook deliveries are dropped. A repeat returns the same receipt. Registering the ' +
    'external_id again creates an empty player with the same id, which you can erase again. Guests that were merged ' +
    'into the player are erased with it, and the id of such a guest erases the player.',
  idempotent: true,
  errors: ['PLAYER_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  reply: {
    description: 'The receipt.',
    schema: Receipt,
    example: { ...EXAMPLE, status: 'pending', rows_deleted: null },
  },
  action: {
    kind: 'command',
    async toCommand({ params }, context) {
      const { idempotency } = context;
      const playerId = params.id.toLowerCase();
      if (!(await forgetTransactions(playerId, context))) return failure('SERVICE_UNAVAILABLE');
      const body = { kind: 'ErasePlayer', playerId, ...(idempotency === undefined ? {} : { idempotency }) } as const;
      return { kind: 'addressed', playerId, body };
    },
    async toAnswer(reply, context, { playerId }) {
      if (reply.kind !== 'erased' || reply.erasedAt === null) throw new Error(`an erasure was answered ${reply.kind}`);
      const { playerId: erasedId, erasedAt, replayed = false } = reply;
      // The id of a guest erases its account.
      for (const id of new Set([playerId, erasedId])) {
        const unfinished = await forgetPlayer(id, context);
        if (unfinished !== undefined) return unfinished;
      }
      // ClickHouse cannot have an erasure that this request made, so a first erasure does not need it.
      const known = erasedAt === context.origin.receivedAt ? undefined : await knownErasure(erasedId, context);
      return receipt(erasedId, erasedAt, known === 'unavailable' ? undefined : known, replayed);
    },
  },
});

const getErasure = defineRoute({
  ...ROUTE,
  ...readBy('viewer'),
  method: 'GET',
  path: '/v1/players/players/{id}/erasure',
  summary: 'Get the receipt of an erasure',
  description:
    'If the player is registered again, the receipt is available once the erasure has reached the analytics tables. ' +
    'Returns 404 NOT_FOUND for a player that was never erased.',
  errors: ['PLAYER_NOT_FOUND', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  reply: { description: 'The receipt.', schema: Receipt, example: EXAMPLE },
  action: {
    kind: 'query',
    toQuery({ params }) {
      const playerId = params.id.toLowerCase();
      return { kind: 'addressed', playerId, body: { kind: 'GetErasure', playerId } };
    },
    async toAnswer(reply, context) {
      if (reply.kind !== 'erased') throw new Error(`a question for an erasure was answered with ${reply.kind}`);
      const { playerId } = reply;
      const known = await knownErasure(playerId, context);
      if (known === 'unavailable') return clickHouseUnavailable();
      const erasedAt = reply.erasedAt ?? known?.erasedAt;
      if (erasedAt === undefined) return failure('NOT_FOUND', 'This player was never erased.');
      return receipt(playerId, erasedAt, known);
    },
  },
});

export const erasureRoutes = [erasePlayer, getErasure];

async function knownErasure(
  playerId: string,
  { key, services }: RequestContext,
): Promise<KnownErasure | undefined | 'unavailable'> {
  const { game, environment } = key;
  const found = await services.analytics.erasure({ game, environment, playerId });
  return found.kind === 'unavailable' ? found.kind : found.value;
}

/** @param known the latest erasure in ClickHouse; an earlier one of the same player id is not this one */
function receipt(playerId: string, erasedAt: number, known: KnownErasure | undefined, replayed = false): Answer {
  const rowsDeleted = known?.erasedAt === erasedAt ? known.rowsDeleted : undefined;
  return jsonAnswer(
    {
      player_id: playerId,
      status: rowsDeleted === undefined ? 'pending' : 'done',
      erased_at: formatTimestamp(erasedAt),
      rows_deleted: rowsDeleted ?? null,
      log_retention_days: API_LIMITS.logRetentionDays,
    },
    { replayed },
  );
}
