import type { StreamName } from '../../../../core/vocabulary/stream-name.ts';
import { nuid } from '@nats-io/transport-node';
import type { Clock } from '../../../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from '../limits.ts';
import { LOG_LIMITS } from '../../limits.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import { STREAMS } from '../../stream-definitions.ts';
import { isSameRecord } from '../../log.ts';
import type { LogRecord, Reader, ReadOptions } from '../../log.ts';
import { boundsOf, describeStream, getMessage } from '../api.ts';
import { openCursor } from './cursor.ts';
import type { Cursor, Delivery } from './cursor.ts';
import type { Link } from '../link.ts';
import type { ConsumerOptions, StreamDescription } from '../manager.ts';
import { keepUp } from '../upkeep.ts';

/**
 * An ordered reader: a short-lived consumer (`cursor`) that is created again from `next` on after every failure.
 *
 * States: establishing → running → (cursor breaks) → establishing …; ended, by `stop` or by `reset`.
 *
 * Invariants
 * 1. `next` is the lowest sequence that may hold a record that the caller has not got.
 * 2. A cursor is used only after the stream was described *after* the cursor was made. So the description is of the
 *    incarnation that the cursor reads, or of a later one, which ends the reader.
 * 3. Nothing is skipped silently. A cursor skips records that were trimmed below its position without a sign, so a gap
 *    in the sequences is accepted only if nothing can have been trimmed there (`mayHaveLost`). Otherwise the record is
 *    held back until a new description shows that the stream still holds `next`.
 *
 * After a restart (kill -9 of a single nats-server 2.15.1, memory storage) the stream is gone; the first client that
 * reconnects makes it again with another creation time and sequences from 1. In a cluster it can come back empty with
 * its old creation time; then the last record seen is missing or has another time.
 */
