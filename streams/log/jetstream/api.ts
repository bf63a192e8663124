import { sleep } from '../../../src/kernel/clock.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import type { LogRecord, StreamBounds } from '../log.ts';
import type { Answer, Link } from './link.ts';

/** JetStream's error codes that mean something to us. */
export const API_ERRORS = {
  messageTooLarge: 10054,
  noMessage: 10037,
  streamNotFound: 10059,
  /** The fence does not fit. The second code is a cluster's: another append to the subject is under way. */
  wrongLastSequence: 10071,
  wrongLastSequenceInFlight: 10164,
  storeFailed: 10077,
  insufficientResources: 10023,
  /** Streams reserve their `max_bytes`; the broker's `max_file_store` or `max_memory_store` is too small for one more. */
  fileStoreTooSmall: 10047,
  memoryStoreTooSmall: 10028,
  /** A cluster has too few nodes for the copies wanted, or some are not there yet. */
  noPeers: 10005,
} as const;

/** The log was closed while something was asked of it. */
class LogClosed extends Error {}

export interface ApiError {
  kind: 'error';
  code: number;
  errorCode: number;
  description: string;
}
export type ApiAnswer<T> = { kind: 'ok'; value: T } | ApiError;

/** The part of a stream's description that we read. Times are RFC 3339 with nanoseconds. */
export interface StreamDescription {
  config: Readonly<Record<string, unknown>>;
  created: string;
  state: { messages: number; bytes: number; first_seq: number; last_seq: number; last_ts: string };
}

export interface CallOptions {
  /** A missing stream is an answer. Otherwise it is waited for: after a restart it is made again. */
  streamMayBeMissing?: boolean;
}

/**
 * Asks the JetStream API until it answers: time-outs and leaders being elected pass. Rejects with `LogClosed` when the
 * log is closed meanwhile.
 */
export async function callApi<T>(
  link: Link,
  clock: Clock,
  subject: string,
  body: unknown,
  options: CallOptions = {},
): Promise<ApiAnswer<T>> {
  const data = body === undefined ? '' : JSON.stringify(body);
  let pauseMs: number = LIMITS.logRetryMs;
  for (;;) {
    const answer = await link.request(`$JS.API.${subject}`, data, { timeoutMs: LIMITS.logApiMs });
    if (link.closed) throw new LogClosed('the log is closed');
    if (answer.kind === 'answer') {
      const parsed = parseAnswer<T>(answer);
      if (parsed.kind === 'ok') return parsed;
      const missing = parsed.errorCode === API_ERRORS.streamNotFound;
      const passing = missing ? options.streamMayBeMissing !== true : parsed.code === 503;
      if (!passing) return parsed;
    }
    await sleep(clock, pauseMs);
    pauseMs = Math.min(pauseMs * 2, LIMITS.logRetryMaxMs);
  }
}

/** Reads an answer of the API. What it holds when it is no error is the broker's documented shape, and trusted. */
export function parseAnswer<T>(answer: Extract<Answer, { kind: 'answer' }>): ApiAnswer<T> {
  const text = Buffer.from(answer.data).toString('utf8');
  const value: T & { error?: { code: number; err_code: number; description: string } } = JSON.parse(text);
  if (value.error === undefined) return { kind: 'ok', value };
  const { code, err_code: errorCode, description } = value.error;
  return { kind: 'error', code, errorCode, description };
}

/** What a stream is and holds. */
export async function describeStream(link: Link, clock: Clock, stream: string): Promise<StreamDescription> {
  const answer = await callApi<StreamDescription>(link, clock, `STREAM.INFO.${stream}`, undefined);
  if (answer.kind === 'error') throw new Error(`stream ${stream}: ${answer.description}`);
  return answer.value;
}

/**
 * How many subjects of a stream hold records and match. An offset past all of them has the broker count instead of list them: the
 * list would be megabytes.
 */
export async function countSubjects(link: Link, clock: Clock, stream: string, subject: string): Promise<number> {
  const answer = await callApi<{ total?: number }>(link, clock, `STREAM.INFO.${stream}`, {
    subjects_filter: subject,
    offset: PAST_ALL,
  });
  if (answer.kind === 'error') throw new Error(`stream ${stream}: ${answer.description}`);
  return answer.value.total ?? 0;
}

const PAST_ALL = 1_000_000_000;

/** The same with how many records each of them holds, as far as the broker lists them in one answer. */
export async function countBySubject(
  link: Link,
  clock: Clock,
  stream: string,
  subject: string,
): Promise<ReadonlyMap<string, number>> {
  const answer = await callApi<{ state: { subjects?: Readonly<Record<string, number>> } }>(
    link,
    clock,
    `STREAM.INFO.${stream}`,
    { subjects_filter: subject },
  );
  if (answer.kind === 'error') throw new Error(`stream ${stream}: ${answer.description}`);
  return new Map(Object.entries(answer.value.state.subjects ?? {}));
}

/** The same as the log port says it. A stream that never held anything has its first record at 1. */
export function boundsOf({ created, state }: StreamDescription): StreamBounds {
  return {
    created,
    firstSequence: state.messages === 0 ? state.last_seq + 1 : state.first_seq,
    lastSequence: state.last_seq,
    records: state.messages,
    sizeBytes: state.bytes,
  };
}

/** A record as the leader has it. */
export interface StoredMessage extends LogRecord {
  /** The raw header block, if any. */
  headers: string;
}

type MessageRequest = { seq: number } | { last_by_subj: string } | { seq: number; next_by_subj: string };

interface MessageAnswer {
  message: { subject: string; seq: number; data?: string; hdrs?: string; time: string };
}

/**
 * Reads one record from the stream's leader: not a direct get, which a follower may answer from an older state.
 * `undefined`: there is no such record.
 */
export async function getMessage(
  link: Link,
  clock: Clock,
  stream: string,
  request: MessageRequest,
): Promise<StoredMessage | undefined> {
  const answer = await callApi<MessageAnswer>(link, clock, `STREAM.MSG.GET.${stream}`, request);
  if (answer.kind === 'error') {
    if (answer.errorCode === API_ERRORS.noMessage) return undefined;
    throw new Error(`stream ${stream}: ${answer.description}`);
  }
  const { subject, seq, data = '', hdrs = '', time } = answer.value.message;
  return {
    subject,
    sequence: seq,
    storedAtMs: Date.parse(time),
    data: Buffer.from(data, 'base64'),
    headers: Buffer.from(hdrs, 'base64').toString('latin1'),
  };
}
