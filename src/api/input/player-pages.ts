import type { PlayerPage } from '../../../clickhouse-schema/queries/player-pages.ts';
import type { Failure } from '../../../core/kernel/errors.ts';
import { API_LIMITS } from '../limits.ts';
import { invalid } from '../route/route.ts';
import { NOT_A_CURSOR, type PageQuery } from './paging.ts';
import { afterOf, cursorOf } from './player-cursor.ts';

/* Pages of lists of players that ClickHouse holds. */

/** The place that a request for a page names. `limit` has one more: it shows whether there is another page. */
export function placeOf({
  limit = API_LIMITS.pageItemsDefault,
  cursor,
}: PageQuery): Pick<PlayerPage, 'limit' | 'afterPlayerId'> | Failure {
  if (cursor === undefined) return { limit: limit + 1 };
  const afterPlayerId = afterOf(cursor);
  if (afterPlayerId === undefined) return invalid([{ path: 'cursor', message: NOT_A_CURSOR }]);
  return { limit: limit + 1, afterPlayerId };
}

/** The players of a page, and the cursor of the next one. @param limit as in `placeOf` */
export function shownOf<T extends { playerId: string }>(
  found: readonly T[],
  limit: number,
): { shown: readonly T[]; nextCursor: string | null } {
  const shown = found.slice(0, limit - 1);
  const last = shown.at(-1);
  return { shown, nextCursor: last === undefined || found.length < limit ? null : cursorOf(last.playerId) };
}
