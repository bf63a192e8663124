import type { HttpResponse } from 'uWebSockets.js';
import type { Cancel, Clock } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Metrics } from '../kernel/metrics.ts';

/**
 * Answers that their clients have not read in full. Owns the bytes that the sockets did not take.
 *
 * The library would copy those bytes into a buffer of its own that nothing bounds, and would answer further requests of
 * the connection behind them. An answer held here is not ended, so the library closes its connection at the next request:
 * a connection has one unread answer at most.
 *
 * Invariants
 * 1. The held bytes never exceed the budget. Beyond it the callers with the most unread bytes lose their largest answers,
 *    so a caller that reads slowly alone loses nothing to one that holds much.
 * 2. Every held answer has a deadline: a fixed time, and more for its length.
 * 3. An answer is forgotten when its last byte was taken or its connection was closed, exactly once.
 */
export interface UnreadAnswers {
  /**
   * Takes over an answer whose socket took a part of it. Call it outside of `res.cork`: it may close connections.
   * @param owner what `forget` is called with
   * @param caller whose memory it is, where known; otherwise the address of the peer
   */
  hold(owner: object, res: HttpResponse, body: string, caller: string | undefined): void;
  /**
   * Sends a body after which the connection reads no more requests. Its head is written; call it within `res.cork`.
   * `end` with its flag would do so, but copies what the socket does not take.
   */
  holdLast(owner: object, res: HttpResponse, body: string, caller: string | undefined): void;
  /** Forgets the answer of a closed connection, if one is held. */
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
  /** The connection reads no requests after this answer. */
  last: boolean;
  account: string;
  cancelDeadline: Cancel;
}

interface Deps {
  clock: Clock;
  metrics: Pick<Metrics, 'unreadAnswerBytes' | 'slowReadersClosed'>;
  budgetBytes: number;
}

/** How much is freed at once, so that the search for the largest callers is rare. */
const ROOM_SHARE = 1 / 8;

export function createUnreadAnswers({ clock, metrics, budgetBytes }: Deps): UnreadAnswers {
  const held = new Map<object, Held>();
  let bytes = 0;
  let cancelKeepOpen: Cancel | undefined;

  function add(entry: Omit<Held, 'cancelDeadline'>): Held {
    const allowedMs = LIMITS.answerReadMs + (entry.rest.length / LIMITS.answerReadBytesPerSecond) * 1_000;
    const added: Held = { ...entry, cancelDeadline: clock.timer(allowedMs, () => close(added, 'slow')) };
    held.set(entry.owner, added);
    bytes += entry.rest.length;
    metrics.unreadAnswerBytes.set(bytes);
    entry.res.onWritable(() => send(added));
    cancelKeepOpen ??= clock.timer(LIMITS.answerKeepOpenMs, keepOpen);
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

  /** Offers the rest to the socket. @returns whether the socket took all that it was offered */
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
      // Once ended, the library would read further requests. A paused connection reads nothing, and times out.
      res.pause();
      [taken, ended] = res.tryEnd(rest.subarray(until), totalBytes);
    });
    if (ended) forget(entry.owner);
    return taken;
  }

  /** Restarts the library's idle time-out, which sees only large steps: a third of the kernel's buffer, up to 1.3 MB. */
  function keepOpen(): void {
    for (const { res } of held.values()) {
      res.pause();
      res.resume();
    }
    cancelKeepOpen = clock.timer(LIMITS.answerKeepOpenMs, keepOpen);
  }

  /** Closes the largest answers of the callers that hold more than an even share, largest callers first. */
  function makeRoom(): void {
    const goal = budgetBytes * (1 - ROOM_SHARE);
    const accounts = [...Map.groupBy(held.values(), (entry) => entry.account).values()]
      .map((entries) => ({ entries, held: entries.reduce((sum, { rest }) => sum + rest.length, 0) }))
      .toSorted((a, b) => b.held - a.held);
    const share = goal / accounts.length;
    for (const account of accounts) {
      for (const entry of account.entries.toSorted((a, b) => b.rest.length - a.rest.length)) {
        if (bytes <= goal) return;
        if (account.held <= share) break;
        account.held -= entry.rest.length;
        close(entry, 'full');
      }
    }
  }

  return {
    hold(owner, res, body, caller) {
      const whole = Buffer.from(body);
      const startBytes = res.getWriteOffset();
      const rest = startBytes === 0 ? whole : Uint8Array.from(whole.subarray(startBytes));
      const account = caller ?? addressOf(res);
      add({ owner, res, startBytes, rest, totalBytes: whole.length, last: false, account });
      if (bytes > budgetBytes) makeRoom();
    },
    holdLast(owner, res, body, caller) {
      const rest = Buffer.from(body);
      const account = caller ?? addressOf(res);
      send(add({ owner, res, startBytes: 0, rest, totalBytes: rest.length, last: true, account }));
      // The connections to close may be the one that is being written.
      if (bytes > budgetBytes) clock.timer(0, () => bytes > budgetBytes && makeRoom());
    },
    forget,
    get bytes() {
      return bytes;
    },
  };
}

function addressOf(res: HttpResponse): string {
  return Buffer.from(res.getRemoteAddressAsText()).toString('latin1');
}
