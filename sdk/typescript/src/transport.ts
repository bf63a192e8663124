import type { AbortSignalLike, FetchAnswer, Platform } from './platform.ts';
import { utf8Bytes } from './entries.ts';

/* Sends one request and says what its answer means. Never rejects. */

export type Outcome =
  | { kind: 'answered'; data: unknown; replayed: boolean; sentMs: number; receivedMs: number }
  /** The service understood the request and refuses it: a repeat changes nothing. */
  | { kind: 'refused'; status: number; code: string; message: string; details: unknown; requestId: string | undefined }
  | { kind: 'limited'; retryAfterMs: number | undefined }
  /** No answer, a temporary failure, or an answer that is not the service's. Whether it took effect is unknown. */
  | { kind: 'failed'; reason: 'network' | 'service' | 'bad-answer'; message: string; retryAfterMs: number | undefined }
  | { kind: 'aborted' };

export interface Request {
  path: string;
  body: string;
  idempotencyKey?: string;
}

export interface Transport {
  /** The call to `fetch` happens before this returns if no player token has to be made first. */
  send(request: Request, isHidden: boolean): Promise<Outcome>;
  /** Ends the requests that wait for their answer. */
  abort(): void;
  /** Gets a new player token before the next request. Whether there is a way to get one. */
  refreshToken(): boolean;
}

export interface TransportOptions {
  baseUrl: string;
  key: string;
  playerToken?: () => string | Promise<string>;
  timeoutMs: number;
  platform: Pick<Platform, 'fetch' | 'aborter' | 'setTimer'>;
  /** Raw device time, ms. */
  rawMs: () => number;
  /** Told the service's time of each answer, as far as the platform shows it. */
  onServerTime: (serverMs: number, rawMs: number) => void;
}

/** Browsers refuse a `keepalive` request when the bodies under way together exceed 64 KiB. */
export const KEEPALIVE_BYTES = 60_000;

export function createTransport(options: TransportOptions): Transport {
  const { key, playerToken, timeoutMs, platform, rawMs, onServerTime } = options;
  const baseUrl = options.baseUrl.replace(/\/$/, '');
  let token: string | undefined;
  let abortCurrent: (() => void) | undefined;

  async function send(request: Request, isHidden: boolean): Promise<Outcome> {
    const aborter = platform.aborter();
    let end: (outcome: Outcome) => void = () => {};
    // A platform whose fetch ignores the signal must not hold up the queue for ever.
    const ended = new Promise<Outcome>((resolve) => (end = resolve));
    const stop = (outcome: Outcome) => {
      end(outcome);
      aborter.abort();
    };
    abortCurrent = () => stop({ kind: 'aborted' });
    const cancelTimer = platform.setTimer(
      () => stop(failed('network', `No answer within ${timeoutMs} ms.`)),
      timeoutMs,
    );
    const answered = exchange(request, isHidden, aborter.signal).catch((error: unknown) =>
      failed('network', String(error)),
    );
    const outcome = await Promise.race([ended, answered]);
    cancelTimer();
    abortCurrent = undefined;
    return outcome;
  }

  async function exchange({ path, body, idempotencyKey }: Request, isHidden: boolean, signal: AbortSignalLike) {
    const headers: Record<string, string> = { 'Content-Type': 'application/json', 'X-API-Key': key };
    if (playerToken !== undefined) headers['X-Player-Token'] = token ??= await playerToken();
    if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
    const keepalive = isHidden && utf8Bytes(body) <= KEEPALIVE_BYTES;
    const sentMs = rawMs();
    const answer = await platform.fetch(baseUrl + path, { method: 'POST', headers, body, keepalive, signal });
    const text = await answer.text();
    return read(path, answer, text, sentMs);
  }

  function read(path: string, { status, headers }: FetchAnswer, text: string, sentMs: number): Outcome {
    const receivedMs = rawMs();
    const serverMs = Date.parse(headers.get('Date') ?? '');
    const retryAfterMs = waitOf(headers.get('Retry-After'), Number.isFinite(serverMs) ? serverMs : receivedMs);
    if (status === 429) return { kind: 'limited', retryAfterMs };
    const envelope = parseObject(text);
    const message = `${path} answered ${status}`;
    if (status >= 500) return failed('service', `${message}.`, retryAfterMs);
    if (status >= 200 && status < 300 && envelope?.['success'] === true) {
      // The header counts whole seconds: the middle of its second is the best guess.
      if (Number.isFinite(serverMs)) onServerTime(serverMs + 500, (sentMs + receivedMs) / 2);
      const replayed = headers.get('Idempotent-Replayed') === 'true';
      return { kind: 'answered', data: envelope['data'], replayed, sentMs, receivedMs };
    }
    const { code, message: why, details } = Object(envelope?.['error']);
    if (status < 400 || typeof code !== 'string') {
      return failed('bad-answer', `${message} without the service's JSON; check \`baseUrl\`.`);
    }
    const requestId = headers.get('X-Request-Id') ?? undefined;
    return { kind: 'refused', status, code, message: String(why), details, requestId };
  }

  return {
    send,
    abort: () => abortCurrent?.(),
    refreshToken() {
      token = undefined;
      return playerToken !== undefined;
    },
  };
}

type Failed = Extract<Outcome, { kind: 'failed' }>;

function failed(reason: Failed['reason'], message: string, retryAfterMs?: number): Failed {
  return { kind: 'failed', reason, message, retryAfterMs };
}

/** The time to wait by a Retry-After in seconds or as a date; undefined if there is none. */
function waitOf(header: string | null, nowMs: number): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const waitMs = Number.isFinite(Number(header)) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isFinite(waitMs) ? Math.min(Math.max(0, waitMs), LONGEST_WAIT_MS) : undefined;
}

/** A faulty Retry-After must not silence a client for ever. */
const LONGEST_WAIT_MS = 3_600_000;

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? Object(value) : undefined;
  } catch {
    return undefined;
  }
}
