import { useEffect, useRef, useState } from 'react';
import { type Scope, stream } from './api.ts';
import { splitMessages } from './sse.ts';

/** An event of the stream. */
export interface StreamedEvent {
  event_id: string;
  event_name: string;
  player_id: string;
  session_id: string | null;
  properties: Readonly<Record<string, unknown>>;
  timestamp: string;
  received_at: string;
  /** The first fault by its schema, which does not enforce it. */
  schema_fault?: string;
}

/** An event that is read from its text once it is shown: of thousands a second, few are. */
export interface FeedEvent {
  read(): StreamedEvent;
}

export type FeedState = 'connecting' | 'connected' | 'broken';

export interface FeedFilter {
  /** Names separated by commas. */
  name: string;
  /** A player id; empty: all players. */
  player: string;
  /** Only events with a fault by their schema. */
  onlyFaulty?: boolean;
}

export interface Feed {
  state: FeedState;
  /** The newest first, at most `MOST_EVENTS`. */
  events: readonly FeedEvent[];
  /** Events that arrived since the start, also those that the list dropped. */
  arrived: number;
  perSecond: number;
  missed: number | null;
  clear: () => void;
}

export const MOST_EVENTS = 5_000;
/** How often the page is drawn while events arrive: thousands a second must not occupy it. */
const DRAW_MS = 250;
const FAST_DRAW_MS = 500;
const FAST_PER_SECOND = 500;
const RETRY_MS = 2_000;
const RATE_MS = 3_000;

interface Held {
  events: FeedEvent[];
  arrived: number;
  recent: { atMs: number; count: number }[];
  missed: number | null;
  changed: boolean;
}

const empty = (): Held => ({ events: [], arrived: 0, recent: [], missed: null, changed: true });

/**
 * Follows the event stream, and resumes it after a break.
 * @param filter undefined: not known yet, so nothing is followed
 */
export function useEventFeed(scope: Scope, filter: FeedFilter | undefined): Feed {
  const held = useRef<Held>(empty());
  const [state, setState] = useState<FeedState>('connecting');
  const [shown, setShown] = useState<Omit<Feed, 'state' | 'clear'>>({
    events: [],
    arrived: 0,
    perSecond: 0,
    missed: null,
  });
  const { game, environment } = scope;
  const { name = '', player = '', onlyFaulty = false } = filter ?? {};
  const isKnown = filter !== undefined;

  useEffect(() => {
    held.current = empty();
    if (!isKnown) return undefined;
    const ended = new AbortController();
    void follow({ game, environment }, { name, player, onlyFaulty }, held, setState, ended.signal);
    let drawnMs = 0;
    const drawing = setInterval(() => {
      const { current } = held;
      const nowMs = performance.now();
      const isFast = rateOf(current) > FAST_PER_SECOND;
      if (isFast && nowMs - drawnMs < FAST_DRAW_MS * 0.9) return;
      drawnMs = nowMs;
      const before = current.recent.length;
      current.recent = current.recent.filter(({ atMs }) => nowMs - atMs < RATE_MS);
      if (!current.changed && before === current.recent.length) return;
      current.changed = false;
      setShown({
        events: current.events.slice(-MOST_EVENTS).reverse(),
        arrived: current.arrived,
        perSecond: rateOf(current),
        missed: current.missed,
      });
    }, DRAW_MS);
    return () => {
      ended.abort();
      clearInterval(drawing);
    };
  }, [game, environment, isKnown, name, player, onlyFaulty]);

  const clear = (): void => {
    held.current = { ...empty(), arrived: held.current.arrived };
  };
  return { ...shown, state, clear };
}

function rateOf({ recent }: Held): number {
  return recent.reduce((sum, each) => sum + each.count, 0) / (RATE_MS / 1_000);
}

async function follow(
  scope: Scope,
  { name, player, onlyFaulty }: Required<FeedFilter>,
  held: { current: Held },
  setState: (state: FeedState) => void,
  signal: AbortSignal,
): Promise<void> {
  const query = new URLSearchParams();
  for (const each of name.split(',').map((part) => part.trim())) if (each !== '') query.append('event_name', each);
  if (player !== '') query.set('player_id', player);
  let lastId = '';
  while (!signal.aborted) {
    try {
      const headers = lastId === '' ? {} : { 'Last-Event-ID': lastId };
      const body = await stream(scope, `/v1/events/events/stream?${query.toString()}`, headers, signal);
      for await (const messages of splitMessages(body)) {
        let added = 0;
        for (const { id, data } of messages) {
          if (id !== '') lastId = id;
          added += take(held.current, data, onlyFaulty, setState);
        }
        if (added > 0) count(held.current, added);
      }
    } catch {
      // The pause follows, then another try. A session that has ended is handled where requests are sent.
    }
    if (signal.aborted) return;
    setState('broken');
    await new Promise((resolve) => void setTimeout(resolve, RETRY_MS));
  }
}

type Message =
  | ({ type: 'event' } & StreamedEvent)
  | { type: 'connected' | 'heartbeat' }
  | { type: 'gap'; missed: number | null };

/** How the service begins the data of an event. Such messages are not read before they are shown. */
const EVENT_START = '{"type":"event",';
/** Occurs in events with a fault, and maybe in the properties of others. */
const FAULT_HINT = ',"schema_fault":"';

/** @returns the number of events added */
function take(held: Held, data: string, onlyFaulty: boolean, setState: (state: FeedState) => void): number {
  if (data.startsWith(EVENT_START)) {
    const event = feedEvent(data);
    if (onlyFaulty && (!data.includes(FAULT_HINT) || event.read().schema_fault === undefined)) return 0;
    held.events.push(event);
    if (held.events.length > MOST_EVENTS * 1.2) held.events = held.events.slice(-MOST_EVENTS);
    return 1;
  }
  const message: Message = JSON.parse(data);
  if (message.type === 'connected') setState('connected');
  else if (message.type === 'gap') {
    held.missed = (held.missed ?? 0) + (message.missed ?? 0);
    held.changed = true;
  }
  return 0;
}

function feedEvent(data: string): FeedEvent {
  let event: StreamedEvent | undefined;
  const read = (): StreamedEvent => {
    const parsed: StreamedEvent = event ?? JSON.parse(data);
    event = parsed;
    return parsed;
  };
  return { read };
}

function count(held: Held, added: number): void {
  held.arrived += added;
  held.changed = true;
  const last = held.recent.at(-1);
  const nowMs = performance.now();
  if (last !== undefined && nowMs - last.atMs < DRAW_MS) last.count += added;
  else held.recent.push({ atMs: nowMs, count: added });
}