export function openReader(link: Link, clock: Clock, logger: Logger, stream: StreamName, options: ReadOptions): Reader {
  const definition = STREAMS[stream];
  const buffer: LogRecord[] = [];
  let bufferBytes = 0;
  let ended: Reader['ended'];
  let cursor: Cursor | undefined;
  let next: number | undefined = options.from === 'new' ? undefined : options.from;
  let created: string | undefined;
  /** A record stored in this incarnation, to recognise the incarnation again. */
  let anchor: { sequence: number; storedAtMs: number } | undefined;
  /** The record before `from`, until the stream was compared with it. */
  let unproven = options.after;
  let pendingAtBroker = 0;
  /** When every stored record was delivered, by the monotonic clock; and whether deliveries kept up since. */
  let caughtUpMs: number | undefined;
  let servedSince = false;
  let doubted: Array<{ record: LogRecord; pending: number }> = [];
  let probe: { sequence: number; storedAtMs: number; idles: number } | undefined;
  let wakeQueued = false;
  let resolveStarted: () => void = () => {};
  const started = new Promise<void>((resolve) => {
    resolveStarted = resolve;
  });

  function wake(): void {
    if (wakeQueued) return;
    wakeQueued = true;
    queueMicrotask(() => {
      wakeQueued = false;
      if (ended !== 'stopped') options.onWaiting();
    });
  }

  function end(why: 'stopped' | 'reset'): void {
    if (ended !== undefined) return;
    ended = why;
    letGo();
    upkeep.stop();
    resolveStarted();
    if (why === 'reset') wake();
    else buffer.length = 0;
  }

  function letGo(): void {
    cursor?.close();
    cursor = undefined;
    doubted = [];
    probe = undefined;
    servedSince = false;
    caughtUpMs = undefined;
  }

  async function attempt(): Promise<boolean> {
    if (next === undefined) await learn(await describeStream(link, clock, stream));
    const opened = await openCursor(link, clock, {
      stream,
      name: `reader-${nuid.next()}`,
      config: consumerConfig(next ?? 1, options.subjects),
      ordered: true,
      gatherMs: options.gatherMs,
      free: () => ({
        records: LOG_LIMITS.readerBufferRecords - buffer.length - doubted.length,
        bytes: LOG_LIMITS.readerBufferBytes - bufferBytes,
      }),
      onDelivery,
      onIdle,
      onStall: (pending) => {
        servedSince = false;
        if (pending !== undefined) pendingAtBroker = pending;
      },
      onBroken: reopen,
    });
    if ('failed' in opened) {
      logger.warn({ stream, why: opened.failed }, 'a reader cannot be opened');
      return false;
    }
    try {
      const lost = await learn(await describeStream(link, clock, stream));
      if (lost) end('reset');
      if (ended !== undefined || !link.up) return true;
      cursor = opened;
    } finally {
      if (cursor !== opened) opened.close();
    }
    pendingAtBroker = opened.pending;
    resolveStarted();
    opened.pull();
    return true;
  }

  function reopen(why: unknown): void {
    if (ended !== undefined || link.closed) return;
    logger.debug({ stream, why }, 'a reader makes its consumer again');
    letGo();
    upkeep.again();
  }

  /** Compares the stream with its earlier description. Resolves to whether this reader's position is lost. */
  async function learn(description: StreamDescription): Promise<boolean> {
    const bounds = boundsOf(description);
    created ??= bounds.created;
    next ??= bounds.lastSequence + 1;
    if (bounds.created !== created || next < bounds.firstSequence || next > bounds.lastSequence + 1) return true;
    if (unproven !== undefined) {
      const before = unproven;
      if (before.sequence >= bounds.firstSequence) {
        const found = await getMessage(link, clock, stream, { seq: before.sequence });
        if (found !== undefined && !isSameRecord(found, before)) return true;
      }
      unproven = undefined;
    }
    if (anchor === undefined) {
      if (description.state.messages > 0) {
        anchor = { sequence: bounds.lastSequence, storedAtMs: Date.parse(description.state.last_ts) };
      }
      return false;
    }
    if (anchor.sequence > bounds.lastSequence) return true;
    if (anchor.sequence < bounds.firstSequence) return false;
    const again = await getMessage(link, clock, stream, { seq: anchor.sequence });
    return again !== undefined && again.storedAtMs !== anchor.storedAtMs;
  }

  function onDelivery({ record, pending }: Delivery): void {
    if (ended !== undefined) return;
    if (doubted.length > 0 || mayHaveLost(record)) {
      doubted.push({ record, pending });
      if (doubted.length === 1) void verify().catch(reopen);
    } else {
      accept(record, pending);
      if (doubted.length === 0) return;
    }
  }

  /**
   * Whether records between `next` and this one may have been trimmed before their delivery. Not if deliveries have
   * kept up since every stored record was delivered: then those between have other subjects. In a stream whose records
   * expire (REQUESTS) it suffices that this moment is younger than their age.
   */
  function mayHaveLost(record: LogRecord): boolean {
    if (next === undefined || record.sequence <= next) return false;
    if (caughtUpMs === undefined) return true;
    if (definition.maxAgeMs > 0) return clock.monotonicMs() - caughtUpMs > definition.maxAgeMs / 2;
    return !servedSince;
  }

  async function verify(): Promise<void> {
    const mine = cursor;
    for (;;) {
      const count = doubted.length;
      const bounds = boundsOf(await describeStream(link, clock, stream));
      if (cursor !== mine || ended !== undefined) return;
      if (bounds.created !== created || bounds.firstSequence > (next ?? 0)) {
        end('reset');
        return;
      }
      for (const { record, pending } of doubted.splice(0, count)) accept(record, pending);
      if (doubted.length === 0) return;
    }
  }

  function accept(record: LogRecord, pending: number): void {
    buffer.push(record);
    bufferBytes += record.data.length;
    next = Math.max(next ?? 0, record.sequence + 1);
    anchor = { sequence: record.sequence, storedAtMs: record.storedAtMs };
    pendingAtBroker = pending;
    probe = undefined;
    servedSince = pending === 0;
    if (pending === 0) caughtUpMs = clock.monotonicMs();
    wake();
  }

  /**
   * Idle: every record stored a while ago was delivered. So `next` moves to the stream's last sequence of two
   * heartbeats ago, and an idle reader keeps up with records of other subjects.
   */
  function onIdle(): void {
    pendingAtBroker = 0;
    caughtUpMs = clock.monotonicMs();
    servedSince = true;
    if (options.subjects === undefined) return;
    if (probe === undefined) {
      void probeEnd().catch(reopen);
      return;
    }
    probe.idles += 1;
    if (probe.idles < 2) return;
    next = Math.max(next ?? 0, probe.sequence + 1);
    anchor = { sequence: probe.sequence, storedAtMs: probe.storedAtMs };
    probe = undefined;
  }

  async function probeEnd(): Promise<void> {
    const mine = cursor;
    const deliveredTo = next;
    const { state } = await describeStream(link, clock, stream);
    if (cursor !== mine || next !== deliveredTo || state.messages === 0) return;
    probe = { sequence: state.last_seq, storedAtMs: Date.parse(state.last_ts), idles: 0 };
  }

  function take(maxRecords = Infinity, maxBytes = Infinity): LogRecord[] {
    let count = 0;
    let takenBytes = 0;
    for (const { data } of buffer) {
      if (count >= maxRecords || (count > 0 && takenBytes + data.length > maxBytes)) break;
      count += 1;
      takenBytes += data.length;
    }
    const taken = buffer.splice(0, count);
    bufferBytes -= takenBytes;
    if (count > 0) cursor?.pull();
    return taken;
  }

  const upkeep = keepUp({
    link,
    clock,
    logger,
    what: `a reader of ${stream}`,
    missing: () => ended === undefined && cursor === undefined,
    attempt,
    letGo,
  });
  return {
    take,
    started,
    get ended() {
      return ended;
    },
    get pending() {
      return buffer.length + doubted.length + pendingAtBroker;
    },
    stop: () => end('stopped'),
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
