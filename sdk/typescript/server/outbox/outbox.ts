import { readBatch } from '../../src/flags/answers.ts';
import { createDrops } from '../../src/wire/callbacks.ts';
import type { ReportProblem } from '../../src/wire/problems.ts';
import { textOf } from '../../src/wire/text-of.ts';
import { createBatcher, type Batcher, type Sent } from './batcher.ts';
import {
  asTracked,
  queuedExposure,
  readEvent,
  readPurchase,
  type Exposure,
  type Purchase,
  type PurchaseOptions,
  type QueuedItem,
  type QueuedPurchase,
  type Read,
  type TrackedEvent,
  type TrackOptions,
} from './outbox-items.ts';
import type { Requests } from './requests.ts';
import { sentOf, settled } from './sent-items.ts';
import type { ServerPlatform } from '../server-platform.ts';

/*
 * What waits to be sent for all players: events, purchases and exposures, each kind in batches of its own.
 *
 * Invariants
 * 1. Every attempt to send an item carries the same id, so that the service counts it once.
 * 2. Exposures that were queued before a batch of events leave before it, so that an event can be the conversion of an
 *    exposure that its player saw a moment ago.
 */
export interface Outbox {
  track(playerId: unknown, name: unknown, properties: unknown, options: TrackOptions): boolean;
  purchase(playerId: unknown, amount: unknown, options: PurchaseOptions): boolean;
  expose(exposure: Exposure): boolean;
  flush(): Promise<void>;
  stop(signal: AbortSignal): Promise<UnsentReport>;
  readonly size: number;
}

/** What the service has not acknowledged. Sent again with these ids, each counts once. */
export interface UnsentReport {
  readonly events: readonly TrackedEvent[];
  readonly purchases: readonly Purchase[];
  readonly exposures: readonly Exposure[];
}

/** An item that will not reach the service, and why. */
export type DroppedItem = {
  readonly reason: 'queue-full' | 'invalid' | 'too-large' | 'rejected' | 'stopped';
  readonly message: string;
} & (
  | { readonly kind: 'event'; readonly event: Partial<TrackedEvent> }
  | { readonly kind: 'purchase'; readonly purchase: Partial<Purchase> }
  | { readonly kind: 'exposure'; readonly exposure: Exposure }
);

export interface OutboxOptions {
  requests: Requests;
  platform: ServerPlatform;
  lanes: number;
  flushIntervalMs: number;
  flushAt: number;
  maxQueued: number;
  maxQueuedBytes: number;
  onDropped: (dropped: DroppedItem) => void;
  onProblem: ReportProblem;
}

/** Events of one batch request; the service takes no more. */
const MOST_EVENTS = 100;
/** Half of the largest body that the service takes, so that no request is refused for its size. */
const MOST_BYTES = 500_000;
/** Exposures follow at once, because events count for an experiment only after them. */
const EXPOSURES_INTERVAL_MS = 500;

