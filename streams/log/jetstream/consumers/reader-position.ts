import type { StreamName } from '../../../../core/vocabulary/stream-name.ts';
import type { Clock } from '../../../../core/kernel/clock.ts';
import { isSameRecord } from '../../log.ts';
import type { LogRecord, ReadOptions, StreamBounds } from '../../log.ts';
import { boundsOf, getMessage } from '../api.ts';
import type { Link } from '../link.ts';
import type { StreamDescription } from '../manager.ts';

/**
 * Where a reader is in one incarnation of a stream.
 *
 * After a restart (kill -9 of a single nats-server 2.15.1, memory storage) the stream is gone; the first client that
 * reconnects makes it again with another creation time and sequences from 1. In a cluster it can come back empty with
 * its old creation time; then the last record seen is missing or has another time.
 */
export interface ReaderPosition {
  /** The lowest sequence that may hold a record that the reader does not have; `undefined` until `learn`. */
  readonly next: number | undefined;
  /** Compares the stream with its earlier description. Resolves to whether the position is lost. */
  learn(description: StreamDescription): Promise<boolean>;
  /** Whether these bounds are of another incarnation or no longer include `next`. */
  isOutside(bounds: StreamBounds): boolean;
  /** The reader has every record up to this stored one. */
  passed(record: Anchor): void;
}

type Anchor = Pick<LogRecord, 'sequence' | 'storedAtMs'>;

export function createReaderPosition(
  link: Link,
  clock: Clock,
  stream: StreamName,
  options: Pick<ReadOptions, 'from' | 'after'>,
): ReaderPosition {
  let next = options.from === 'new' ? undefined : options.from;
  let created: string | undefined;
  /** A record stored in this incarnation, to recognise the incarnation again. */
  let anchor: Anchor | undefined;
  /** The record before `from`, until the stream was compared with it. */
  let unproven = options.after;

  /** Whether the stream holds another record where it held `unproven`. */
  async function isReplaced({ firstSequence }: StreamBounds): Promise<boolean> {
    const before = unproven;
    if (before === undefined) return false;
    if (before.sequence >= firstSequence) {
      const found = await getMessage(link, clock, stream, { seq: before.sequence });
      if (found !== undefined && !isSameRecord(found, before)) return true;
    }
    unproven = undefined;
    return false;
  }

  function isOutside({ created: now, firstSequence }: StreamBounds): boolean {
    return now !== created || firstSequence > (next ?? 0);
  }

  return {
    get next() {
      return next;
    },
    async learn(description) {
      const bounds = boundsOf(description);
      created ??= bounds.created;
      next ??= bounds.lastSequence + 1;
      if (isOutside(bounds) || next > bounds.lastSequence + 1 || (await isReplaced(bounds))) return true;
      if (anchor === undefined) {
        const { messages, last_ts: lastTime } = description.state;
        if (messages > 0) anchor = { sequence: bounds.lastSequence, storedAtMs: Date.parse(lastTime) };
        return false;
      }
      if (anchor.sequence > bounds.lastSequence) return true;
      if (anchor.sequence < bounds.firstSequence) return false;
      const again = await getMessage(link, clock, stream, { seq: anchor.sequence });
      return again !== undefined && again.storedAtMs !== anchor.storedAtMs;
    },
    isOutside,
    passed({ sequence, storedAtMs }) {
      next = Math.max(next ?? 0, sequence + 1);
      anchor = { sequence, storedAtMs };
    },
  };
}
