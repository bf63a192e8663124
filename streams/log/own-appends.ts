import type { Cancel, Clock } from '../../core/kernel/clock.ts';
import type { Adjustable } from '../../core/kernel/adjustable.ts';
import { LOG_LIMITS } from './limits.ts';
import type { Log, LogRecord, Stop } from './log.ts';
import { overrideLog } from './override-log.ts';

/** Gets a stream's records without reading the log. */
export interface HandOver {
  /** Records without a gap between two calls of `onRecords`, unless `onGap` came between them. */
  subscribe(listener: HandOverListener): Stop;
}

export interface HandOverListener {
  onRecords: (records: readonly LogRecord[]) => void;
  /** What follows must be read from the log. */
  onGap: () => void;
}

export interface OwnAppendsOptions {
  clock: Clock;
  /** Whether this process alone appends to the stream, as far as it knows. */
  isAlone: () => boolean;
  limits?: Adjustable<typeof LOG_LIMITS, 'aloneMs'>;
}

/** How long an acknowledgement may come after that of a later record. */
const LATE_ACK_MS = 20;
/** Records that may wait for such an acknowledgement: one of each partition and the next ones. */
const MOST_HELD = 256;

/**
 * Hands over what this process appended to a stream, in the order of the log. Each record was acknowledged, so it is
 * durable, and a sequence follows the one before it: so between two records the stream holds no other.
 *
 * States: silent, while others may append too; handing over, once this process alone has appended for
 * `aloneMs`. Records are handed over one turn of the event loop after their acknowledgement, so that the replies
 * to their commands leave first.
 *
 * Invariants
 * 1. A record is handed over directly after the record with the sequence before it, or after `onGap`.
 * 2. A sequence that is missing for `LATE_ACK_MS` is a gap, as is one that comes again (the stream was created anew).
 * 3. A record of another process at the end of the stream, which leaves no gap yet, is found by `observed`; so is a
 *    stream that lost acknowledged records or was created anew, if no append of this process shows it.
 */
export interface OwnAppends extends HandOver {
  appended(record: LogRecord): void;
  /** Takes the stream's last sequence, which the broker was asked for after the previous call. */
  observed(lastSequence: number): void;
}

export function createOwnAppends({ clock, isAlone, limits = LOG_LIMITS }: OwnAppendsOptions): OwnAppends {
  const listeners = new Set<HandOverListener>();
  /** Acknowledged records behind a sequence that is missing. */
  const held = new Map<number, LogRecord>();
  let next: number | undefined;
  /** The last sequence that had been acknowledged when the broker was last asked for its own. */
  let ackedBefore = 0;
  let aloneSinceMs = clock.monotonicMs();
  let isHanding = false;
  /** To be handed over in the next turn. */
  let ready: LogRecord[] = [];
  let cancelWait: Cancel | undefined;
  let cancelCheck: Cancel = () => {};

  function handOver(records: readonly LogRecord[]): void {
    if (!isAlone()) {
      gap();
      return;
    }
    isHanding ||= clock.monotonicMs() - aloneSinceMs >= limits.aloneMs;
    if (!isHanding) return;
    if (ready.length === 0) clock.timer(0, flush);
    ready.push(...records);
  }

  function flush(): void {
    const records = ready;
    ready = [];
    if (records.length > 0) for (const { onRecords } of listeners) onRecords(records);
  }

  /** One turn later than the timer: after a stall, acknowledgements that wait in the socket are read first. */
  function later(action: () => void): Cancel {
    let cancel = clock.timer(LATE_ACK_MS, () => {
      cancel = clock.timer(1, action);
    });
    return () => cancel();
  }

  function gap(): void {
    aloneSinceMs = clock.monotonicMs();
    if (!isHanding) return;
    isHanding = false;
    ready = [];
    for (const { onGap } of listeners) onGap();
  }

  /** Begins anew with the next record that is appended. */
  function forget(): void {
    gap();
    held.clear();
    cancelWait?.();
    cancelWait = undefined;
    next = undefined;
    ackedBefore = 0;
  }

  /** Hands over the records that follow each other from `next` on. */
  function release(): void {
    const records: LogRecord[] = [];
    for (let record = held.get(next ?? 0); record !== undefined; record = held.get(next ?? 0)) {
      held.delete(record.sequence);
      next = record.sequence + 1;
      records.push(record);
    }
    if (records.length > 0) handOver(records);
    cancelWait?.();
    cancelWait = held.size === 0 ? undefined : later(skip);
  }

  /** Passes over the missing sequences. */
  function skip(): void {
    gap();
    next = Math.min(...held.keys());
    release();
  }

  return {
    appended(record) {
      const { sequence } = record;
      if (!isAlone()) {
        forget();
        return;
      }
      if (next !== undefined && sequence < next) forget();
      next ??= sequence;
      held.set(sequence, record);
      if (sequence === next) release();
      else if (held.size > MOST_HELD) skip();
      else cancelWait ??= later(skip);
    },
    observed(lastSequence) {
      cancelCheck();
      if (lastSequence < ackedBefore) forget();
      ackedBefore = (next ?? 1) - 1;
      cancelCheck = later(() => {
        if (next === undefined || next > lastSequence) return;
        gap();
        if (held.size === 0) next = lastSequence + 1;
      });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The log, with each acknowledged append to subjects that begin with `prefix` passed to `onAppended`. */
export function watchAppends(log: Log, clock: Clock, prefix: string, onAppended: (record: LogRecord) => void): Log {
  return overrideLog(log, {
    async append(subject, data, options) {
      const outcome = await log.append(subject, data, options);
      if (outcome.kind === 'acked' && !outcome.duplicate && subject.startsWith(prefix)) {
        onAppended({ subject, sequence: outcome.sequence, storedAtMs: clock.wallMs(), data });
      }
      return outcome;
    },
  });
}
