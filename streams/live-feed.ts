import type { Environment } from '../core/vocabulary/documents/scope.ts';

/** The subscription of an SSE reader. */
export interface LiveRequest {
  /** Id of the API key: replays take turns by it. */
  key: string;
  game: string;
  environment: Environment;
  /** Only these event names; empty: all. */
  eventNames: readonly string[];
  playerId?: string;
  /** Guests that were merged into the player: the log has their events from before under their own ids. */
  guestIds?: readonly string[];
  /** The `Last-Event-ID` of the request. */
  lastEventId?: string;
}

/** The connection of one reader. `write` returns false while the reader's buffer is full. */
export interface LiveReader {
  /** Whole SSE messages or comments, serialised once for all readers. Several in one call cost about as much as one. */
  write(...messages: readonly Uint8Array[]): boolean;
  /** Bytes accepted by `write` and not yet sent. */
  bufferedBytes(): number;
  /** Ends the connection: the reader is over its limit, or the service stops. */
  end(): void;
}

/** The events that were trimmed from the log before a resuming reader could get them. */
export interface LostEvents {
  /** The reader's subscription. */
  request: LiveRequest;
  /** The creation time of the log that the positions belong to, as the broker writes it. */
  created: string;
  /** The first lost fact: its record's sequence and its index in the record. */
  from: { sequence: number; index: number };
  /** Sequence of the first record that the log holds. */
  beforeSequence: number;
}

/**
 * The port between the gateway's SSE connections and the live sink. `attach` sends `connected` once the subscription
 * is live, then events and heartbeats. The returned function detaches.
 */
export interface LiveFeed {
  attach(request: LiveRequest, reader: LiveReader): () => void;
  readonly readers: number;
}
