import type { StreamName } from '../../../core/vocabulary/stream-name.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import { LOG_LIMITS } from '../limits.ts';
import { BUCKETS, STREAMS } from '../stream-definitions.ts';
import type { BucketName, StreamDefinition } from '../stream-definitions.ts';
import type { AppendOutcome, Log } from '../log.ts';
import { createMemoryBucket, openMemoryBucket } from './bucket.ts';
import type { MemoryBucket } from './bucket.ts';
import { createConnection } from './connection.ts';
import type { ClientClocks, Connection, WhenLed, WriteFault } from './connection.ts';
import { createMessages } from './messages.ts';
import { openMemoryReader } from './reader.ts';
import { createMemoryStream } from './stream.ts';
import type { MemoryStream } from './stream.ts';
import { createWorkQueue } from './work-queue.ts';
import type { WorkQueue } from './work-queue.ts';
import { subjectMatches } from '../subject-match.ts';

/** Readers and watches are consumers, whose leader is another one than that of their stream. */
export type LeaderUse = 'read' | 'consume';

/** A broker in memory, shared by the clients of one test or simulation. */
export interface MemoryBroker {
  /** A new client. Fault hooks get its `name`. With its own clocks it can be paused. */
  connect(name?: string, own?: ClientClocks): MemoryLog;
  /**
   * Empties a stream, as a restart of the broker empties a memory stream: with a single nats-server it is created anew
   * (`new`); in a cluster it may come back empty with its old creation time (`same`).
   */
  wipe(stream: StreamName, creation: 'new' | 'same'): void;
  /** The contents of a stream, for checks of tests. */
  stream(name: StreamName): MemoryStream;
  bucket(name: BucketName): MemoryBucket;
}

/** One client, with faults that a test may inject. */
export interface MemoryLog extends Log {
  /** Breaks the connection. Messages in flight are lost, or still reach the broker. */
  disconnect(underWay?: 'lose' | 'deliver'): void;
  reconnect(): void;
  /** Kills the process: its pending calls never end. Sent messages are lost, or still reach the broker. */
  kill(underWay?: 'lose' | 'deliver'): void;
}

export interface MemoryFaults {
  /** Called for every append when the client sends it. */
  onAppend?: (call: { client: string; stream: StreamName; subject: string; data: Uint8Array }) => WriteFault;
  /** Called for every bucket write when the client sends it. */
  onBucketWrite?: (call: { client: string; bucket: BucketName; key: string }) => WriteFault;
  /**
   * Milliseconds until a stream or bucket, or a client's consumer of it, has a leader; 0: it has one. Reads wait until
   * then, and writes get what `onAppend` and `onBucketWrite` say.
   */
  leaderInMs?: (source: StreamName | BucketName, client: string, use: LeaderUse) => number;
  /** Latency of one message in one direction, milliseconds. A connection keeps its order. */
  latencyMs?: (client: string) => number;
}

export interface MemoryBrokerOptions {
  clock: Clock;
  faults?: MemoryFaults;
  /** Differences from the definitions, such as a small `maxBytes`. */
  streams?: Partial<Record<StreamName, Partial<StreamDefinition>>>;
}

