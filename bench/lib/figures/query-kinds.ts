import type { EventQuery } from '../../../clickhouse-schema/queries/events/event-query.ts';
import type { PublicEvent } from '../../../core/vocabulary/facts/event-json.ts';
import { API_LIMITS } from '../../../src/api/limits.ts';
import { GAME, RARE_NAME } from '../load/traffic/made-events.ts';

/** An event of the table, from which queries take their conditions. */
export interface QueriedEvent {
  playerId: string;
  eventName: string;
  sessionId: string;
  receivedMs: number;
}

/** A kind of query, made from an event. */
export interface QueryKind {
  name: string;
  query: (of: QueriedEvent) => EventQuery;
  /** The fewest events that its page may hold. */
  leastEvents: number;
}

const GAME_LIVE = { game: GAME, environment: 'live' } as const;
const HOUR_MS = 3_600_000;
const limit = API_LIMITS.pageItemsDefault;
/** A cursor at the event: its page is as far from the newest event as the event is. */
const deep = ({ receivedMs }: QueriedEvent) => ({
  behind: { receivedMs, sequence: Number.MAX_SAFE_INTEGER, index: 0 },
});

/** @param busiest the player with the most events */
export function queryKinds(busiest: string): readonly QueryKind[] {
  return [
    { name: 'a player, newest', query: ({ playerId }) => ({ ...GAME_LIVE, playerId, limit }), leastEvents: 1 },
    {
      name: 'a player, by cursor',
      query: (of) => ({ ...GAME_LIVE, playerId: of.playerId, ...deep(of), limit }),
      leastEvents: 1,
    },
    {
      name: 'the busiest player, newest',
      query: () => ({ ...GAME_LIVE, playerId: busiest, limit }),
      leastEvents: limit,
    },
    { name: 'a name, newest', query: ({ eventName }) => ({ ...GAME_LIVE, eventName, limit }), leastEvents: 1 },
    {
      name: 'a name, newest 500',
      query: ({ eventName }) => ({ ...GAME_LIVE, eventName, limit: API_LIMITS.pageItems }),
      leastEvents: 1,
    },
    {
      name: 'a name, by cursor',
      query: (of) => ({ ...GAME_LIVE, eventName: of.eventName, ...deep(of), limit }),
      leastEvents: 1,
    },
    { name: 'a rare name, newest', query: () => ({ ...GAME_LIVE, eventName: RARE_NAME, limit }), leastEvents: 1 },
    {
      name: 'a player and a name',
      query: ({ playerId, eventName }) => ({ ...GAME_LIVE, playerId, eventName, limit }),
      leastEvents: 1,
    },
    { name: 'a session', query: ({ sessionId }) => ({ ...GAME_LIVE, sessionId, limit }), leastEvents: 1 },
    { name: 'everything, newest', query: () => ({ ...GAME_LIVE, limit }), leastEvents: limit },
    { name: 'everything, by cursor', query: (of) => ({ ...GAME_LIVE, ...deep(of), limit }), leastEvents: 1 },
    {
      name: 'everything in an hour',
      query: ({ receivedMs }) => ({ ...GAME_LIVE, sinceMs: receivedMs - HOUR_MS, untilMs: receivedMs + 1, limit }),
      leastEvents: 1,
    },
    {
      name: 'a name in an hour',
      query: ({ eventName, receivedMs }) => ({
        ...GAME_LIVE,
        eventName,
        sinceMs: receivedMs - HOUR_MS,
        untilMs: receivedMs + 1,
        limit,
      }),
      leastEvents: 1,
    },
  ];
}

/** The fault of a page, if any: every event must meet the query, and they come newest first. */
export function faultOf(
  { leastEvents }: QueryKind,
  query: EventQuery,
  events: readonly PublicEvent[],
): string | undefined {
  if (events.length < leastEvents || events.length > query.limit) return `${events.length} events`;
  const strange = events.find(
    (event, place) =>
      (query.playerId ?? event.playerId) !== event.playerId ||
      (query.eventName ?? event.eventName) !== event.eventName ||
      (query.sessionId ?? event.sessionId) !== event.sessionId ||
      (query.sinceMs ?? 0) > event.receivedAt ||
      (query.untilMs ?? Infinity) <= event.receivedAt ||
      (query.behind?.receivedMs ?? Infinity) < event.receivedAt ||
      (events[place - 1]?.receivedAt ?? Infinity) < event.receivedAt,
  );
  return strange === undefined ? undefined : `an event that does not meet the query: ${JSON.stringify(strange)}`;
}
