import type { Msg } from '@nats-io/transport-node';
import { JetStreamApiError } from '@nats-io/jetstream';
import { createInbox } from '@nats-io/transport-node';
import { nextTick, type Cancel, type Clock } from '../../../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from '../limits.ts';
import { LOG_LIMITS } from '../../limits.ts';
import type { LogRecord } from '../../log.ts';
import { makeConsumer } from '../api.ts';
import type { Link } from '../link.ts';
import type { ConsumerOptions } from '../manager.ts';
import { createPace } from './pace.ts';

/** A record delivered by a consumer. */
export interface Delivery {
  record: LogRecord;
  /** Matching records that followed this one when it was sent. */
  pending: number;
  /** How often it was sent, from 1. */
  handedOut: number;
  /** The subject for acknowledgements. */
  ackSubject: string;
  message: Msg;
}

export interface CursorOptions {
  stream: string;
  /** Name of the consumer. One with a `durable_name` in `config` outlives the cursor; others are deleted on close. */
  name: string;
  config: ConsumerOptions;
  /** Whether a gap in the consumer's sequence means that a delivery was lost. */
  ordered: boolean;
  /** The free space of the caller's buffer. */
  free: () => { records: number; bytes: number };
  /** As in `ReadOptions`. */
  gatherMs?: number | undefined;
  onDelivery: (delivery: Delivery) => void;
  /** No record was delivered since the last heartbeat, although a request was open. */
  onIdle?: () => void;
  /** No request is open, because the buffer is full. Repeated with the number of matching records that wait. */
  onStall?: (pending?: number) => void;
  /** The consumer has failed. Called once, never after `close`. */
  onBroken: (why: string) => void;
}

/**
 * One consumer at the broker and its requests for records. At most one request is open at a time. It is renewed when it
 * is used up or has expired, so new records are delivered at once, without polling. With `gatherMs` it pauses before,
 * while records follow each other closely (`pace`).
 */
export interface Cursor {
  /** Matching records when the consumer was made. */
  readonly pending: number;
  /** Requests more records if there is space and no request is open. */
  pull(): void;
  close(): void;
}

/** Free space from which a request is worthwhile. */
const ENOUGH_RECORDS = LOG_LIMITS.readerBufferRecords / 2;
const ENOUGH_BYTES = LOG_LIMITS.readerBufferBytes / 2;
const NANOS_PER_MS = 1_000_000;
/** A request that waits for new records. */
const OPEN_REQUEST = {
  expires: JETSTREAM_LIMITS.readerPullMs * NANOS_PER_MS,
  idle_heartbeat: JETSTREAM_LIMITS.readerHeartbeatMs * NANOS_PER_MS,
};

/** Makes the consumer. Resolves to the reason if the broker refuses; rejects when the log is closed. */
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
  /** Records that the open request still allows; 0: no request is open. */
  let open = 0;
  /** Requests so far. Each has its own reply subject, which its status messages carry. */
  let requests = 0;
  let expected = 1;
  let receivedMs = clock.monotonicMs();
  let needsAllBytes = false;
  let cancelWatch: Cancel = () => {};
  const pace = createPace(clock, options.gatherMs);
  let paused = false;
  let cancelPause: Cancel = () => {};

  const replyTo = (): string => `${inbox}.${requests}`;
  const subscription = link.subscribe(`${inbox}.*`, (message) => {
    if (closed) return;
    receivedMs = clock.monotonicMs();
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
    open = Math.max(0, open - 1);
    pace.delivered();
    const { subject, data } = message;
    options.onDelivery({
      record: { subject, sequence: info.streamSequence, storedAtMs: info.storedAtMs, data },
      pending: info.pending,
      handedOut: info.handedOut,
      ackSubject: message.reply ?? '',
      message,
    });
    if (open === 0) requestOver();
  }

  /** Requests more: at once, or after a pause in which records gather. */
  function requestOver(): void {
    open = 0;
    if (closed || !pace.over()) {
      pull();
      return;
    }
    paused = true;
    cancelPause = clock.timer(options.gatherMs ?? 0, () => {
      paused = false;
      pull();
    });
  }

  /** @param isCurrent whether the status is about the open request: one about an earlier request may come late */
  function control(code: number, description: string, isCurrent: boolean): void {
    const status = statusOf(code, description);
    if (status === 'idle') options.onIdle?.();
    else if (status === 'broken') broken(`${code} ${description}`);
    // Otherwise a second request would be open, and more records could come than the buffer can hold.
    else if (isCurrent) {
      needsAllBytes ||= status === 'too_big';
      requestOver();
    }
  }

  function pull(): void {
    if (closed || open > 0 || paused) return;
    const free = options.free();
    const bytes = needsAllBytes ? LOG_LIMITS.readerBufferBytes : ENOUGH_BYTES;
    if (free.records < ENOUGH_RECORDS || free.bytes < bytes) {
      options.onStall?.();
      return;
    }
    needsAllBytes = false;
    open = pace.request(free.records);
    requests += 1;
    receivedMs = clock.monotonicMs();
    // The requests of all readers of a connection may be answered together, and the broker closes a connection whose
    // unsent bytes exceed `max_pending`: so not all free bytes.
    const body = { batch: open, max_bytes: bytes, ...(pace.gathering ? { no_wait: true } : OPEN_REQUEST) };
    link.send(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`, JSON.stringify(body), replyTo());
  }

  /** A consumer may vanish without a message (its node died): then its heartbeats stop. */
  function watch(): void {
    if (closed) return;
    cancelWatch = nextTick(clock, JETSTREAM_LIMITS.readerHeartbeatMs, () => {
      const silent = open > 0 && clock.monotonicMs() - receivedMs > 3 * JETSTREAM_LIMITS.readerHeartbeatMs;
      if (silent) broken('no heartbeats');
      else if (open === 0 && !paused && options.onStall !== undefined) void reportPending().finally(watch);
      else watch();
    });
  }

  /** Without an open request no delivery reports the number of waiting records. */
  async function reportPending(): Promise<void> {
    try {
      const info = await link.manager.consumers.info(stream, name);
      if (!closed && open === 0) options.onStall?.(info.num_pending);
    } catch (error) {
      // Any other error means that no answer came; the next heartbeat repeats the call.
      if (error instanceof JetStreamApiError && open === 0) broken(error.message);
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
    cancelPause();
    subscription.unsubscribe();
    // If this does not arrive the broker drops the consumer after its `inactive_threshold`.
    if (!durable && link.up) link.manager.consumers.delete(stream, name).catch(() => {});
  }

  watch();
  return { pending: made.num_pending, pull, close };
}

/**
 * What a status message says about a request. `over`: it is used up or has expired. `too_big`: the next record needs
 * more bytes than it allowed. `broken`: the consumer has failed.
 */
function statusOf(code: number, description: string): 'idle' | 'over' | 'too_big' | 'broken' {
  if (code === 100) return 'idle';
  if (code === 408 || code === 404) return 'over';
  if (code === 409 && /MaxBytes/i.test(description)) return 'too_big';
  return code === 409 && /Batch Completed/i.test(description) ? 'over' : 'broken';
}

/**
 * Reads `$JS.ACK.[<domain>.<account>.]<stream>.<consumer>.<times>.<stream seq>.<consumer
 * seq>.<nanos>.<pending>[.<token>]`. Nanoseconds exceed the integers of a number, so the last six digits are removed
 * from the text.
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
