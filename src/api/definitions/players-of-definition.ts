import { type TProperties, Type } from 'typebox';
import type { PlayerPage } from '../../../clickhouse-schema/queries/player-pages.ts';
import type { QueryResult } from '../../../clickhouse-schema/query-result.ts';
import { type ErrorCode, type Failure, isFailure } from '../../../core/kernel/errors.ts';
import { ExternalId, PlayerId } from '../input/fields.ts';
import { NextCursor, NOT_A_CURSOR, PageQuery } from '../input/paging.ts';
import { afterOf, cursorOf } from '../input/player-cursor.ts';
import { API_LIMITS } from '../limits.ts';
import { answer } from '../route/answer.ts';
import type { RequestContext, Services } from '../route/request-context.ts';
import { defineRoute, invalid, type KeyedRoute } from '../route/route.ts';

/* The routes that list the players of a definition, from ClickHouse. */

interface ListedPlayer {
  playerId: string;
  externalId: string;
}

/** A list of players, as far as it differs from others. @template Of what names the definition in the query */
export interface PlayersOfDefinition<Of, Row extends ListedPlayer> {
  path: string;
  tag: string;
  summary: string;
  /** What follows on the order and on how late the list is. */
  more?: string;
  audit: { kind: 'flag' | 'segment'; action: string };
  /** The parameter of the path. */
  param: { name: string; description: string };
  missing: ErrorCode;
  /** The field of the list, and what it holds beside the ids of a player. */
  field: string;
  item: TProperties;
  itemIs: string;
  pageIs: string;
  /** The item's own fields in the example. */
  example: Readonly<Record<string, unknown>>;
  find: (id: string, context: RequestContext) => Of | Failure;
  read: (analytics: Services['analytics'], of: Of, page: PlayerPage) => Promise<QueryResult<Row[]>>;
  /** The item's own fields as members of a JSON object. */
  textOf: (row: Row, of: Of) => string;
}

export function playersRoute<Of extends object, Row extends ListedPlayer>(
  list: PlayersOfDefinition<Of, Row>,
): KeyedRoute {
  const { path, tag, summary, more, audit, param, missing, field, find, read, textOf } = list;
  const Item = Type.Object(
    { player_id: PlayerId, external_id: ExternalId, ...list.item },
    { description: list.itemIs },
  );
  return defineRoute({
    method: 'GET',
    path,
    tag,
    summary,
    description: [ORDER, ...(more === undefined ? [] : [more])].join(' '),
    auth: { keys: ['server'] },
    limitClass: 'events',
    role: 'viewer',
    scope: 'read',
    audit: { ...audit, key: param.name, reads: true },
    approval: 'none',
    errors: [missing, 'SERVICE_UNAVAILABLE'],
    input: { params: Type.Object({ [param.name]: Type.String({ description: param.description }) }), query: PageQuery },
    reply: {
      description: `A page of ${field}.`,
      schema: Type.Object(
        {
          [field]: Type.Array(Item, { description: `${field.charAt(0).toUpperCase()}${field.slice(1)} of this page.` }),
          next_cursor: NextCursor,
        },
        { description: list.pageIs },
      ),
      example: { [field]: [{ ...PLAYER_EXAMPLE, ...list.example }], next_cursor: null },
    },
    action: {
      kind: 'analytics',
      toQuestion({ params, query }, context) {
        const of = find(params[param.name] ?? '', context);
        if (isFailure(of)) return of;
        const place = placeOf(query);
        if (isFailure(place)) return place;
        const { game, environment } = context.key;
        return { kind: 'question', question: { of, page: { game, environment, ...place } } };
      },
      read: (analytics, { of, page }) => read(analytics, of, page),
      toAnswer(found, { of, page }) {
        const { shown, nextCursor } = shownOf(found, page.limit);
        const items = shown.map((row) => `{${idsOf(row)},${textOf(row, of)}}`);
        return answer(`{"${field}":[${items.join(',')}],"next_cursor":${JSON.stringify(nextCursor)}}`);
      },
    },
  });
}

const idsOf = ({ playerId, externalId }: ListedPlayer): string =>
  `"player_id":"${playerId}","external_id":${JSON.stringify(externalId)}`;

/** The place that a request for a page names. `limit` has one more: it shows whether there is another page. */
function placeOf({
  limit = API_LIMITS.pageItemsDefault,
  cursor,
}: PageQuery): Pick<PlayerPage, 'limit' | 'afterPlayerId'> | Failure {
  if (cursor === undefined) return { limit: limit + 1 };
  const afterPlayerId = afterOf(cursor);
  if (afterPlayerId === undefined) return invalid([{ path: 'cursor', message: NOT_A_CURSOR }]);
  return { limit: limit + 1, afterPlayerId };
}

/** The players of a page, and the cursor of the next one. @param limit as in `placeOf` */
function shownOf<T extends { playerId: string }>(
  found: readonly T[],
  limit: number,
): { shown: readonly T[]; nextCursor: string | null } {
  const shown = found.slice(0, limit - 1);
  const last = shown.at(-1);
  return { shown, nextCursor: last === undefined || found.length < limit ? null : cursorOf(last.playerId) };
}

const ORDER = 'Ordered by player id. About a second behind the live state that flag evaluation uses.';
const PLAYER_EXAMPLE = { player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11', external_id: 'player_12345' };
