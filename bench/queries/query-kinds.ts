import type { EventQuery } from '../../clickhouse-schema/queries/event-query.ts';
import type { FoundEvent } from '../../clickhouse-schema/queries/stored-event.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { GAME, RARE_NAME } from './made-events.ts';

/** An event that is there, from which queries take what they ask for. */
export interface SampleEvent {
  playerId: string;
  eventName: string;
  sessionId: string;
  receivedMs: number;
}

/** A kind of query, made of an event; `pageOf` says how many events its page must hold at least. */
export interface QueryKind {
  name: string;
  query: (of: SampleEvent) => EventQuery;
  leastEvents: number;
}

const WHO = { game: GAME, environment: 'live' } as const;
const HOUR_MS = 3_600_000;
const limit = LIMITS.pageItemsDefault;
/** A cursor in the middle of what there is: pages behind it are as far from the newest event as it is. */
const deep = ({ receivedMs }: SampleEvent) => ({ behind: { receivedMs, sequence: Number.MAX_SAFE_INTEGER, index: 0 } });

/** @param busiest the player with the most events */
export function queryKinds(busiest: string): readonly QueryKind[] {
  return [
    { name: 'a player, newest', query: ({ playerId }) => ({ ...WHO, playerId, limit }), leastEvents: 1 },
    {
      name: 'a player, by cursor',
      query: (of) => ({ ...WHO, playerId: of.playerId, ...deep(of), limit }),
      leastEvents: 1,
    },
    { name: 'the busiest player, newest', query: () => ({ ...WHO, playerId: busiest, limit }), leastEvents: limit },
    { name: 'a name, newest', query: ({ eventName }) => ({ ...WHO, eventName, limit }), leastEvents: 1 },
    {
      name: 'a name, newest 500',
      query: ({ eventName }) => ({ ...WHO, eventName, limit: LIMITS.pageItems }),
      leastEvents: 1,
    },
    {
      name: 'a name, by cursor',
      query: (of) => ({ ...WHO, eventName: of.eventName, ...deep(of), limit }),
      leastEvents: 1,
    },
    { name: 'a rare name, newest', query: () => ({ ...WHO, eventName: RARE_NAME, limit }), leastEvents: 1 },
    {
      name: 'a player and a name',
      query: ({ playerId, eventName }) => ({ ...WHO, playerId, eventName, limit }),
      leastEvents: 1,
    },
    { name: 'a session', query: ({ sessionId }) => ({ ...WHO, sessionId, limit }), leastEvents: 1 },
    { name: 'everything, newest', query: () => ({ ...WHO, limit }), leastEvents: limit },
    { name: 'everything, by cursor', query: (of) => ({ ...WHO, ...deep(of), limit }), leastEvents: 1 },
    {
      name: 'everything in an hour',
      query: ({ receivedMs }) => ({ ...WHO, sinceMs: receivedMs - HOUR_MS, untilMs: receivedMs + 1, limit }),
      leastEvents: 1,
    },
    {
      name: 'a name in an hour',
      query: ({ eventName, receivedMs }) => ({
        ...WHO,
        eventName,
        sinceMs: receivedMs - HOUR_MS,
        untilMs: receivedMs + 1,
        limit,
      }),
      leastEvents: 1,
    },
  ];
}

/** What is wrong with a page, or nothing: every event must be one that was asked for, and they come newest first. */
export function faultOf(
  { leastEvents }: QueryKind,
  query: EventQuery,
  events: readonly FoundEvent[],
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
  return strange === undefined ? undefined : `an event nobody asked for: ${JSON.stringify(strange)}`;
}
