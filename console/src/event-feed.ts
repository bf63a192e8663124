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
}

export type FeedState = 'connecting' | 'connected' | 'broken';

export interface Feed {
  state: FeedState;
  /** The newest first, at most `MOST_EVENTS`. */
  events: readonly StreamedEvent[];
  /** Events that arrived since the start, also those that the list dropped. */
  arrived: number;
  perSecond: number;
  missed: number | null;
  clear: () => void;
}

export const MOST_EVENTS = 5_000;
/** How often the page is drawn while events arrive: thousands a second must not hold it up. */
const DRAW_MS = 200;
const RETRY_MS = 2_000;
const RATE_MS = 3_000;

interface Held {
  events: StreamedEvent[];
  arrived: number;
  recent: { atMs: number; count: number }[];
  missed: number | null;
  changed: boolean;
}

const empty = (): Held => ({ events: [], arrived: 0, recent: [], missed: null, changed: true });

/** Follows the event stream, and resumes it after a break. Without `scope` it waits. */
export function useEventFeed(scope: Scope, filter: { name: string; player: string }): Feed {
  const held = useRef<Held>(empty());
  const [state, setState] = useState<FeedState>('connecting');
  const [shown, setShown] = useState<Omit<Feed, 'state' | 'clear'>>({
    events: [],
    arrived: 0,
    perSecond: 0,
    missed: null,
  });
  const { game, environment } = scope;
  const { name, player } = filter;

  useEffect(() => {
    held.current = empty();
    const ended = new AbortController();
    void follow({ game, environment }, { name, player }, held, setState, ended.signal);
    const drawing = setInterval(() => {
      const { current } = held;
      const nowMs = performance.now();
      const before = current.recent.length;
      current.recent = current.recent.filter(({ atMs }) => nowMs - atMs < RATE_MS);
      if (!current.changed && before === current.recent.length) return;
      current.changed = false;
      const count = current.recent.reduce((sum, each) => sum + each.count, 0);
      setShown({
        events: current.events.slice().reverse(),
        arrived: current.arrived,
        perSecond: count / (RATE_MS / 1_000),
        missed: current.missed,
      });
    }, DRAW_MS);
    return () => {
      ended.abort();
      clearInterval(drawing);
    };
  }, [game, environment, name, player]);

  const clear = (): void => {
    held.current = { ...empty(), arrived: held.current.arrived };
  };
  return { ...shown, state, clear };
}

async function follow(
  scope: Scope,
  { name, player }: { name: string; player: string },
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
      for await (const { id, data } of splitMessages(body)) {
        if (id !== '') lastId = id;
        take(held.current, data, setState);
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

function take(held: Held, data: string, setState: (state: FeedState) => void): void {
  const message: Message = JSON.parse(data);
  if (message.type === 'connected') setState('connected');
  else if (message.type === 'gap') held.missed = (held.missed ?? 0) + (message.missed ?? 0);
  else if (message.type === 'event') {
    held.events.push(message);
    held.arrived += 1;
    if (held.events.length > MOST_EVENTS * 1.2) held.events = held.events.slice(-MOST_EVENTS);
    const last = held.recent.at(-1);
    const nowMs = performance.now();
    if (last !== undefined && nowMs - last.atMs < DRAW_MS) last.count += 1;
    else held.recent.push({ atMs: nowMs, count: 1 });
  } else return;
  held.changed = true;
}
