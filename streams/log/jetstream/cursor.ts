import type { Msg } from '@nats-io/transport-node';
import { JetStreamApiError } from '@nats-io/jetstream';
import { createInbox } from '@nats-io/transport-node';
import type { Cancel, Clock } from '../../../src/kernel/clock.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import type { LogRecord } from '../log.ts';
import { makeConsumer } from './api.ts';
import type { Link } from './link.ts';
import type { ConsumerOptions } from './manager.ts';

/** A record on its way from a consumer. */
export interface Delivery {
  record: LogRecord;
  /** Matching records stored after this one, when it was sent. */
  pending: number;
  /** How often it was sent, from 1. */
  handedOut: number;
  /** Where acknowledgements go. */
  ackSubject: string;
  message: Msg;
}

export interface CursorOptions {
  stream: string;
  /** Name of the consumer. One with a `durable_name` in `config` outlives the cursor; others are deleted on close. */
  name: string;
  config: ConsumerOptions;
  /** Whether a gap in the consumer's own numbering means that a delivery was lost. */
  ordered: boolean;
  /** What the caller can take in now. */
  room: () => { records: number; bytes: number };
  onDelivery: (delivery: Delivery) => void;
  /** Nothing was waiting for the last while, although we were asking. */
  onIdle?: () => void;
  /** Nothing is asked for, as there is no room. Said again now and then, with how many matching records wait. */
  onStall?: (pending?: number) => void;
  /** The consumer is of no more use. Called once, never after `close`. */
  onBroken: (why: string) => void;
}

/**
 * One consumer at the broker and the requests for more that we keep there. At most one request stands at a time; it is
 * renewed when it is used up or has run out, so what is stored is delivered at once, without polling.
 */
export interface Cursor {
  /** Matching records when the consumer was made. */
  readonly pending: number;
  /** There is room: asks for more unless that is done already. */
  pull(): void;
  close(): void;
}

/** Sizes from which it is worth asking for more. */
const ENOUGH_RECORDS = LIMITS.readerBufferRecords / 2;
const ENOUGH_BYTES = LIMITS.readerBufferBytes / 2;
const NANOS_PER_MS = 1_000_000;

