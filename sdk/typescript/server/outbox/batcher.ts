import { createBackoff, type Backoff } from '../../src/wire/backoff.ts';
import { pause, type ServerPlatform } from '../server-platform.ts';

/*
 * Sends items in batches. Items of one player go through one lane, in order; lanes send beside each other.
 *
 * Invariants
 * 1. A lane has at most one request under way, and sends its oldest items first.
 * 2. An item leaves the queue only when an answer says so, when the service refuses it for ever, or when `stop` returns
 *    it.
 * 3. The queue never holds more than `maxItems` and `maxBytes`: `add` refuses what does not fit.
 */
export interface Batcher<Item> {
  /** False: the queue is full or stopped, and the item was not taken. */
  add(item: Item): boolean;
  /**
   * Sends what waits. Resolves when it was sent, or an attempt for each lane failed.
   * @param isUrgent does not wait for a backoff to end: only a rate limit holds
   */
  flush(isUrgent: boolean): Promise<void>;
  /** Sends and repeats until nothing is left or the signal aborts; then stops. Returns what was not acknowledged. */
  stop(signal: AbortSignal): Promise<Item[]>;
  readonly size: number;
  readonly bytes: number;
}

/** What became of a batch. */
export type Sent<Item> =
  /** Items that are `kept` are sent again; all others have left the queue. */
  | { kind: 'settled'; kept: readonly Item[] }
  /** The service refuses the request as a whole for what is in it: half of it is sent next. */
  | { kind: 'too-large' | 'faulty'; message: string }
  | { kind: 'limited'; retryAfterMs: number | undefined }
  | { kind: 'failed'; retryAfterMs: number | undefined }
  /** Nothing will change soon: a wrong key. */
  | { kind: 'refused' };

export interface BatcherOptions<Item> {
  lanes: number;
  /** Of one request. */
  mostItems: number;
  mostBytes: number;
  /** Items of a lane that are sent without waiting for the interval. */
  flushAt: number;
  intervalMs: number;
  maxItems: number;
  maxBytes: number;
  sizeOf: (item: Item) => number;
  /** The player: its items stay in order. */
  playerOf: (item: Item) => string;
  /** Never rejects. */
  send: (items: readonly Item[], signal: AbortSignal) => Promise<Sent<Item>>;
  /** The service refuses the item for ever. */
  onDropped: (item: Item, reason: 'too-large' | 'rejected', message: string) => void;
  platform: ServerPlatform;
}

interface Lane<Item> {
  items: Item[];
  mostItems: number;
  backoff: Backoff;
  /** The run under way. */
  run: Promise<void> | undefined;
  cancelTimer: (() => void) | undefined;
}

