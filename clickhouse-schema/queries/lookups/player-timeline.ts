import { QUERY_LIMITS } from '../limits.ts';
import type { RowPlace } from '../../rows/player-rows.ts';
import type { QueryResult } from '../../query-result.ts';
import { type PlayerScope, type RunQuery, SCOPE } from './run-query.ts';
import { type TimelineKind, timelinePart } from './timeline-parts.ts';

export interface TimelineQuery extends PlayerScope {
  kinds: readonly TimelineKind[];
  /** Only entries after this one in the order of the list. */
  behind?: RowPlace | undefined;
  limit: number;
}

/** Something that happened to a player. What the fields mean follows from the kind (`timeline-parts.ts`). */
export interface TimelineEntry {
  kind: TimelineKind;
  place: RowPlace;
  id: string;
  name: string;
  what: string;
  why: string;
  value: string;
  number: number;
  /** What was paid of a purchase in another currency than the game's; 0: nothing. */
  paid: number;
}

/** Entries, newest first: by `received_at`, then by their place in the log. */
export interface TimelinePage {
  entries: TimelineEntry[];
  /** The last entry, if more follow. */
  next: RowPlace | undefined;
}

/** Reads a page. It ends after `limit` entries, or with the entry whose texts exceed `eventPageBytes`. */
export async function findTimeline(runQuery: RunQuery, query: TimelineQuery): Promise<QueryResult<TimelinePage>> {
  const { game, environment, playerId, kinds, behind, limit } = query;
  const found = await runQuery<TimelineRow>(timelineSql(kinds, behind !== undefined), {
    game,
    environment,
    player: playerId,
    // One row more than the page holds shows whether another page follows.
    rows: limit + 1,
    bytes: QUERY_LIMITS.eventPageBytes,
    ...(behind === undefined ? {} : { behind: behind.receivedMs, sequence: behind.sequence, index: behind.index }),
  });
  if (found.kind === 'unavailable') return found;
  const all = found.value.map(timelineEntry);
  const entries = wholePlaces(all, limit);
  const more = (found.value[0]?.found ?? 0) > entries.length;
  return { kind: 'answered', value: { entries, next: more ? entries.at(-1)?.place : undefined } };
}

/** A page never ends between entries of one fact, which share their place: the next page begins behind that place. */
function wholePlaces(all: readonly TimelineEntry[], limit: number): TimelineEntry[] {
  const following = all[limit];
  if (following === undefined) return all.slice(0, limit);
  const end = all.findLastIndex((entry, index) => index < limit && !isSamePlace(entry, following));
  return all.slice(0, end < 0 ? limit : end + 1);
}

function isSamePlace(one: TimelineEntry, other: TimelineEntry): boolean {
  return (
    one.place.receivedMs === other.place.receivedMs &&
    one.place.sequence === other.place.sequence &&
    one.place.index === other.place.index
  );
}

interface TimelineRow {
  kind: TimelineKind;
  received_ms: string | number;
  place_sequence: string | number;
  place_index: number;
  id: string;
  name: string;
  what: string;
  why: string;
  value: string;
  number: number;
  paid: number;
  found: number;
}

function timelineEntry(row: TimelineRow): TimelineEntry {
  const { kind, id, name, what, why, value, number, paid } = row;
  const place = {
    receivedMs: Number(row.received_ms),
    sequence: Number(row.place_sequence),
    index: row.place_index,
  };
  return { kind, place, id, name, what, why, value, number, paid };
}

const ORDER = 'received_ms DESC, place_sequence DESC, place_index DESC, kind';

/** Rows of a player whose erasure is not complete are left out. */
function timelineSql(kinds: readonly TimelineKind[], isBehind: boolean): string {
  return `
SELECT * EXCEPT bytes_before
FROM (
  SELECT *, toUInt32(count() OVER ()) AS found,
    sum(length(value) + length(why)) OVER (ORDER BY ${ORDER} ROWS UNBOUNDED PRECEDING) - length(value) - length(why)
      AS bytes_before
  FROM (
    SELECT * FROM (${kinds.map((kind) => timelinePart(kind, isBehind)).join('\n  UNION ALL')}
    )
    WHERE {player:UUID} NOT IN (
      SELECT player_id FROM erasures FINAL WHERE ${SCOPE} AND player_id = {player:UUID} AND step < 2
    )
    ORDER BY ${ORDER}
    LIMIT {rows:UInt32}
  )
)
WHERE bytes_before < {bytes:UInt32}
ORDER BY ${ORDER}`;
}