/** Makes the consumer (again). Resolves to why it could not be, if so; rejects when the log is closed. */
export async function openCursor(
  link: Link,
  clock: Clock,
  options: CursorOptions,
): Promise<Cursor | { failed: string }> {
  const { stream, name } = options;
  let made: { num_pending: number };
  try {
    made = await makeConsumer(link, clock, stream, { name, ...options.config });
  } catch (error) {
    if (error instanceof JetStreamApiError) return { failed: error.message };
    throw error;
  }

  const inbox = createInbox();
  const durable = options.config.durable_name !== undefined;
  let closed = false;
  /** Records the standing request still allows; 0 when none stands. */
  let standing = 0;
  /** Requests so far. Each has a reply subject of its own, which its status messages name. */
  let requests = 0;
  let expected = 1;
  let heardMs = clock.monotonicMs();
  let needsAllBytes = false;
  let cancelWatch: Cancel = () => {};

  const replyTo = (): string => `${inbox}.${requests}`;
  const subscription = link.subscribe(`${inbox}.*`, (message) => {
    if (closed) return;
    heardMs = clock.monotonicMs();
    const code = message.headers?.code ?? 0;
    if (code === 0) deliver(message);
    else control(code, message.headers?.description ?? '', message.subject === replyTo());
  });

  function deliver(message: Msg): void {
    const info = parseAckSubject(message.reply ?? '');
    if (info === undefined) {
      broken(`a delivery without a position: ${message.reply}`);
      return;
    }
    if (options.ordered && info.consumerSequence !== expected) {
      broken(`delivery ${info.consumerSequence} came instead of ${expected}`);
      return;
    }
    expected += 1;
    standing = Math.max(0, standing - 1);
    const { subject, data } = message;
    options.onDelivery({
      record: { subject, sequence: info.streamSequence, storedAtMs: info.storedAtMs, data },
      pending: info.pending,
      handedOut: info.handedOut,
      ackSubject: message.reply ?? '',
      message,
    });
    if (standing === 0) pull();
  }

  /** @param isCurrent whether it is about the request that stands: that of an earlier one may come late */
  function control(code: number, description: string, isCurrent: boolean): void {
    if (code === 100) {
      options.onIdle?.();
      return;
    }
    const tooBig = code === 409 && /MaxBytes/i.test(description);
    const over = code === 408 || code === 404 || tooBig || (code === 409 && /Batch Completed/i.test(description));
    if (!over) {
      broken(`${code} ${description}`);
      return;
    }
    // Otherwise a second request would stand beside this one, and more would come than there is room for.
    if (!isCurrent) return;
    standing = 0;
    needsAllBytes ||= tooBig;
    pull();
  }

  function pull(): void {
    if (closed || standing > 0) return;
    const room = options.room();
    const { records } = room;
    const neededBytes = needsAllBytes ? LIMITS.readerBufferBytes : ENOUGH_BYTES;
    if (records < ENOUGH_RECORDS || room.bytes < neededBytes) {
      options.onStall?.();
      return;
    }
    // No more than needed at once: what all readers of a connection asked for may be under way together, and beyond
    // its `max_pending` the broker cuts the connection off.
    const bytes = neededBytes;
    needsAllBytes = false;
    standing = records;
    requests += 1;
    heardMs = clock.monotonicMs();
    const body = {
      batch: records,
      max_bytes: bytes,
      expires: LIMITS.readerPullMs * NANOS_PER_MS,
      idle_heartbeat: LIMITS.readerHeartbeatMs * NANOS_PER_MS,
    };
    link.send(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`, JSON.stringify(body), replyTo());
  }

  /** A consumer can vanish without a word (its node died): then its heartbeats stop. */
  function watch(): void {
    if (closed) return;
    cancelWatch = clock.timer(LIMITS.readerHeartbeatMs, () => {
      const silent = standing > 0 && clock.monotonicMs() - heardMs > 3 * LIMITS.readerHeartbeatMs;
      if (silent) broken('silence');
      else if (standing === 0 && options.onStall !== undefined) void look().finally(watch);
      else watch();
    });
  }

  /** While nobody takes, nothing arrives that tells how far behind we are. */
  async function look(): Promise<void> {
    try {
      const info = await link.manager.consumers.info(stream, name);
      if (!closed && standing === 0) options.onStall?.(info.num_pending);
    } catch (error) {
      // Anything else means that no answer came; the next look asks again.
      if (error instanceof JetStreamApiError && standing === 0) broken(error.message);
    }
  }

  function broken(why: string): void {
    if (closed) return;
    close();
    options.onBroken(why);
  }

  function close(): void {
    if (closed) return;
    closed = true;
    cancelWatch();
    subscription.unsubscribe();
    // If this does not arrive the broker drops the consumer after its `inactive_threshold`.
    if (!durable && link.up) link.manager.consumers.delete(stream, name).catch(() => {});
  }

  watch();
  return { pending: made.num_pending, pull, close };
}

/**
 * Reads `$JS.ACK.[<domain>.<account>.]<stream>.<consumer>.<times>.<stream seq>.<consumer seq>.<nanos>.<pending>[.<token>]`.
 * Nanoseconds do not fit a number, so the last six digits are cut off as text.
 */
function parseAckSubject(subject: string) {
  const tokens = subject.split('.');
  if (tokens[0] !== '$JS' || tokens[1] !== 'ACK' || tokens.length < 9) return undefined;
  const from = tokens.length === 9 ? 4 : 6;
  const [handedOut, streamSequence, consumerSequence, nanos = '', pending] = tokens.slice(from, from + 5);
  return {
    handedOut: Number(handedOut),
    streamSequence: Number(streamSequence),
    consumerSequence: Number(consumerSequence),
    storedAtMs: Number(nanos.slice(0, -6)),
    pending: Number(pending),
  };
}
