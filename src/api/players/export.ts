import { Type } from 'typebox';
import {
  FIRST_PLACE,
  HISTORY_TABLES,
  type PlayerRow,
  type RowPlace,
} from '../../../clickhouse-schema/rows/player-rows.ts';
import type { Failure } from '../../../core/kernel/errors.ts';
import { API_LIMITS } from '../limits.ts';
import { PLAYER_API_LIMITS } from './limits.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { clickHouseUnavailable } from '../route/clickhouse-unavailable.ts';
import { answer, type Answer } from '../route/answer.ts';
import { exportedState } from './export-state.ts';
import { PlayerId, timeOut } from '../input/fields.ts';
import { NextCursor, NOT_A_CURSOR } from '../input/paging.ts';
import { Player, PLAYER_EXAMPLE, playerJson } from './state/player-resource.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, invalid } from '../route/route.ts';
import type { ExportedPlayer } from '../../../core/vocabulary/commands/replies.ts';

/* The route that exports all data of a player, table by table. A cursor is a position in one table. */

const PageQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PLAYER_API_LIMITS.exportRows,
      description:
        `Maximum number of rows per page over all tables, 1 to ${PLAYER_API_LIMITS.exportRows}. Default: ` +
        `${PLAYER_API_LIMITS.exportRowsDefault}.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: API_LIMITS.cursorLength,
      description: '`next_cursor` of the previous page. Leave it out for the first page.',
    }),
  ),
});

export const exportPlayer = defineRoute({
  method: 'GET',
  path: '/v1/players/players/{id}/export',
  tag: 'Players',
  summary: 'Export all data of a player',
  description:
    'Returns the player with its e-mail address, the rest of its live state, and its rows in the analytics tables, ' +
    'table by table and oldest first. Every page repeats the current state. A page ends at `limit` rows or about 1 ' +
    'MiB of rows, whichever comes first, and has at least one row. Continue with `next_cursor` until it is null.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  role: 'admin',
  scope: 'export',
  audit: { kind: 'player', action: 'exported', player: 'id', peopleOnly: true },
  approval: 'none',
  errors: ['PLAYER_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: Type.Object({ id: PlayerId }), query: PageQuery },
  reply: {
    description: 'A page of the export.',
    schema: Type.Object(
      {
        exported_at: timeOut('When the state was read.'),
        player: Player,
        state: Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          description:
            'The rest of the live state: sessions, activity and counters by day (days since 1970-01-01, UTC, newest ' +
            'first), segments, flag overrides and exposures, recent ids, Idempotency-Keys without their responses, ' +
            'and so on.',
        }),
        rows: Type.Unsafe<Record<string, PlayerRow[]>>({
          type: 'object',
          description:
            'Rows of this page by table name, with the columns of the table. Tables without rows on this page are ' +
            'left out.',
        }),
        next_cursor: NextCursor,
      },
      { description: 'All data of a player.' },
    ),
    example: {
      exported_at: '2026-01-15T10:30:00.000Z',
      player: PLAYER_EXAMPLE,
      state: {
        country: 'US',
        segments: [{ segment_id: 'seg_1', segment_key: 'whales', since: '2026-01-10T08:00:00.000Z' }],
      },
      rows: { events: [{ event_id: '019bc0de-1234-7abc-8def-0123456789ab', event_name: 'level_up' }] },
      next_cursor: null,
    },
  },
  action: {
    kind: 'several',
    async handle({ params, query }, context) {
      const from = query.cursor === undefined ? START : decode(query.cursor);
      if (from === undefined) return invalid([{ path: 'cursor', message: NOT_A_CURSOR }]);
      const { origin, services } = context;
      const playerId = params.id.toLowerCase();
      const reply = await services.backend.query(origin, playerId, { kind: 'ExportPlayer', playerId });
      if (reply.kind === 'failure') return reply;
      if (reply.kind !== 'exported') throw new Error(`an export was answered with ${reply.kind}`);
      // The owner of an account answers for its guests, whose rows are the account's.
      const page = await readRows(reply.player.id, from, query.limit ?? PLAYER_API_LIMITS.exportRowsDefault, context);
      return page.kind === 'failure' ? page : documentOf(reply.player, page, services.clock.wallMs());
    },
  },
});

/** Position in an export: after a row of a table. */
interface Place extends RowPlace {
  /** Index of the table in `HISTORY_TABLES`. */
  table: number;
}

const START: Place = { table: 0, ...FIRST_PLACE };

interface Page {
  kind: 'page';
  rows: Record<string, PlayerRow[]>;
  next: Place | null;
}

/** Reads one table after the other until the page is full. */
async function readRows(
  playerId: string,
  from: Place,
  limit: number,
  { key, services }: RequestContext,
): Promise<Page | Failure> {
  const { game, environment } = key;
  const rows: Page['rows'] = {};
  let rowsLeft = limit;
  let bytesLeft: number = PLAYER_API_LIMITS.exportPageBytes;
  let after = from;
  for (const table of HISTORY_TABLES.slice(from.table)) {
    const isFull = rowsLeft === 0 || bytesLeft <= 0;
    const address = { game, environment, playerId, table, after };
    // A full page still finds out whether more rows follow.
    const found = await services.analytics.playerRows({
      ...address,
      limit: isFull ? 0 : rowsLeft,
      bytes: Math.max(1, bytesLeft),
    });
    if (found.kind === 'unavailable') return clickHouseUnavailable();
    const { rows: shown, more } = found.value;
    if (shown.length > 0) rows[table] = shown.map(({ row }) => row);
    const last = shown.at(-1);
    if (more) return { kind: 'page', rows, next: last === undefined ? after : { ...last.place, table: after.table } };
    rowsLeft -= shown.length;
    for (const { sizeBytes } of shown) bytesLeft -= sizeBytes;
    after = { table: after.table + 1, ...FIRST_PLACE };
  }
  return { kind: 'page', rows, next: null };
}

function documentOf(player: ExportedPlayer, { rows, next }: Page, nowMs: number): Answer {
  const rest = JSON.stringify({
    state: exportedState(player),
    rows,
    next_cursor: next === null ? null : encode(next),
  });
  return answer(`{"exported_at":"${formatTimestamp(nowMs)}","player":${playerJson(player, 'server')},${rest.slice(1)}`);
}

function encode({ table, receivedMs, sequence, index }: Place): string {
  return Buffer.from([table, receivedMs, sequence, index].join(' ')).toString('base64url');
}

function decode(cursor: string): Place | undefined {
  const match = /^(\d{1,2}) (-?\d{1,15}) (\d{1,15}) (\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (match === null) return undefined;
  const [table = 0, receivedMs = 0, sequence = 0, index = 0] = match.slice(1).map(Number);
  return { table, receivedMs, sequence, index };
}
