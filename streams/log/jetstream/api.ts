import { JetStreamApiError, type ApiError } from '@nats-io/jetstream';
import { RequestError, TimeoutError } from '@nats-io/transport-node';
import { sleep } from '../../../core/kernel/clock.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from './limits.ts';
import type { LogRecord, Stop, StreamBounds } from '../log.ts';
import type { Link } from './link.ts';
import type { ConsumerOptions, Manager, MessageQuery, StreamDescription } from './manager.ts';

/** The error codes of JetStream that this service reacts to. */
export const API_ERRORS = {
  consumerExists: 10148,
  messageTooLarge: 10054,
  streamNotFound: 10059,
  /** The stream exists with another configuration. */
  streamNameInUse: 10058,
  /** The fence does not fit. The second code is a cluster's: another append to the subject is under way. */
  wrongLastSequence: 10071,
  wrongLastSequenceInFlight: 10164,
  storeFailed: 10077,
  insufficientResources: 10023,
  /**
   * Streams reserve their `max_bytes`; the broker's `max_file_store` or `max_memory_store` is too small for one more.
   */
  fileStoreTooSmall: 10047,
  memoryStoreTooSmall: 10028,
  /** A cluster has too few nodes for the copies wanted, or some are not there yet. */
  noPeers: 10005,
} as const;

/** The log was closed during a call. */
class LogClosed extends Error {}

export interface CallOptions {
  /** Reject when the stream is missing. Otherwise wait for it: after a restart of the broker it is created again. */
  streamMayBeMissing?: boolean;
}

/**
 * Repeats a call of the JetStream API until the broker answers it; time-outs and elections of leaders pass. Rejects
 * with the library's `JetStreamApiError` when the broker refuses, and with `LogClosed` when the log is closed.
 */
export async function untilAnswered<T>(
  link: Link,
  clock: Clock,
  call: (manager: Manager) => Promise<T>,
  options: CallOptions = {},
): Promise<T> {
  let pauseMs: number = JETSTREAM_LIMITS.logRetryMs;
  for (;;) {
    try {
      const answer = await whileUp(link, call);
      if (answer !== undefined) return answer.value;
    } catch (error) {
      if (!link.closed && !mayPass(error, options)) throw error;
    }
    if (link.closed) throw new LogClosed('the log is closed');
    await sleep(clock, pauseMs);
    pauseMs = Math.min(pauseMs * 2, JETSTREAM_LIMITS.logRetryMaxMs);
  }
}

/** Calls if the link is up, else waits until it changes. `undefined`: the link changed first. */
async function whileUp<T>(link: Link, call: (manager: Manager) => Promise<T>): Promise<{ value: T } | undefined> {
  if (link.closed) return undefined;
  let stop: Stop = () => {};
  const changed = new Promise<undefined>((resolve) => {
    stop = link.onChange(() => resolve(undefined));
  });
  try {
    const value = link.up ? call(link.manager).then((answer) => ({ value: answer })) : changed;
    return await Promise.race([value, changed]);
  } finally {
    stop();
  }
}

function mayPass(error: unknown, { streamMayBeMissing = false }: CallOptions): boolean {
  if (error instanceof JetStreamApiError) {
    return error.code === API_ERRORS.streamNotFound ? !streamMayBeMissing : error.status === 503;
  }
  // The library throws the last one, which it does not export, when no server of JetStream has received the request.
  const isUnanswered = error instanceof TimeoutError || error instanceof RequestError;
  return isUnanswered || (error instanceof Error && error.name === 'JetStreamNotEnabled');
}

/** What a stream is and holds. */
export async function describeStream(link: Link, clock: Clock, stream: string): Promise<StreamDescription> {
  return untilAnswered(link, clock, ({ streams }) => streams.info(stream));
}

/**
 * How many subjects of a stream hold records and match. With an offset past all of them the broker counts instead of
 * listing megabytes. The library cannot ask that: it fetches every page of the list.
 */
export async function countSubjects(link: Link, clock: Clock, stream: string, subject: string): Promise<number> {
  const body = JSON.stringify({ subjects_filter: subject, offset: PAST_ALL });
  return untilAnswered(link, clock, async () => {
    const answer = await link.request(`$JS.API.STREAM.INFO.${stream}`, body, { timeoutMs: JETSTREAM_LIMITS.logApiMs });
    if (answer.kind === 'none') throw new TimeoutError();
    const parsed = parseAnswer<{ total?: number }>(answer.data);
    if (parsed.kind === 'error') throw new JetStreamApiError(parsed.error);
    return parsed.value.total ?? 0;
  });
}

const PAST_ALL = 1_000_000_000;

/** How many records each matching subject of a stream holds. */
export async function countBySubject(
  link: Link,
  clock: Clock,
  stream: string,
  subject: string,
): Promise<ReadonlyMap<string, number>> {
  const { state } = await untilAnswered(link, clock, ({ streams }) =>
    streams.info(stream, { subjects_filter: subject, deleted_details: false }),
  );
  return new Map(Object.entries(state.subjects ?? {}));
}

type ApiAnswer<T> = { kind: 'ok'; value: T } | { kind: 'error'; error: ApiError };

/** Parses an answer that did not come through the library. The broker documents its shape, so it is trusted. */
export function parseAnswer<T>(data: Uint8Array): ApiAnswer<T> {
  const value: T & { error?: ApiError } = JSON.parse(Buffer.from(data).toString('utf8'));
  return value.error === undefined ? { kind: 'ok', value } : { kind: 'error', error: value.error };
}

/** The bounds of a stream. One that never held a record has its first record at 1. */
export function boundsOf({ created, config, state }: StreamDescription): StreamBounds {
  return {
    created,
    firstSequence: state.messages === 0 ? state.last_seq + 1 : state.first_seq,
    lastSequence: state.last_seq,
    records: state.messages,
    sizeBytes: state.bytes,
    // The broker writes -1 for no bound.
    maxBytes: config.max_bytes > 0 ? config.max_bytes : Infinity,
  };
}

/** A record as the leader has it. */
export interface StoredMessage extends LogRecord {
  /** The value of a header; empty if absent. */
  header(name: string): string;
}

/**
 * Reads one record from the stream's leader: not a direct get, which a follower may answer from an older state.
 * `undefined`: there is no such record.
 */
export async function getMessage(
  link: Link,
  clock: Clock,
  stream: string,
  query: MessageQuery,
): Promise<StoredMessage | undefined> {
  const message = await untilAnswered(link, clock, ({ streams }) => streams.getMessage(stream, query));
  if (message === null) return undefined;
  return {
    subject: message.subject,
    sequence: message.seq,
    storedAtMs: Date.parse(message.timestamp),
    data: message.data,
    header: (name) => message.header.get(name),
  };
}

/** Makes a consumer. A durable one that exists takes over the given options. */
export async function makeConsumer(
  link: Link,
  clock: Clock,
  stream: string,
  config: ConsumerOptions,
): Promise<{ num_pending: number }> {
  try {
    return await untilAnswered(link, clock, ({ consumers }) => consumers.add(stream, config));
  } catch (error) {
    const durable = config.durable_name;
    const exists = error instanceof JetStreamApiError && error.code === API_ERRORS.consumerExists;
    if (!exists || durable === undefined) throw error;
    return untilAnswered(link, clock, ({ consumers }) => consumers.update(stream, durable, config));
  }
}
