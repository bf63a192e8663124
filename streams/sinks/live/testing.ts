import type { LiveReader } from '../../live-feed.ts';

/** A message as an SSE client sees it. */
export interface SeenMessage {
  id: string | undefined;
  data: Record<string, unknown>;
}

/** A reader that keeps its messages; a test may stall its network. */
export interface FakeReader extends LiveReader {
  readonly messages: SeenMessage[];
  /** Event ids in the order they came. */
  eventIds(): unknown[];
  /** The `id` of the last message that had one. */
  lastId(): string | undefined;
  readonly ended: boolean;
  /** Most bytes it ever held. */
  readonly mostBufferedBytes: number;
  /** From now on the network takes nothing. */
  stall(): void;
  /** The network takes what waits, and what comes. */
  resume(): void;
}

export function createFakeReader(): FakeReader {
  const messages: SeenMessage[] = [];
  let buffered: Uint8Array[] = [];
  let bufferedBytes = 0;
  let mostBufferedBytes = 0;
  let stalled = false;
  let ended = false;

  function receive(bytes: Uint8Array): void {
    for (const text of Buffer.from(bytes).toString('utf8').split('\n\n').slice(0, -1)) messages.push(parse(text));
  }

  return {
    messages,
    eventIds: () => messages.filter(({ data }) => data['type'] === 'event').map(({ data }) => data['event_id']),
    lastId: () => messages.findLast(({ id }) => id !== undefined)?.id,
    get ended() {
      return ended;
    },
    get mostBufferedBytes() {
      return mostBufferedBytes;
    },
    write(...written) {
      if (ended) throw new Error('written to after its end');
      for (const bytes of written) {
        if (!stalled) {
          receive(bytes);
          continue;
        }
        buffered.push(bytes);
        bufferedBytes += bytes.byteLength;
        mostBufferedBytes = Math.max(mostBufferedBytes, bufferedBytes);
      }
      return !stalled;
    },
    bufferedBytes: () => bufferedBytes,
    end() {
      ended = true;
    },
    stall() {
      stalled = true;
    },
    resume() {
      stalled = false;
      for (const bytes of buffered) receive(bytes);
      buffered = [];
      bufferedBytes = 0;
    },
  };
}

/** Strict on purpose: one data line, an id and a retry line before it are all that may stand in a message. */
function parse(text: string): SeenMessage {
  const match = /^(?:retry: \d+\n)?(?:id: ([^\n]+)\n)?data: ([^\n]+)$/.exec(text);
  if (match === null) throw new Error(`not a message of the stream: ${text}`);
  const data: unknown = JSON.parse(match[2] ?? '');
  if (typeof data !== 'object' || data === null) throw new Error('not an object');
  return { id: match[1], data: { ...data } };
}
