import { setTimeout as delay } from 'node:timers/promises';
import { readStream, type StreamReader } from './stream-reader.ts';

/**
 * An SSE client like those in production: it reconnects with the last id that it saw, whatever ended its connection.
 */
export interface StreamFollower {
  /** `event_id`s of all connections, in the order of arrival. */
  eventIds(): string[];
  /** Types of all other messages. */
  types(): string[];
  stop(): Promise<void>;
}

const RECONNECT_MS = 50;
const POLL_MS = 10;

/** Follows the stream of a gateway, given its URL and a server key. */
export function followStream(options: { url: string; key: string }): StreamFollower {
  const ended: StreamReader[] = [];
  const stopping = new AbortController();
  let current = readStream(options);

  async function follow(): Promise<void> {
    for (;;) {
      while (!current.ended) await delay(POLL_MS);
      if (stopping.signal.aborted) return;
      ended.push(current);
      await delay(RECONNECT_MS);
      if (stopping.signal.aborted) return;
      current = readStream({ ...options, lastEventId: ended.findLast(({ lastId }) => lastId !== undefined)?.lastId });
    }
  }
  const following = follow();
  const all = (): StreamReader[] => (ended.includes(current) ? ended : [...ended, current]);

  return {
    eventIds: () => all().flatMap(({ eventIds }) => eventIds),
    types: () => all().flatMap(({ types }) => types),
    async stop() {
      stopping.abort();
      current.close();
      await following;
    },
  };
}
