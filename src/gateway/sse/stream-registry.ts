import type { LiveFeed, LiveRequest } from '../../../streams/live-feed.ts';
import { failure } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { type Exchange, respond } from '../http/exchange.ts';
import { openSse } from './sse-connection.ts';
import type { ApiKey } from '../../api/api-key.ts';

/** The open streams of this process. */
export interface StreamRegistry {
  /** Number of open streams of a key. */
  countOf(key: ApiKey): number;
  add(key: ApiKey, end: () => void): () => void;
  /** Ends the streams of keys that are no longer valid. */
  endWhere(gone: (key: ApiKey) => boolean): void;
  /** Refuses new streams and ends all. */
  close(): void;
  readonly closed: boolean;
}

export function createStreamRegistry(): StreamRegistry {
  const open = new Set<{ key: ApiKey; end: () => void }>();
  /** By key id; keys without streams have no entry. */
  const counts = new Map<string, number>();
  let closed = false;
  const endWhere = (gone: (key: ApiKey) => boolean): void => {
    for (const stream of open) if (gone(stream.key)) stream.end();
  };
  const countOf = ({ id }: ApiKey): number => counts.get(id) ?? 0;
  return {
    countOf,
    add(key, end) {
      const stream = { key, end };
      open.add(stream);
      counts.set(key.id, countOf(key) + 1);
      return () => {
        if (!open.delete(stream)) return;
        const left = countOf(key) - 1;
        if (left > 0) counts.set(key.id, left);
        else counts.delete(key.id);
      };
    },
    endWhere,
    close() {
      closed = true;
      endWhere(() => true);
    },
    get closed() {
      return closed;
    },
  };
}

/**
 * Opens a stream for a request unless a bound on streams is reached. The streams of a key are counted per process:
 * gateways exchange counts of requests only, and a stream may last for any time.
 */
export function openStream(
  deps: { feed: LiveFeed; streams: StreamRegistry },
  exchange: Exchange,
  key: ApiKey,
  request: LiveRequest,
): void {
  const { feed, streams } = deps;
  if (streams.closed || feed.readers >= LIMITS.streamReaders) {
    respond(exchange, failure('SERVICE_UNAVAILABLE', 'This process has reached its maximum of streams.'));
    return;
  }
  const mostOfKey = LIMITS.streamReadersOfKey[key.tier];
  if (streams.countOf(key) >= mostOfKey) {
    const message = `This key already has ${mostOfKey} open streams, the maximum of its tier.`;
    respond(exchange, failure('RATE_LIMIT_EXCEEDED', message));
    return;
  }
  let forget: () => void = () => {};
  const end = openSse(exchange, feed, request, () => forget());
  if (exchange.open) forget = streams.add(key, end);
}
