import type { ApiError } from '@nats-io/jetstream';
import { headers as makeHeaders } from '@nats-io/transport-node';
import type { MsgHdrs } from '@nats-io/transport-node';
import type { Clock } from '../../../core/kernel/clock.ts';
import { LOG_LIMITS } from '../limits.ts';
import type { AppendOptions, AppendOutcome } from '../log.ts';
import { API_ERRORS, parseAnswer } from './api.ts';
import type { Link } from './link.ts';

/** Bytes reserved for the subject and our headers within the broker's payload limit. */
const HEADROOM_BYTES = 4096;

interface PubAck {
  stream: string;
  seq: number;
  duplicate?: boolean;
}

/**
 * Appends one record and waits for JetStream's acknowledgement.
 *
 * The broker checks in this order (tried on nats-server 2.15.1, single node): the fence, the message id, the stream's
 * size. So a wrong fence is `fenced` even when the stream is full, and the repeat of a stored append with a fence is
 * `fenced`, not a duplicate.
 */
export async function appendRecord(
  link: Link,
  clock: Pick<Clock, 'monotonicMs'>,
  subject: string,
  data: Uint8Array,
  options: AppendOptions = {},
): Promise<AppendOutcome> {
  if (data.length > LOG_LIMITS.brokerPayloadBytes - HEADROOM_BYTES) {
    return { kind: 'refused', reason: 'too_large', message: `${data.length} bytes are over the broker's limit` };
  }
  const headers = headersOf(options);
  const sentMs = clock.monotonicMs();
  const answer = await link.request(subject, data, {
    timeoutMs: options.timeoutMs ?? LOG_LIMITS.logRequestMs,
    ...(headers === undefined ? {} : { headers }),
  });
  if (answer.kind === 'none') {
    if (link.up) link.unanswered.timedOut(subject, sentMs);
    return { kind: 'unknown', message: answer.why };
  }
  link.unanswered.answered(subject);
  const parsed = parseAnswer<PubAck>(answer.data);
  if (parsed.kind === 'error') return outcomeOf(parsed.error);
  return { kind: 'acked', sequence: parsed.value.seq, duplicate: parsed.value.duplicate === true };
}

/** `refused` only if the record was certainly not stored; an unspecific storage failure is `unknown`. */
function outcomeOf({ code: status, err_code: errorCode, description: message }: ApiError): AppendOutcome {
  if (errorCode === API_ERRORS.wrongLastSequence || errorCode === API_ERRORS.wrongLastSequenceInFlight) {
    return { kind: 'fenced' };
  }
  if (errorCode === API_ERRORS.messageTooLarge) return { kind: 'refused', reason: 'too_large', message };
  const full =
    errorCode === API_ERRORS.insufficientResources || (errorCode === API_ERRORS.storeFailed && /maximum/.test(message));
  if (full) return { kind: 'refused', reason: 'full', message };
  if (status >= 400 && status < 500) return { kind: 'refused', reason: 'other', message };
  return { kind: 'unknown', message };
}

function headersOf(options: AppendOptions): MsgHdrs | undefined {
  const { expectedLastSequence, messageId, schedule } = options;
  if (expectedLastSequence === undefined && messageId === undefined && schedule === undefined) {
    if (options.headers === undefined) return undefined;
  }
  const headers = makeHeaders();
  if (expectedLastSequence !== undefined) {
    headers.set('Nats-Expected-Last-Subject-Sequence', String(expectedLastSequence));
  }
  if (messageId !== undefined) headers.set('Nats-Msg-Id', messageId);
  if (schedule !== undefined) {
    headers.set('Nats-Schedule', `@at ${new Date(schedule.atMs).toISOString()}`);
    headers.set('Nats-Schedule-Target', schedule.target);
  }
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
  return headers;
}