export function createOutbox(options: OutboxOptions): Outbox {
  const { requests, platform, lanes, flushIntervalMs, flushAt, maxQueued, maxQueuedBytes, onProblem } = options;
  const drops = createDrops<DroppedItem>(options.onDropped, onProblem);
  const dropped = (item: DroppedItem) => drops.report(item);
  const bounds = { lanes, maxItems: maxQueued, maxBytes: maxQueuedBytes, platform };
  const common = { ...bounds, mostBytes: MOST_BYTES, intervalMs: flushIntervalMs, flushAt };

  const exposures: Batcher<QueuedItem<Exposure>> = createBatcher<QueuedItem<Exposure>>({
    ...common,
    // They need no order among each other, and are few: once per player and variant.
    lanes: 1,
    intervalMs: Math.min(flushIntervalMs, EXPOSURES_INTERVAL_MS),
    mostItems: MOST_EVENTS,
    sizeOf,
    playerOf,
    send: (items, signal) =>
      sentOf(
        () => requests.post('POST /v1/flags/exposures', bodyOf('exposures', items), { signal }),
        items,
        (data) => readExposed(data, items.length),
        (item, message) => dropped({ kind: 'exposure', exposure: item.value, reason: 'rejected', message }),
        onProblem,
      ),
    onDropped: ({ value }, reason, message) => dropped({ kind: 'exposure', exposure: value, reason, message }),
  });

  const events = createBatcher<QueuedItem<TrackedEvent>>({
    ...common,
    mostItems: MOST_EVENTS,
    sizeOf,
    playerOf,
    async send(items, signal) {
      if (exposures.size > 0) await exposures.flush(false);
      return sentOf(
        () => requests.post('POST /v1/events/events/batch', bodyOf('events', items), { signal }),
        items,
        (data) =>
          readBatch(
            data,
            items.map(({ value }) => value.event_id),
          ),
        (item, message) => dropped({ kind: 'event', event: asTracked(item), reason: 'rejected', message }),
        onProblem,
      );
    },
    onDropped: (item, reason, message) => dropped({ kind: 'event', event: asTracked(item), reason, message }),
  });

  const purchases = createBatcher<QueuedPurchase>({
    ...common,
    // The service takes them one by one.
    mostItems: 1,
    flushAt: 1,
    sizeOf,
    playerOf,
    send: (items, signal) => sendPurchase(items, signal),
    onDropped: ({ value }, reason, message) => dropped({ kind: 'purchase', purchase: value, reason, message }),
  });

  async function sendPurchase(items: readonly QueuedPurchase[], signal: AbortSignal): Promise<Sent<QueuedPurchase>> {
    const [item] = items;
    if (item === undefined) return settled([]);
    const { idempotencyKey, value } = item;
    const { player_id: id, ...query } = value;
    return sentOf(
      () =>
        requests.send('POST /v1/players/players/{id}/purchase', {
          path: { id },
          query,
          idempotencyKey,
          signal,
          retries: 0,
        }),
      items,
      (data) => (Object(data).player_id === id.toLowerCase() ? [{ index: 0, status: 'accepted' }] : undefined),
      (_, message) => dropped({ kind: 'purchase', purchase: value, reason: 'rejected', message }),
      onProblem,
    );
  }

  function take<Item>(
    batcher: Batcher<Item>,
    read: () => Read<Item>,
    drop: (reason: DroppedItem['reason'], message: string) => void,
  ): boolean {
    if (!drops.mayTrack) return false;
    const item = attempted(read);
    if (item.kind !== 'item') {
      drop(item.kind, item.message);
      return false;
    }
    if (batcher.add(item.item)) return true;
    if (isStopped) drop('stopped', 'The client was shut down.');
    else drop('queue-full', `The queue is full: ${batcher.size} items and ${batcher.bytes} bytes wait.`);
    return false;
  }

  let isStopped = false;
  const fresh = () => ({ newId: () => platform.newId(), nowMs: platform.wallMs() });

  return {
    track(playerId, name, properties, trackOptions) {
      return take(
        events,
        () => readEvent(playerId, name, properties, trackOptions, fresh()),
        (reason, message) => {
          const event = { player_id: textOf(playerId), event_name: textOf(name), ...trackedOptions(trackOptions) };
          dropped({ kind: 'event', event, reason, message });
        },
      );
    },
    purchase(playerId, amount, purchaseOptions) {
      return take(
        purchases,
        () => readPurchase(playerId, amount, purchaseOptions, fresh()),
        (reason, message) => {
          const own = { player_id: textOf(playerId), amount: typeof amount === 'number' ? amount : Number.NaN };
          const purchase = { ...own, ...purchaseOptions };
          dropped({ kind: 'purchase', purchase, reason, message });
        },
      );
    },
    expose(exposure) {
      return take(
        exposures,
        () => ({ kind: 'item', item: queuedExposure(exposure) }),
        (reason, message) => dropped({ kind: 'exposure', exposure, reason, message }),
      );
    },
    async flush() {
      await exposures.flush(true);
      await Promise.all([events.flush(true), purchases.flush(true)]);
    },
    async stop(signal) {
      isStopped = true;
      const unexposed = await exposures.stop(signal);
      const [tracked, paid] = await Promise.all([events.stop(signal), purchases.stop(signal)]);
      return {
        events: tracked.map(asTracked),
        purchases: paid.map(({ value }) => value),
        exposures: unexposed.map(({ value }) => value),
      };
    },
    get size() {
      return events.size + purchases.size + exposures.size;
    },
  };
}

const sizeOf = ({ bytes }: { bytes: number }) => bytes;
const playerOf = ({ playerId }: { playerId: string }) => playerId;

function bodyOf(name: string, items: readonly { json: string }[]): string {
  return `{"${name}":[${items.map(({ json }) => json).join(',')}]}`;
}

function readExposed(data: unknown, count: number) {
  const { results } = Object(data);
  if (!Array.isArray(results) || results.length !== count) return undefined;
  return results.map((result: unknown, index) => {
    const { status, error } = Object(result);
    return { index, status: String(status), error };
  });
}

/** What code without types passes in may throw while it is read. */
function attempted<Item>(read: () => Read<Item>): Read<Item> {
  try {
    return read();
  } catch (error) {
    return { kind: 'invalid', message: textOf(error) };
  }
}

function trackedOptions(options: TrackOptions): Partial<TrackedEvent> {
  const { event_id, session_id }: TrackOptions = Object(options);
  return { ...(event_id === undefined ? {} : { event_id }), ...(session_id === undefined ? {} : { session_id }) };
}
