import type { StreamName } from '../../../../core/vocabulary/stream-name.ts';
import { nuid } from '@nats-io/transport-node';
import type { Clock } from '../../../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from '../limits.ts';
import { LOG_LIMITS } from '../../limits.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import { STREAMS } from '../../stream-definitions.ts';
import type { LogRecord, Reader, ReadOptions } from '../../log.ts';
import { createReaderInbox } from '../../reader-inbox.ts';
import { boundsOf, describeStream } from '../api.ts';
import { openCursor } from './cursor.ts';
import type { Cursor, Delivery } from './cursor.ts';
import { createDeliveries } from './deliveries.ts';
import { createReaderPosition } from './reader-position.ts';
import type { Link } from '../link.ts';
import type { ConsumerOptions } from '../manager.ts';
import { keepUp } from '../upkeep.ts';

/**
 * An ordered reader: a short-lived consumer (`cursor`) that is created again from `position.next` on after every
 * failure.
 *
 * States: establishing → running → (cursor breaks) → establishing …; ended, by `stop` or by `reset`.
 *
 * Invariants
 * 1. A cursor is used only after the stream was described *after* the cursor was made. So the description is of the
 *    incarnation that the cursor reads, or of a later one, which ends the reader.
 * 2. Nothing is skipped silently: a gap in the sequences is accepted only if nothing can have been trimmed there
 *    (`deliveries`). Otherwise the record is held back until a new description shows that the stream still holds
 *    `position.next`.
 */
export function openReader(link: Link, clock: Clock, logger: Logger, stream: StreamName, options: ReadOptions): Reader {
  const position = createReaderPosition(link, clock, stream, options);
  const deliveries = createDeliveries(clock, STREAMS[stream].maxAgeMs);
  const inbox = createReaderInbox({
    onWaiting: options.onWaiting,
    onEnd() {
      letGo();
      upkeep.stop();
    },
  });
  let cursor: Cursor | undefined;
  let pendingAtBroker = 0;
  let doubted: Array<{ record: LogRecord; pending: number }> = [];
  /** The stream's last record when it was idle, and the heartbeats since. */
  let probe: { sequence: number; storedAtMs: number; idles: number } | undefined;

  function letGo(): void {
    cursor?.close();
    cursor = undefined;
    doubted = [];
    probe = undefined;
    deliveries.restart();
  }

  async function attempt(): Promise<boolean> {
    if (position.next === undefined) await position.learn(await describeStream(link, clock, stream));
    const opened = await openCursor(link, clock, {
      stream,
      name: `reader-${nuid.next()}`,
      config: consumerConfig(position.next ?? 1, options.subjects),
      ordered: true,
      gatherMs: options.gatherMs,
      free: () => ({
        records: LOG_LIMITS.readerBufferRecords - inbox.length - doubted.length,
        bytes: LOG_LIMITS.readerBufferBytes - inbox.bytes,
      }),
      onDelivery,
      onIdle,
      onStall: (pending) => {
        deliveries.stalled();
        if (pending !== undefined) pendingAtBroker = pending;
      },
      onBroken: reopen,
    });
    if ('failed' in opened) {
      logger.warn({ stream, why: opened.failed }, 'a reader cannot be opened');
      return false;
    }
    try {
      const lost = await position.learn(await describeStream(link, clock, stream));
      if (lost) inbox.end('reset');
      if (inbox.ended !== undefined || !link.up) return true;
      cursor = opened;
    } finally {
      if (cursor !== opened) opened.close();
    }
    pendingAtBroker = opened.pending;
    inbox.start();
    opened.pull();
    return true;
  }

  function reopen(why: unknown): void {
    if (inbox.ended !== undefined || link.closed) return;
    logger.debug({ stream, why }, 'a reader makes its consumer again');
    letGo();
    upkeep.again();
  }

  function onDelivery({ record, pending }: Delivery): void {
    if (inbox.ended !== undefined) return;
    const isGap = position.next !== undefined && record.sequence > position.next;
    if (doubted.length === 0 && !(isGap && deliveries.mayHaveLost)) {
      accept(record, pending);
      return;
    }
    doubted.push({ record, pending });
    if (doubted.length === 1) void verify().catch(reopen);
  }

  async function verify(): Promise<void> {
    const mine = cursor;
    for (;;) {
      const count = doubted.length;
      const bounds = boundsOf(await describeStream(link, clock, stream));
      if (cursor !== mine || inbox.ended !== undefined) return;
      if (position.isOutside(bounds)) {
        inbox.end('reset');
        return;
      }
      for (const { record, pending } of doubted.splice(0, count)) accept(record, pending);
      if (doubted.length === 0) return;
    }
  }

  function accept(record: LogRecord, pending: number): void {
    position.passed(record);
    pendingAtBroker = pending;
    probe = undefined;
    deliveries.reported(pending);
    inbox.add(record);
  }

  /**
   * Idle: every record stored a while ago was delivered. So the position moves to the stream's last sequence of two
   * heartbeats ago, and an idle reader keeps up with records of other subjects.
   */
  function onIdle(): void {
    pendingAtBroker = 0;
    deliveries.reported(0);
    if (options.subjects === undefined) return;
    if (probe === undefined) {
      void probeEnd().catch(reopen);
      return;
    }
    probe.idles += 1;
    if (probe.idles < 2) return;
    position.passed(probe);
    probe = undefined;
  }

  async function probeEnd(): Promise<void> {
    const mine = cursor;
    const deliveredTo = position.next;
    const { state } = await describeStream(link, clock, stream);
    if (cursor !== mine || position.next !== deliveredTo || state.messages === 0) return;
    probe = { sequence: state.last_seq, storedAtMs: Date.parse(state.last_ts), idles: 0 };
  }

  const upkeep = keepUp({
    link,
    clock,
    logger,
    what: `a reader of ${stream}`,
    missing: () => inbox.ended === undefined && cursor === undefined,
    attempt,
    letGo,
  });
  return {
    take(maxRecords, maxBytes) {
      const taken = inbox.take(maxRecords, maxBytes);
      if (taken.length > 0) cursor?.pull();
      return taken;
    },
    started: inbox.started,
    get ended() {
      return inbox.ended;
    },
    get pending() {
      return inbox.length + doubted.length + pendingAtBroker;
    },
    stop: () => inbox.end('stopped'),
  };
}

/** A consumer in memory, which the broker drops after `inactive_threshold` without requests. */
function consumerConfig(from: number, subjects: readonly string[] | undefined): ConsumerOptions {
  return {
    deliver_policy: 'by_start_sequence',
    opt_start_seq: from,
    ack_policy: 'none',
    mem_storage: true,
    num_replicas: 1,
    inactive_threshold: JETSTREAM_LIMITS.readerInactiveMs * 1_000_000,
    ...(subjects === undefined ? {} : { filter_subjects: [...subjects] }),
  };
}
