import { nuid } from '@nats-io/transport-node';
import type { Clock } from '../../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from './limits.ts';
import { LOG_LIMITS } from '../limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { BucketName } from '../stream-definitions.ts';
import type { Bucket, BucketEntry, BucketOutcome, Stop } from '../log.ts';
import { describeStream, getMessage } from './api.ts';
import { createWholeStates } from '../whole-states.ts';
import { appendRecord } from './append.ts';
import { openCursor } from './consumers/cursor.ts';
import type { Cursor, Delivery } from './consumers/cursor.ts';
import { bucketStream } from './stream-shape.ts';
import type { Link } from './link.ts';
import type { ConsumerOptions } from './manager.ts';
import { keepUp } from './upkeep.ts';

/** How JetStream's key-value buckets mark a deleted key: `DEL`, or `PURGE` by other tools. */
const OPERATION = 'KV-Operation';

/**
 * A bucket in JetStream's key-value format, which any NATS tool can read: a stream that holds the last record of each
 * subject. Compare-and-set is a fenced append; a deletion is a record with a header.
 */
export function openBucket(link: Link, clock: Clock, logger: Logger, name: BucketName): Bucket {
  const stream = bucketStream(name);
  const prefix = `$KV.${name}.`;

  async function write(key: string, value: Uint8Array, revision?: number, operation?: string): Promise<BucketOutcome> {
    const outcome = await appendRecord(link, clock, prefix + key, value, {
      ...(revision === undefined ? {} : { expectedLastSequence: revision }),
      ...(operation === undefined ? {} : { headers: { [OPERATION]: operation } }),
    });
    switch (outcome.kind) {
      case 'acked':
        return { kind: 'written', revision: outcome.sequence };
      case 'fenced':
        return { kind: 'conflict' };
      case 'refused':
      case 'unknown':
        return { kind: 'unknown', message: outcome.message };
    }
  }

  const stored = (key: string) => getMessage(link, clock, stream, { last_by_subj: prefix + key });

  return {
    latest: async () => (await stored('>'))?.sequence ?? 0,
    async get(key) {
      const message = await stored(key);
      if (message === undefined || message.header(OPERATION) !== '') return undefined;
      return { key, value: message.data, revision: message.sequence, storedAtMs: message.storedAtMs };
    },
    async put(key, value, revision) {
      const outcome = await write(key, value, revision);
      if (revision !== 0 || outcome.kind !== 'conflict') return outcome;
      // A deleted key counts as absent: then the revision of its marker must not have changed.
      const message = await stored(key);
      if (message === undefined || message.header(OPERATION) === '') return outcome;
      return await write(key, value, message.sequence);
    },
    delete: (key, revision, left = new Uint8Array()) => write(key, left, revision, 'DEL'),
    watch: ({ onEntry, onCurrent }) => watchBucket(link, clock, logger, name, onEntry, onCurrent),
  };
}

/**
 * The first cursor delivers the last record of every key; later ones continue after the last revision seen. A bucket
 * that was created anew is delivered from its beginning.
 */
function watchBucket(
  link: Link,
  clock: Clock,
  logger: Logger,
  name: BucketName,
  onEntry: (entry: BucketEntry) => void,
  onCurrent: () => void,
): Stop {
  const stream = bucketStream(name);
  const prefix = `$KV.${name}.`;
  let stopped = false;
  let current = false;
  const states = createWholeStates(onEntry);
  let created: string | undefined;
  let cursor: Cursor | undefined;

  function deliver({ record, pending, message }: Delivery): void {
    if (stopped) return;
    const operation = message.headers?.get(OPERATION) ?? '';
    const entry = {
      key: record.subject.slice(prefix.length),
      ...(operation === '' ? { value: record.data } : { value: undefined, left: record.data }),
      revision: record.sequence,
      storedAtMs: record.storedAtMs,
    };
    states.add(entry, pending);
    if (pending === 0) becomeCurrent();
  }

  function becomeCurrent(): void {
    if (current || stopped) return;
    current = true;
    onCurrent();
  }

  async function attempt(): Promise<boolean> {
    const opened = await openCursor(link, clock, {
      stream,
      name: `watch-${nuid.next()}`,
      config: consumerConfig(states.seen),
      ordered: true,
      free: () => ({ records: LOG_LIMITS.readerBufferRecords, bytes: LOG_LIMITS.readerBufferBytes }),
      onDelivery: deliver,
      onBroken: (why) => {
        logger.debug({ bucket: name, why }, 'a watch continues after the last revision it saw');
        cursor = undefined;
        upkeep.again();
      },
    });
    if ('failed' in opened) {
      logger.warn({ bucket: name, why: opened.failed }, 'a watch cannot be opened');
      return false;
    }
    const description = await describeStream(link, clock, stream);
    created ??= description.created;
    if (stopped || !link.up) {
      opened.close();
      return true;
    }
    if (description.created !== created) {
      opened.close();
      created = description.created;
      states.reset();
      return false;
    }
    cursor = opened;
    opened.pull();
    if (opened.pending === 0) {
      states.flush();
      becomeCurrent();
    }
    return true;
  }

  function letGo(): void {
    cursor?.close();
    cursor = undefined;
  }

  const upkeep = keepUp({
    link,
    clock,
    logger,
    what: `a watch of ${name}`,
    missing: () => !stopped && cursor === undefined,
    attempt,
    letGo,
  });
  return () => {
    stopped = true;
    upkeep.stop();
    letGo();
  };
}

function consumerConfig(seen: number): ConsumerOptions {
  return {
    ...(seen === 0
      ? { deliver_policy: 'last_per_subject', filter_subject: '$KV.>' }
      : { deliver_policy: 'by_start_sequence', opt_start_seq: seen + 1 }),
    ack_policy: 'none',
    mem_storage: true,
    num_replicas: 1,
    inactive_threshold: JETSTREAM_LIMITS.readerInactiveMs * 1_000_000,
  };
}
