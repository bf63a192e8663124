import type { HttpResponse } from 'uWebSockets.js';
import type { Cancel, Clock } from '../../../core/kernel/clock.ts';
import { HTTP_LIMITS } from './limits.ts';
import type { HttpMetrics } from './metrics.ts';

/**
 * Responses that clients have not read completely. Owns the bytes that the sockets did not accept.
 *
 * The library would copy those bytes to an unbounded buffer, and would append the responses to further requests of the
 * connection. A response held here has not ended, so the library closes its connection at the next request: a
 * connection has at most one unread response.
 *
 * Invariants
 * 1. The held bytes exceed the budget at most by the response that is being written. Beyond the budget the callers with
 *    the most unread bytes lose their largest responses, so a single slow reader loses nothing to a caller that holds
 *    many.
 * 2. Every held response has a deadline: a fixed time, and more for its length.
 * 3. A response is forgotten exactly once: when the socket accepts its last byte or when its connection closes.
 */
export interface UnreadAnswers {
  /**
   * Takes over a response of which the socket accepted a part. Call it outside of `res.cork`: it may close connections.
   * @param owner identifies the response for `forget`
   * @param caller the caller that the bytes count against; default: the address of the peer
   */
  hold(owner: object, res: HttpResponse, body: string | Uint8Array, caller: string | undefined): void;
  /**
   * Sends a body after which the connection reads no more requests. Write its head first; call it within `res.cork`.
   * The library's `end` with its flag does the same, but copies the bytes that the socket does not accept.
   */
  holdLast(owner: object, res: HttpResponse, body: string | Uint8Array, caller: string | undefined): void;
  /** Forgets the response of a closed connection, if one is held. */
  forget(owner: object): void;
  readonly bytes: number;
}

interface Held {
  owner: object;
  res: HttpResponse;
  /** Position of the first byte of `rest` in the body. */
  startBytes: number;
  rest: Uint8Array;
  totalBytes: number;
  /** The connection reads no requests after this response. */
  last: boolean;
  account: string;
  cancelDeadline: Cancel;
}

interface Deps {
  clock: Clock;
  metrics: Pick<HttpMetrics, 'unreadAnswerBytes' | 'slowReadersClosed'>;
  budgetBytes: number;
}

/** The part of the budget that is freed at once, so the search for the largest callers is rare. */
const ROOM_SHARE = 1 / 8;

export function createUnreadAnswers({ clock, metrics, budgetBytes }: Deps): UnreadAnswers {
  const held = new Map<object, Held>();
  let bytes = 0;
  let cancelKeepOpen: Cancel | undefined;

  function add(entry: Omit<Held, 'cancelDeadline'>): Held {
    const allowedMs = HTTP_LIMITS.answerReadMs + (entry.rest.length / HTTP_LIMITS.answerReadBytesPerSecond) * 1_000;
    const added: Held = { ...entry, cancelDeadline: clock.timer(allowedMs, () => close(added, 'slow')) };
    held.set(entry.owner, added);
    bytes += entry.rest.length;
    metrics.unreadAnswerBytes.set(bytes);
    entry.res.onWritable(() => send(added));
    cancelKeepOpen ??= clock.timer(HTTP_LIMITS.answerKeepOpenMs, keepOpen);
    return added;
  }

  function forget(owner: object): void {
    const entry = held.get(owner);
    if (entry === undefined) return;
    held.delete(owner);
    entry.cancelDeadline();
    bytes -= entry.rest.length;
    metrics.unreadAnswerBytes.set(bytes);
    if (held.size > 0) return;
    cancelKeepOpen?.();
    cancelKeepOpen = undefined;
  }

  function close(entry: Held, reason: 'slow' | 'full'): void {
    if (held.get(entry.owner) !== entry) return;
    metrics.slowReadersClosed.inc({ reason });
    forget(entry.owner);
    entry.res.close();
  }

  /** Offers the rest to the socket. @returns whether the socket accepted all offered bytes */
  function send(entry: Held): boolean {
    const { res, rest, startBytes, totalBytes, last } = entry;
    let taken = false;
    let ended = false;
    res.cork(() => {
      const from = res.getWriteOffset() - startBytes;
      const until = last ? rest.length - 1 : rest.length;
      taken = from >= until;
      if (from < until) [taken, ended] = res.tryEnd(rest.subarray(from, until), totalBytes);
      if (!last || !taken) return;
      // After the end the library would read further requests. A paused connection reads nothing and times out.
      res.pause();
      [taken, ended] = res.tryEnd(rest.subarray(until), totalBytes);
    });
    if (ended) forget(entry.owner);
    return taken;
  }

  /**
   * Restarts the library's idle time-out, which notices only large steps: a third of the kernel's buffer, up to 1.3 MB.
   */
  function keepOpen(): void {
    for (const { res } of held.values()) {
      res.pause();
      res.resume();
    }
    cancelKeepOpen = clock.timer(HTTP_LIMITS.answerKeepOpenMs, keepOpen);
  }

  /**
   * Closes the largest responses of the callers that hold more than an equal share, largest callers first.
   * @param written a response within `res.cork`, which must stay open for now
   */
  function freeSpace(written?: Held): void {
    const goal = budgetBytes * (1 - ROOM_SHARE);
    const accounts = [...Map.groupBy(held.values(), (entry) => entry.account).values()]
      .map((entries) => ({ entries, held: entries.reduce((sum, { rest }) => sum + rest.length, 0) }))
      .toSorted((a, b) => b.held - a.held);
    const share = goal / accounts.length;
    for (const account of accounts) {
      for (const entry of account.entries.toSorted((a, b) => b.rest.length - a.rest.length)) {
        if (bytes <= goal) return;
        if (account.held <= share) break;
        if (entry === written) continue;
        account.held -= entry.rest.length;
        close(entry, 'full');
      }
    }
  }

  return {
    hold(owner, res, body, caller) {
      const whole = bytesOf(body);
      const startBytes = res.getWriteOffset();
      // A part of a shared buffer costs no memory; a part of a text keeps no more than it needs.
      const rest = typeof body === 'string' ? Buffer.from(whole.subarray(startBytes)) : whole.subarray(startBytes);
      const account = caller ?? addressOf(res);
      add({ owner, res, startBytes, rest, totalBytes: whole.length, last: false, account });
      if (bytes > budgetBytes) freeSpace();
    },
    holdLast(owner, res, body, caller) {
      const rest = bytesOf(body);
      const account = caller ?? addressOf(res);
      const added = add({ owner, res, startBytes: 0, rest, totalBytes: rest.length, last: true, account });
      send(added);
      if (bytes > budgetBytes) freeSpace(added);
      // This connection may be among those to close, and it is being written now.
      if (bytes > budgetBytes) clock.timer(0, () => bytes > budgetBytes && freeSpace());
    },
    forget,
    get bytes() {
      return bytes;
    },
  };
}

/** Bytes are shared, not copied: the body of a static answer is one buffer for all. */
function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? Buffer.from(body) : body;
}

function addressOf(res: HttpResponse): string {
  return Buffer.from(res.getRemoteAddressAsText()).toString('latin1');
}