export function createBatcher<Item>(options: BatcherOptions<Item>): Batcher<Item> {
  const { platform, sizeOf, maxItems, maxBytes } = options;
  const aborter = new AbortController();
  const lanes = Array.from({ length: options.lanes }, (): Lane<Item> => ({
    items: [],
    mostItems: options.mostItems,
    backoff: createBackoff(platform.random),
    run: undefined,
    cancelTimer: undefined,
  }));
  let size = 0;
  let bytes = 0;
  let isStopped = false;

  function laneOf(item: Item): Lane<Item> {
    const text = options.playerOf(item);
    let hash = 0;
    for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
    const lane = lanes[(hash >>> 0) % lanes.length];
    if (lane === undefined) throw new Error('there is no lane');
    return lane;
  }

  /** The oldest items that fit one request. */
  function nextBatch({ items, mostItems }: Lane<Item>): Item[] {
    const batch: Item[] = [];
    let sum = 0;
    for (const item of items) {
      sum += sizeOf(item);
      if (batch.length > 0 && (batch.length === mostItems || sum > options.mostBytes)) break;
      batch.push(item);
    }
    return batch;
  }

  function start(lane: Lane<Item>): Promise<void> {
    lane.cancelTimer?.();
    lane.cancelTimer = undefined;
    lane.run ??= run(lane).finally(() => {
      lane.run = undefined;
      if (lane.items.length > 0) schedule(lane);
    });
    return lane.run;
  }

  /** Sends until nothing is left or an attempt fails. */
  async function run(lane: Lane<Item>): Promise<void> {
    while (lane.items.length > 0 && !aborter.signal.aborted) {
      const batch = nextBatch(lane);
      const sent = await options.send(batch, aborter.signal);
      if (!conclude(lane, batch, sent)) return;
    }
  }

  /** Whether to go on with the next batch. */
  function conclude(lane: Lane<Item>, batch: Item[], sent: Sent<Item>): boolean {
    const nowMs = platform.steadyMs();
    switch (sent.kind) {
      case 'settled':
        remove(lane, batch, sent.kept);
        if (sent.kept.length > 0) {
          lane.backoff.failed(nowMs);
          return false;
        }
        lane.mostItems = Math.min(lane.mostItems * 2, options.mostItems);
        lane.backoff.succeeded();
        return true;
      case 'too-large':
      case 'faulty': {
        const [first] = batch;
        if (batch.length > 1 || first === undefined) {
          lane.mostItems = Math.max(1, Math.floor(batch.length / 2));
          return true;
        }
        remove(lane, batch, []);
        options.onDropped(first, sent.kind === 'faulty' ? 'rejected' : 'too-large', sent.message);
        return true;
      }
      case 'limited':
        lane.backoff.limited(nowMs, sent.retryAfterMs);
        return false;
      case 'failed':
        lane.backoff.failed(nowMs, sent.retryAfterMs);
        return false;
      case 'refused':
        lane.backoff.refused(nowMs);
        return false;
    }
  }

  function remove(lane: Lane<Item>, batch: readonly Item[], kept: readonly Item[]): void {
    // The batch is the beginning of the lane.
    lane.items = [...kept, ...lane.items.slice(batch.length)];
    for (const item of batch) count(item, -1);
    for (const item of kept) count(item, 1);
  }

  function count(item: Item, sign: 1 | -1): void {
    size += sign;
    bytes += sign * sizeOf(item);
  }

  function schedule(lane: Lane<Item>): void {
    if (lane.cancelTimer !== undefined || isStopped) return;
    const waitMs = Math.max(options.intervalMs, lane.backoff.untilMs - platform.steadyMs());
    lane.cancelTimer = platform.setTimer(() => {
      lane.cancelTimer = undefined;
      void start(lane);
    }, waitMs);
  }

  return {
    add(item) {
      const itemBytes = sizeOf(item);
      if (isStopped || size >= maxItems || bytes + itemBytes > maxBytes) return false;
      const lane = laneOf(item);
      lane.items.push(item);
      count(item, 1);
      if (lane.items.length >= options.flushAt && lane.backoff.allows(platform.steadyMs(), false)) void start(lane);
      else if (lane.run === undefined) schedule(lane);
      return true;
    },
    async flush(isUrgent) {
      const nowMs = platform.steadyMs();
      await Promise.all(lanes.map(async (lane) => (lane.backoff.allows(nowMs, isUrgent) ? start(lane) : lane.run)));
    },
    async stop(signal) {
      isStopped = true;
      if (signal.aborted) aborter.abort();
      signal.addEventListener('abort', () => aborter.abort());
      await Promise.all(
        lanes.map(async (lane) => {
          while (lane.items.length > 0 && !signal.aborted) {
            await start(lane);
            const waitMs = lane.backoff.untilMs - platform.steadyMs();
            if (lane.items.length > 0) await pause(Math.max(waitMs, 0), platform, signal, true);
          }
          lane.cancelTimer?.();
        }),
      );
      return lanes.flatMap(({ items }) => items);
    },
    get size() {
      return size;
    },
    get bytes() {
      return bytes;
    },
  };
}