/** Makes an empty broker with every stream and bucket of the definitions. */
export function createMemoryBroker(options: MemoryBrokerOptions): MemoryBroker {
  const { clock, faults = {} } = options;
  const streamNames = Object.keys(STREAMS).filter((name): name is StreamName => name in STREAMS);
  const streams = new Map(
    streamNames.map((name) => [name, createMemoryStream({ ...STREAMS[name], ...options.streams?.[name] }, clock)]),
  );
  const buckets = new Map(BUCKETS.map((name) => [name, createMemoryBucket(clock)]));
  const queues = new Map<string, WorkQueue>();
  const messages = createMessages();
  let clients = 0;

  const streamOf = (name: StreamName) => present(streams.get(name), name);
  const bucketOf = (name: BucketName) => present(buckets.get(name), name);

  function streamFor(subject: string): StreamName {
    const name = streamNames.find((candidate) =>
      STREAMS[candidate].subjects.some((pattern) => subjectMatches(pattern, subject)),
    );
    return present(name, `a stream for ${subject}`);
  }

  function queueOf(stream: StreamName, terms: Parameters<Log['work']>[1]): WorkQueue {
    const id = `${stream} ${terms.durable}`;
    const queue = queues.get(id) ?? createWorkQueue(streamOf(stream), clock, terms);
    queues.set(id, queue);
    return queue;
  }

  function open(client: string, connection: Connection): Log {
    const waiting = new Map<string, (() => void)[]>();
    const led = (source: StreamName | BucketName, use: LeaderUse): WhenLed => {
      const id = `${use} ${source}`;
      const leaderInMs = (): number => faults.leaderInMs?.(source, client, use) ?? 0;
      /** Runs the waiting steps in the order in which they came, once there is a leader. */
      const release = (): void => {
        const waitMs = leaderInMs();
        if (waitMs > 0) {
          clock.timer(waitMs, release);
          return;
        }
        const steps = waiting.get(id) ?? [];
        waiting.delete(id);
        for (const step of steps) step();
      };
      return (step) => {
        const before = waiting.get(id);
        if (before !== undefined) {
          before.push(step);
          return;
        }
        const waitMs = leaderInMs();
        if (waitMs === 0) {
          step();
          return;
        }
        waiting.set(id, [step]);
        clock.timer(waitMs, release);
      };
    };
    const readFrom = <T>(stream: StreamName, answer: (held: MemoryStream) => T) =>
      connection.read(() => answer(streamOf(stream)), led(stream, 'read'));
    return {
      append(subject, data, append = {}) {
        const stream = streamFor(subject);
        return connection.write<AppendOutcome>(
          () => streamOf(stream).append(subject, data, append),
          (message) => ({ kind: 'unknown', message }),
          append.timeoutMs ?? LOG_LIMITS.logRequestMs,
          faults.onAppend?.({ client, stream, subject, data }) ?? 'deliver',
        );
      },
      read: (stream, read) => openMemoryReader(connection, streamOf(stream), read, clock, led(stream, 'consume')),
      last: (stream, subject) => readFrom(stream, (held) => held.last(subject)),
      next: (stream, subject, sequence) => readFrom(stream, (held) => held.next(subject, sequence)),
      info: (stream) => readFrom(stream, (held) => held.bounds()),
      countSubjects: (stream, subject) => readFrom(stream, (held) => held.countSubjects(subject)),
      countBySubject: (stream, subject) => readFrom(stream, (held) => held.countBySubject(subject)),
      purgeBelow: (stream, sequence) => readFrom(stream, (held) => held.purgeBelow(sequence)),
      work: (stream, work) => queueOf(stream, work).join(connection, work),
      bucket: (name) =>
        openMemoryBucket(
          connection,
          name,
          bucketOf(name),
          (bucket, key) => faults.onBucketWrite?.({ client, bucket, key }) ?? 'deliver',
          { read: led(name, 'read'), consume: led(name, 'consume') },
        ),
      publish: (subject, data) => connection.toBroker(() => messages.publish(subject, data)),
      subscribe: (subject, onMessage, group) => messages.subscribe(connection, subject, onMessage, group),
      get connected() {
        return connection.connected;
      },
      async close() {
        connection.close();
      },
    };
  }

  return {
    connect(name = `client-${++clients}`, own) {
      const connection = createConnection(clock, () => faults.latencyMs?.(name) ?? 0, own);
      return Object.assign(open(name, connection), {
        disconnect: (underWay: 'lose' | 'deliver' = 'lose') => connection.disconnect(underWay),
        reconnect: () => connection.reconnect(),
        kill: (underWay: 'lose' | 'deliver' = 'lose') => connection.kill(underWay),
      });
    },
    wipe: (stream, creation) => streamOf(stream).wipe(creation),
    stream: streamOf,
    bucket: bucketOf,
  };
}

function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`there is no ${what}`);
  return value;
}
