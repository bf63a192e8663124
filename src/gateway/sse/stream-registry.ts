import type { Tier } from '../../../core/vocabulary/documents/documents.ts';
import type { LiveReader } from '../../../streams/live-feed.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { type Exchange, respond } from '../http/exchange.ts';
import { openSse } from './sse-connection.ts';
import type { ApiKey } from '../../access/api-key.ts';

/** The open streams of one kind in this process. */
export interface StreamRegistry {
  /** Number of open streams of a key; only those of one of its callers if given. */
  countOf(key: ApiKey, caller?: string): number;
  /** @param players the ids that the stream is about; default: it is about no player */
  add(key: ApiKey, caller: string | undefined, end: () => void, players?: readonly string[]): () => void;
  /**
   * Ends the oldest stream of the caller who has the most of a key.
   * @param most how many streams that caller may have; false if no caller has more
   */
  endOneAbove(key: ApiKey, most: number): boolean;
  /** Ends the streams of keys that are no longer valid. */
  endWhere(gone: (key: ApiKey) => boolean): void;
  /** Ends the streams about a player, whose readers resume them. */
  endAbout(playerId: string): void;
  /** Refuses new streams and ends all. */
  close(): void;
  readonly closed: boolean;
}

interface OpenStream {
  key: ApiKey;
  end: () => void;
  players: readonly string[];
}

export function createStreamRegistry(): StreamRegistry {
  const open = new Set<OpenStream>();
  /** By key id; keys without streams have no entry. */
  const counts = new Map<string, number>();
  /** By key id and caller, oldest first; callers without streams have no entry. */
  const callers = new Map<string, Map<string, Set<OpenStream>>>();
  let closed = false;
  const endWhere = (gone: (key: ApiKey) => boolean): void => {
    for (const stream of open) if (gone(stream.key)) stream.end();
  };
  function count({ id }: ApiKey, by: 1 | -1): void {
    const now = (counts.get(id) ?? 0) + by;
    if (now > 0) counts.set(id, now);
    else counts.delete(id);
  }
  function addToCaller(caller: string, stream: OpenStream): void {
    const { id } = stream.key;
    const ofKey = callers.get(id) ?? new Map<string, Set<OpenStream>>();
    callers.set(id, ofKey);
    ofKey.set(caller, (ofKey.get(caller) ?? new Set()).add(stream));
  }
  function removeFromCaller(caller: string, stream: OpenStream): void {
    const { id } = stream.key;
    const ofKey = callers.get(id);
    const own = ofKey?.get(caller);
    own?.delete(stream);
    if (own?.size === 0) ofKey?.delete(caller);
    if (ofKey?.size === 0) callers.delete(id);
  }
  return {
    countOf: (key, caller) =>
      caller === undefined ? (counts.get(key.id) ?? 0) : (callers.get(key.id)?.get(caller)?.size ?? 0),
    add(key, caller, end, players = []) {
      const stream = { key, end, players };
      open.add(stream);
      count(key, 1);
      if (caller !== undefined) addToCaller(caller, stream);
      return () => {
        if (!open.delete(stream)) return;
        count(key, -1);
        if (caller !== undefined) removeFromCaller(caller, stream);
      };
    },
    endOneAbove(key, most) {
      let largest: Set<OpenStream> | undefined;
      for (const own of callers.get(key.id)?.values() ?? []) {
        if (own.size > (largest?.size ?? most)) largest = own;
      }
      const [oldest] = largest ?? [];
      oldest?.end();
      return oldest !== undefined;
    },
    endWhere,
    endAbout(playerId) {
      for (const stream of open) if (stream.players.includes(playerId)) stream.end();
    },
    close() {
      closed = true;
      endWhere(() => true);
    },
    get closed() {
      return closed;
    },
  };
}

/** What a request for a stream may say of players. */
interface AboutPlayers {
  game: string;
  playerId?: string;
  guestIds?: readonly string[];
}

/** Streams of one kind: where they read, and their bounds in this process. */
export interface StreamKind<Request extends AboutPlayers> {
  source: {
    readonly readers: number;
    attach(request: Request, reader: LiveReader): () => void;
  };
  streams: StreamRegistry;
  mostReaders: number;
  mostOfKey: Readonly<Record<Tier, number>>;
  /** Of one caller of a client key. Absent: no such bound. */
  mostOfCaller?: Readonly<Record<Tier, number>>;
}

/**
 * Opens a stream for a request unless a bound on streams is reached. The streams of a key are counted per process:
 * gateways exchange counts of requests only, and a stream may last for any time. When a client key has all of its
 * streams, a caller with fewer takes the place of a stream of the caller with the most: client keys are public, and
 * one holder must not keep the players out.
 */
export function openStream<Request extends AboutPlayers>(
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
  const ofCaller = caller === undefined ? 0 : streams.countOf(key, caller);
  if (mostOfCaller !== undefined && ofCaller >= mostOfCaller[key.tier]) {
    return refuse('This player or network', mostOfCaller[key.tier]);
  }
  const isFull = streams.countOf(key) >= mostOfKey[key.tier];
  // With one stream more, the caller still has no more than the one who loses one.
  if (isFull && (caller === undefined || !streams.endOneAbove(key, ofCaller + 1))) {
    return refuse('This key', mostOfKey[key.tier]);
  }
  let forget: () => void = () => {};
  const end = openSse(
    exchange,
    (reader) => source.attach(request, reader),
    () => forget(),
  );
  const { playerId, guestIds = [] } = request;
  const players = playerId === undefined ? [] : [playerId, ...guestIds];
  if (exchange.open) forget = streams.add(key, caller, end, players);
}
