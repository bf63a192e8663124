import { systemClock } from '../../core/kernel/clock.ts';
import { decodeCommit, encodeCommit } from '../../core/codec/codec.ts';
import { connectJetStream } from '../../streams/log/jetstream/log-jetstream.ts';
import { silentLogger } from '../support/in-memory/silent-logger.ts';

/** Measures FACTS of a running service from its broker: what is appended, held and trimmed. */
export interface FactsMeter {
  /** Bytes of all records so far, trimmed ones included, about as the broker counts them. */
  readonly appendedBytes: number;
  /** Of them bytes of snapshots and marks. */
  readonly ownBytes: number;
  /** The most bytes that FACTS held at once, and its size. */
  readonly mostBytes: number;
  readonly maxBytes: number;
  /** Times that its first record moved. */
  readonly trims: number;
  readonly lastSequence: number;
  stop(): Promise<void>;
}

/** Subject, headers and checksum of a record. */
const RECORD_OVERHEAD_BYTES = 90;
const POLL_MS = 100;

export async function meterFacts(natsUrl: string): Promise<FactsMeter> {
  const log = await connectJetStream({
    url: natsUrl,
    replicas: 1,
    logger: silentLogger,
    clock: systemClock,
    asFound: true,
  });
  let appendedBytes = 0;
  let ownBytes = 0;
  let [mostBytes, maxBytes, trims, first, lastSequence] = [0, 0, 0, 0, 0];
  const reader = log.read('FACTS', {
    from: 1,
    onWaiting() {
      for (const { data, sequence } of reader.take()) {
        appendedBytes += data.length + RECORD_OVERHEAD_BYTES;
        lastSequence = sequence;
        const commit = decodeCommit(data);
        const others = commit.facts.filter(({ kind }) => kind !== 'EntitySnapshot' && kind !== 'SnapshotMark');
        if (others.length === commit.facts.length) continue;
        ownBytes += data.length - encodeCommit({ ...commit, facts: others }).length;
      }
    },
  });
  async function poll(): Promise<void> {
    const bounds = await log.info('FACTS');
    if (bounds.firstSequence > first && first > 0) trims += 1;
    first = bounds.firstSequence;
    mostBytes = Math.max(mostBytes, bounds.sizeBytes);
    ({ maxBytes } = bounds);
  }
  await poll();
  // A failed poll means that the log is being closed.
  const timer = setInterval(() => void poll().catch(() => {}), POLL_MS);
  return {
    get appendedBytes() {
      return appendedBytes;
    },
    get ownBytes() {
      return ownBytes;
    },
    get mostBytes() {
      return mostBytes;
    },
    get maxBytes() {
      return maxBytes;
    },
    get trims() {
      return trims;
    },
    get lastSequence() {
      return lastSequence;
    },
    async stop() {
      clearInterval(timer);
      reader.stop();
      await log.close();
    },
  };
}
