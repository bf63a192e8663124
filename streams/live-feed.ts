import type { Environment } from '../actors/vocabulary/scope.ts';

/** What an SSE reader asks for. */
export interface LiveRequest {
  /** Id of the API key: replays take turns by it. */
  key: string;
  game: string;
  environment: Environment;
  /** Only these event names; all when empty. */
  eventNames: readonly string[];
  playerId?: string;
  /** The `Last-Event-ID` the reader came with. */
  lastEventId?: string;
}

/** Where the bytes for one reader go. `write` answers false when the reader should not be sent more for now. */
export interface LiveReader {
  /** Whole SSE messages (or comments), serialised once for all readers. Several together cost about as much as one. */
  write(...messages: readonly Uint8Array[]): boolean;
  /** Bytes accepted by `write` and not yet taken by the network. */
  bufferedBytes(): number;
  /** Ends the connection: the reader is over its limit, or the service stops. */
  end(): void;
}

/** What the log held for a reader who came back, and holds no more. */
export interface LostEvents {
  /** What the reader asks for. */
  request: LiveRequest;
  /** When the log was created, as the broker spells it: positions are those of that log. */
  created: string;
  /** The first fact that is lost: its record's sequence and its place in the record. */
  from: { sequence: number; index: number };
  /** Sequence of the first record that is there. */
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
