import { pino } from 'pino';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import type { LiveMetrics } from './metrics.ts';
import type { LiveReader, LiveRequest, LostEvents } from '../../live-feed.ts';
import { createMemoryBroker } from '../../log/memory/log-memory.ts';
import { aTrackedEvent, commit } from '../testing-commits.ts';
import { createLiveFeed } from './live-feed.ts';

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

export const HEARTBEAT_MS = 30_000;
export const PLAYER = aTrackedEvent().entityId;

/** A feed on a fake clock, with readers that keep their messages. */
export function setUp(countLost?: (lost: LostEvents) => Promise<number | undefined>, onDemand = false) {
  const clock = createFakeClock();
  const broker = createMemoryBroker({ clock });
  const log = broker.connect('feed');
  const writer = broker.connect('writer');
  const metrics = createMetrics();
  const feed = createLiveFeed({
    log,
    clock,
    logger: pino({ level: 'silent' }),
    metrics,
    heartbeatMs: HEARTBEAT_MS,
    onDemand,
    ...(countLost === undefined ? {} : { countLost }),
  });
  const attach = (some: Partial<LiveRequest> = {}) => {
    const reader = createFakeReader();
    const detach = feed.attach({ key: 'key_1', game: 'demo', environment: 'live', eventNames: [], ...some }, reader);
    return { reader, detach };
  };
  const track = async (...ids: string[]) => {
    await commit(
      writer,
      ids.map((eventId) => aTrackedEvent({ eventId })),
    );
  };
  /** Events of about 60 KiB each, one record for each. */
  const trackLarge = async (ids: string[]) => {
    const properties = JSON.stringify({ text: 'x'.repeat(60 * 1024) });
    for (const eventId of ids) await commit(writer, [aTrackedEvent({ eventId, properties })]);
  };
  return { clock, broker, log, writer, feed, attach, track, trackLarge, metrics };
}

export const typesOf = ({ messages }: FakeReader) => messages.map(({ data }) => data['type']);

/** The value of a metric without labels. */
export const valueOf = async (metric: Pick<LiveMetrics['streamGaps'] | LiveMetrics['streamBehind'], 'get'>) =>
  (await metric.get()).values[0]?.value;

/** Event ids. */
export const numbered = (count: number, prefix = 'e') => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
