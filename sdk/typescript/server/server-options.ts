import type { Problem } from '../src/wire/problems.ts';
import type { DefinitionsDocument } from './local/definitions-document.ts';
import type { DroppedItem } from './outbox/outbox.ts';
import type { ServerPlatform } from './server-platform.ts';

export interface ServerOptions {
  /** Where the service is, for example `https://analytics.example.com`. */
  baseUrl: string;
  /** A server key, `sk_…`. It must never reach a player's device. */
  key: string;
  /** Milliseconds to wait for an answer; 15,000 by default. */
  timeoutMs?: number;
  /** Attempts of a call after the first one, if repeating it cannot count twice; 3 by default. */
  retries?: number;
  /** The longest wait between two attempts of a call, ms; a longer Retry-After fails the call. 30,000 by default. */
  longestWaitMs?: number;
  /** Bytes of an answer, at most; 64 MiB by default. A longer one fails with `ANSWER_TOO_LONG`. */
  maxAnswerBytes?: number;
  /** Milliseconds that events and purchases wait for others; 2,000 by default. */
  flushIntervalMs?: number;
  /** Events of a lane that are sent without waiting for the interval; 50 by default. */
  flushAt?: number;
  /** Requests beside each other for events and for purchases; those of one player stay in order. 4 by default. */
  lanes?: number;
  /** Items of each kind that wait at most; 10,000 by default. Then new ones are refused. */
  maxQueued?: number;
  /** Bytes of each kind that wait at most; 32 MiB by default. */
  maxQueuedBytes?: number;
  /**
   * `true` (by default) gets the definitions of flags and follows their changes. `false` uses only `bootstrap`.
   */
  flags?: boolean;
  /** Definitions to start from, as `flags.definitions` had them in an earlier run. */
  bootstrap?: DefinitionsDocument;
  /** Milliseconds between polls for changed definitions while the stream of changes is down; 30,000 by default. */
  pollIntervalMs?: number;
  /** An event, purchase or exposure will not reach the service. */
  onDropped?: (dropped: DroppedItem) => void;
  /** Something failed and will be tried again, or is worth a line in a log. */
  onProblem?: (problem: Problem) => void;
  /** Replaces parts of Node, for tests. */
  platform?: Partial<ServerPlatform>;
}

export const SERVER_DEFAULTS = {
  // The service answers in milliseconds or says 503 after 10 seconds.
  timeoutMs: 15_000,
  retries: 3,
  longestWaitMs: 30_000,
  // More than twice the longest answer of the service, the definitions of flags.
  maxAnswerBytes: 64 * 1024 * 1024,
  // Events are in ClickHouse a second later: more would only make them older.
  flushIntervalMs: 2_000,
  // Of the 100 events that one request takes, so that those tracked meanwhile still fit.
  flushAt: 50,
  lanes: 4,
  // Minutes of a busy server, and little of its memory.
  maxQueued: 10_000,
  maxQueuedBytes: 32 * 1024 * 1024,
  pollIntervalMs: 30_000,
  // Three heartbeats of the service.
  silenceMs: 90_000,
};

/** A client without these can never send anything: a fault of the program, so it throws. */
export function requireServerTexts(options: ServerOptions): void {
  for (const name of ['baseUrl', 'key'] as const) {
    const value: unknown = options[name];
    if (typeof value !== 'string' || value === '')
      throw new TypeError(`createServer: \`${name}\` must be a text that is not empty.`);
  }
  if (!/^https?:\/\//i.test(options.baseUrl)) {
    throw new TypeError('createServer: `baseUrl` must begin with http:// or https://.');
  }
  if (options.key.startsWith('pk_')) throw new TypeError('createServer: `key` must be a server key (`sk_…`).');
}
