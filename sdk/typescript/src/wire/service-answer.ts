import { isText, parseObject } from './json.ts';
import type { FetchAnswer } from '../platform.ts';
import { textOf } from './text-of.ts';

/* What an answer of the service means. Pure; both clients use it. */

export type Answered =
  | { kind: 'answered'; data: unknown; replayed: boolean }
  /** The service understood the request and refuses it: a repeat changes nothing. */
  | { kind: 'refused'; status: number; code: string; message: string; details: unknown; requestId: string | undefined }
  | { kind: 'limited'; retryAfterMs: number | undefined }
  | Failed;

/** No answer, a temporary failure, or an answer that is not the service's. Whether it took effect is unknown. */
export interface Failed {
  kind: 'failed';
  reason: 'network' | 'service' | 'bad-answer';
  message: string;
  retryAfterMs: number | undefined;
}

/** @param nowMs the caller's time, for a Retry-After that is a date without a `Date` beside it */
export function readAnswer(path: string, { status, headers }: FetchAnswer, text: string, nowMs: number): Answered {
  const retryAfterMs = waitOf(headers.get('Retry-After'), serverTime(headers) ?? nowMs);
  if (status === 429) return { kind: 'limited', retryAfterMs };
  const envelope = parseObject(text);
  const message = `${path} answered ${status}`;
  if (status >= 500) return failed('service', `${message}.`, retryAfterMs);
  if (status >= 200 && status < 300 && envelope?.['success'] === true) {
    return { kind: 'answered', data: envelope['data'], replayed: headers.get('Idempotent-Replayed') === 'true' };
  }
  const { code, message: why, details } = Object(envelope?.['error']);
  if (status < 400 || typeof code !== 'string') {
    return failed('bad-answer', `${message} without JSON; check baseUrl.`);
  }
  const requestId = headers.get('X-Request-Id') ?? undefined;
  return { kind: 'refused', status, code, message: textOf(why), details, requestId };
}

/** The service's time by the header, which counts whole seconds; undefined if the platform does not show it. */
export function serverTime(headers: FetchAnswer['headers']): number | undefined {
  return Date.parse(headers.get('Date') ?? '') || undefined;
}

export function failed(reason: Failed['reason'], message: string, retryAfterMs?: number): Failed {
  return { kind: 'failed', reason, message, retryAfterMs };
}

/** The time to wait by a Retry-After in seconds or as a date; undefined if there is none. */
export function waitOf(header: string | null, nowMs: number): number | undefined {
  if (!isText(header?.trim())) return undefined;
  const seconds = Number(header);
  const waitMs = Number.isNaN(seconds) ? Date.parse(header) - nowMs : seconds * 1000;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), LONGEST_WAIT_MS);
}

/** Bounds the effect of a faulty Retry-After. */
const LONGEST_WAIT_MS = 3_600_000;
