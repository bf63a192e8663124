import type { Tier } from '../../../actors/vocabulary/documents.ts';
import type { LiveReader } from '../../../streams/live-feed.ts';
import { failure } from '../../kernel/errors.ts';
import { type Exchange, respond } from '../http/exchange.ts';
import { openSse } from './sse-connection.ts';
import type { ApiKey } from '../../api/api-key.ts';

/** The open streams of one kind in this process. */
export interface StreamRegistry {
  /** Number of open streams of a key; only those of one of its callers if given. */
  countOf(key: ApiKey, caller?: string): number;
  add(key: ApiKey, caller: string | undefined, end: () => void): () => void;
  /** Ends the streams of keys that are no longer valid. */
  endWhere(gone: (key: ApiKey) => boolean): void;
  /** Refuses new streams and ends all. */
  close(): void;
  readonly closed: boolean;
}

export function createStreamRegistry(): StreamRegistry {
  const open = new Set<{ key: ApiKey; end: () => void }>();
  /** By key id, and by key id and caller; those without streams have no entry. */
  const counts = new Map<string, number>();
  let closed = false;
  const endWhere = (gone: (key: ApiKey) => boolean): void => {
    for (const stream of open) if (gone(stream.key)) stream.end();
  };
  const nameOf = ({ id }: ApiKey, caller?: string): string => (caller === undefined ? id : `${id} ${caller}`);
  function count(name: string, by: 1 | -1): void {
    const now = (counts.get(name) ?? 0) + by;
    if (now > 0) counts.set(name, now);
    else counts.delete(name);
  }
  return {
    countOf: (key, caller) => counts.get(nameOf(key, caller)) ?? 0,
    add(key, caller, end) {
      const stream = { key, end };
      const names = new Set([nameOf(key), nameOf(key, caller)]);
      open.add(stream);
      for (const name of names) count(name, 1);
      return () => {
        if (!open.delete(stream)) return;
        for (const name of names) count(name, -1);
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

/** Streams of one kind: where they read, and their bounds in this process. */
export interface StreamKind<Request> {
  source: {
    readonly readers: number;
    attach(request: Request, reader: LiveReader): () => void;
  };
  streams: StreamRegistry;
  mostReaders: number;
  mostOfKey: Readonly<Record<Tier, number>>;
  /** Of one caller of a limited client key. Absent: no such bound. */
  mostOfCaller?: Readonly<Record<Tier, number>>;
}

/**
 * Opens a stream for a request unless a bound on streams is reached. The streams of a key are counted per process:
 * gateways exchange counts of requests only, and a stream may last for any time.
 */
export function openStream<Request>(
  { source, streams, mostReaders, mostOfKey, mostOfCaller }: StreamKind<Request>,
  exchange: Exchange,
  key: ApiKey,
  request: Request,
): void {
  const { caller } = exchange;
  if (streams.closed || source.readers >= mostReaders) {
    respond(exchange, failure('SERVICE_UNAVAILABLE', 'This process has reached its maximum of streams.'));
    return;
  }
  const refuse = (who: string, most: number): void => {
    const message = `${who} already has ${most} open streams, the maximum of the key's tier.`;
    respond(exchange, failure('RATE_LIMIT_EXCEEDED', message));
  };
  if (streams.countOf(key) >= mostOfKey[key.tier]) return refuse('This key', mostOfKey[key.tier]);
  if (mostOfCaller !== undefined && caller !== undefined && streams.countOf(key, caller) >= mostOfCaller[key.tier]) {
    return refuse('This player or network', mostOfCaller[key.tier]);
  }
  let forget: () => void = () => {};
  const end = openSse(
    exchange,
    (reader) => source.attach(request, reader),
    () => forget(),
  );
  if (exchange.open) forget = streams.add(key, caller, end);
}
