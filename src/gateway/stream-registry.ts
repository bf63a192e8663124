import type { LiveFeed, LiveRequest } from '../../streams/live-feed.ts';
import type { ApiKey } from '../api/request-context.ts';
import { failure } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { respond, type Exchange } from './exchange.ts';
import { openSse } from './sse-connection.ts';

/** The open streams of this process, so that they can be ended. */
export interface StreamRegistry {
  add(key: ApiKey, end: () => void): () => void;
  /** Ends the streams whose key is no longer good. */
  endWhere(gone: (key: ApiKey) => boolean): void;
  /** Refuses new streams and ends all. */
  close(): void;
  readonly closed: boolean;
}

export function createStreamRegistry(): StreamRegistry {
  const open = new Set<{ key: ApiKey; end: () => void }>();
  let closed = false;
  const endWhere = (gone: (key: ApiKey) => boolean): void => {
    for (const stream of open) if (gone(stream.key)) stream.end();
  };
  return {
    add(key, end) {
      const stream = { key, end };
      open.add(stream);
      return () => void open.delete(stream);
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

/** Opens a stream for a request, if there is room for one more reader. */
export function openStream(
  deps: { feed: LiveFeed; streams: StreamRegistry },
  exchange: Exchange,
  key: ApiKey,
  request: LiveRequest,
): void {
  const { feed, streams } = deps;
  if (streams.closed || feed.readers >= LIMITS.streamReaders) {
    respond(exchange, failure('SERVICE_UNAVAILABLE', 'No room for another stream just now.'));
    return;
  }
  let forget: () => void = () => {};
  const end = openSse(exchange, feed, request, () => forget());
  if (exchange.open) forget = streams.add(key, end);
}
