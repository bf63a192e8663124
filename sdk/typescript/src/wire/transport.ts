import type { AbortSignalLike, FetchAnswer, Platform } from '../platform.ts';
import type { DeviceClock } from '../flags/device-clock.ts';
import { utf8Bytes } from '../events/entries.ts';
import { type Answered, failed, readAnswer, serverTime } from './service-answer.ts';
import { textOf } from './text-of.ts';

/* Sends one request and says what its answer means. Never rejects. */

export type Outcome =
  | (Extract<Answered, { kind: 'answered' }> & { sentMs: number; receivedMs: number })
  | Exclude<Answered, { kind: 'answered' }>
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
  /** Without a slash at its end. */
  baseUrl: string;
  key: string;
  playerToken?: () => string | Promise<string>;
  timeoutMs: number;
  platform: Pick<Platform, 'fetch' | 'aborter' | 'setTimer'>;
  /** Gets the service's time of each answer, if the platform shows the header `Date`. */
  clock: Pick<DeviceClock, 'rawMs' | 'compare'>;
  advise: (message: string) => void;
  debug: (line: string) => void;
}

/** Browsers refuse a `keepalive` request when the bodies under way together exceed 64 KiB. */
export const KEEPALIVE_BYTES = 60_000;

export function createTransport(options: TransportOptions): Transport {
  const { baseUrl, key, playerToken, timeoutMs, platform, clock, advise, debug } = options;
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
    const cancelTimer = platform.setTimer(() => stop(failed('network', 'No answer.')), timeoutMs);
    const answered = exchange(request, isHidden, aborter.signal).catch((error: unknown) =>
      failed('network', textOf(error)),
    );
    const outcome = await Promise.race([ended, answered]);
    cancelTimer();
    abortCurrent = undefined;
    debug(`${request.path}: ${outcome.kind}`);
    return outcome;
  }

  async function exchange({ path, body, idempotencyKey }: Request, isHidden: boolean, signal: AbortSignalLike) {
    const headers: Record<string, string> = { 'Content-Type': 'application/json', 'X-API-Key': key };
    if (playerToken !== undefined) headers['X-Player-Token'] = token ??= await playerToken();
    if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
    const keepalive = isHidden && utf8Bytes(body) <= KEEPALIVE_BYTES;
    const sentMs = clock.rawMs();
    const request = { method: 'POST', headers, body, keepalive, redirect: 'error', signal } as const;
    const answer = await platform.fetch(baseUrl + path, request);
    const text = await answer.text();
    return read(path, answer, text, sentMs);
  }

  function read(path: string, answer: FetchAnswer, text: string, sentMs: number): Outcome {
    const receivedMs = clock.rawMs();
    const meaning = readAnswer(path, answer, text, receivedMs);
    if (meaning.kind !== 'answered') return meaning;
    const ignored = answer.headers.get('X-Ignored-Fields');
    if (ignored !== null) advise(`The service ignored ${ignored}: client keys may not set it.`);
    const serverMs = serverTime(answer.headers);
    // The header counts whole seconds: the middle of its second is the best guess.
    if (serverMs !== undefined) clock.compare(serverMs + 500, (sentMs + receivedMs) / 2);
    return { ...meaning, sentMs, receivedMs };
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
