import { sleep, within } from '../../../core/kernel/clock.ts';
import type { Cancel, Clock } from '../../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from './limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import { appendRecord } from './append.ts';
import { boundsOf, countBySubject, countSubjects, describeStream, getMessage, untilAnswered } from './api.ts';
import { openBucket } from './bucket.ts';
import { BrokerUnfit, checkServer, ensureStreams } from './ensure.ts';
import {
  existingStreams,
  reshapeStreams,
  type ExistingStream,
  type ReshapeOptions,
  type StreamShape,
} from './stream-shape.ts';
import type { BrokerAccess } from './access.ts';
import { openLink } from './link.ts';
import type { Link } from './link.ts';
import { openReader } from './consumers/reader.ts';
import { keepUp } from './upkeep.ts';
import { openWork } from './consumers/work.ts';
import { STREAMS } from '../stream-definitions.ts';
import type { Log } from '../log.ts';

export interface JetStreamOptions {
  /** `nats://[token@ or user:password@]host:port`, or several joined by commas. */
  url: string;
  /** Credentials and TLS; they override those of `url`. */
  access?: BrokerAccess;
  /** Brokers that store each record of the streams that are made: 1 on a single node, 3 in a cluster. */
  replicas: number;
  /** Maximum size of FACTS in bytes if it is made. */
  factsMaxBytes?: number;
  logger: Logger;
  clock: Clock;
  /** How long to wait for the broker at the start. */
  patienceMs?: number;
  /** Use streams and buckets as they are: for tools and threads beside the service that makes them. */
  asFound?: boolean;
}

/** The log over JetStream. */
export interface JetStreamLog extends Log {
  /**
   * Makes or updates streams and buckets. Runs at the start, after every reconnect and every minute.
   * @param least from now on existing streams get at least this shape; before, they keep their own
   */
  ensure(least?: StreamShape): Promise<void>;
  /** The streams as the broker holds them. */
  held(): Promise<ExistingStream[]>;
  /** Gives every stream the given parts of a shape, with `lower` also less than it has; for operators only. */
  reshape(shape: Partial<StreamShape>, options: ReshapeOptions): Promise<void>;
  /**
   * Streams that gave no answer to the last appends, two or more, for at least `ms`, although the broker is connected.
   */
  unansweredFor(ms: number): string[];
  /** All such streams, and for how long, in milliseconds. */
  silences(): ReadonlyMap<string, number>;
  /** Whether the broker answers a ping within `timeoutMs`. */
  ping(timeoutMs: number): Promise<boolean>;
}

/**
 * Connects to NATS, makes the streams, and keeps the connection until `close`. Throws when no broker answers in time,
 * when it refuses the credentials, when it is older than 2.12, when JetStream is off, or when a stream cannot be made
 * as defined.
 */
export async function connectJetStream(options: JetStreamOptions): Promise<JetStreamLog> {
  const { clock, logger } = options;
  const patienceMs = options.patienceMs ?? JETSTREAM_LIMITS.logPatienceMs;
  const { url, access = {} } = options;
  const link = await openLink({ url, access, clock, logger, patienceMs });
  const { replicas, factsMaxBytes = STREAMS.FACTS.maxBytes } = options;
  let least: StreamShape | undefined;
  const onRaised = (stream: string): void => logger.warn({ stream, ...least }, STREAM_RAISED);
  const ensure = (): Promise<void> =>
    options.asFound === true
      ? checkServer(link)
      : ensureStreams(link, clock, { made: { replicas, factsMaxBytes }, least: () => least, onRaised });
  try {
    await ensureFirst(clock, patienceMs, ensure);
  } catch (error) {
    await link.close();
    throw error;
  }
  const upkeep = keepEnsured(link, clock, logger, ensure);

  return {
    append: (subject, data, append) => appendRecord(link, clock, subject, data, append),
    read: (stream, read) => openReader(link, clock, logger, stream, read),
    last: (stream, subject) => getMessage(link, clock, stream, { last_by_subj: subject }),
    next: (stream, subject, sequence) => getMessage(link, clock, stream, { seq: sequence, next_by_subj: subject }),
    info: async (stream) => boundsOf(await describeStream(link, clock, stream)),
    countSubjects: (stream, subject) => countSubjects(link, clock, stream, subject),
    countBySubject: (stream, subject) => countBySubject(link, clock, stream, subject),
    async purgeBelow(stream, sequence) {
      await untilAnswered(link, clock, ({ streams }) => streams.purge(stream, { seq: sequence }));
    },
    work: (stream, work) => openWork(link, clock, logger, stream, work),
    bucket: (name) => openBucket(link, clock, logger, name),
    publish: (subject, data) => link.send(subject, data),
    subscribe(subject, onMessage, group) {
      const subscription = link.subscribe(subject, (message) => onMessage(message.data, message.subject), group);
      return () => subscription.unsubscribe();
    },
    get connected() {
      return link.up;
    },
    ensure(shape) {
      least = shape ?? least;
      return ensure().catch((error: unknown) => {
        upkeep.again();
        throw error;
      });
    },
    held: () => existingStreams(link, clock),
    reshape: (shape, reshapeOptions) => reshapeStreams(link, clock, shape, reshapeOptions),
    unansweredFor: (ms) =>
      [...link.unanswered.streams()].flatMap(([stream, silentMs]) => (silentMs >= ms ? stream : [])),
    silences: () => link.unanswered.streams(),
    ping: (timeoutMs) => link.ping(timeoutMs),
    close() {
      upkeep.stop();
      return link.close();
    },
  };
}

const STREAM_RAISED =
  'a stream had fewer replicas or a smaller size than the deployment and was raised; another program ' +
  'may have lowered it';

/** Repeats while nodes of a cluster are still starting. */
async function ensureFirst(clock: Clock, patienceMs: number, ensure: () => Promise<void>): Promise<void> {
  const untilMs = clock.monotonicMs() + patienceMs;
  for (;;) {
    try {
      const done = await within(
        clock,
        patienceMs,
        ensure().then(() => true),
      );
      if (done === true) return;
      throw new BrokerUnfit('JetStream does not answer; in a cluster, most nodes must be up');
    } catch (error) {
      const mayPass = error instanceof BrokerUnfit && error.mayPass;
      if (!mayPass || clock.monotonicMs() >= untilMs) throw error;
      await sleep(clock, JETSTREAM_LIMITS.logRetryMaxMs);
    }
  }
}

/**
 * Ensures the streams again after every reconnect, because a single nats-server loses streams in memory when it
 * restarts; on `again`; and every minute, because another program may have lowered them. After a
 * reconnect the link is already up: appends to a missing stream are repeated until it exists.
 */
function keepEnsured(
  link: Link,
  clock: Clock,
  logger: Logger,
  ensure: () => Promise<void>,
): { again: () => void; stop: Cancel } {
  let missing = false;
  const upkeep = keepUp({
    link,
    clock,
    logger,
    what: 'the set-up of streams',
    missing: () => missing,
    async attempt() {
      missing = false;
      try {
        await ensure();
        return true;
      } catch (error) {
        if (link.closed) return true;
        logger.error({ err: error }, 'the streams are not as defined; trying again');
        missing = true;
        return false;
      }
    },
    letGo() {
      missing = true;
    },
  });
  const again = (): void => {
    missing = true;
    upkeep.again();
  };
  let cancel: Cancel = () => {};
  const checkLater = (): void => {
    cancel = clock.timer(JETSTREAM_LIMITS.logStreamCheckMs, () => {
      again();
      checkLater();
    });
  };
  checkLater();
  return { again, stop: () => cancel() };
}
