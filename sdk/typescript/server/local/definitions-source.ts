import { createBackoff } from '../../src/wire/backoff.ts';
import type { ReportProblem } from '../../src/wire/problems.ts';
import type { Requests } from '../outbox/requests.ts';
import { pause, type ServerPlatform } from '../server-platform.ts';
import { ServiceError } from '../service-error.ts';
import { followChanges } from './follow-changes.ts';

/*
 * Keeps the definitions fresh: a stream says when they changed, and a poll finds changes while the stream is down.
 *
 * Invariants
 * 1. One request for definitions is under way at a time. A change that the stream reports meanwhile leads to another.
 * 2. What was received last stays in use whatever fails. Nothing rejects or throws.
 * 3. `confirmedAtMs` moves only when the service has said that these definitions are the current ones.
 */
export interface DefinitionsSource {
  /** Resolves when the first attempt has ended. Never rejects. */
  readonly ready: Promise<void>;
  /** Gets the definitions now. Resolves when the attempt has ended. */
  refresh(): Promise<void>;
  /** When the service last confirmed what is in use, by `steadyMs`; undefined: never. */
  readonly confirmedAtMs: number | undefined;
  readonly isStreaming: boolean;
  stop(): void;
}

export interface DefinitionsSourceOptions {
  requests: Requests;
  platform: ServerPlatform;
  /** Between polls while the stream is down. */
  pollIntervalMs: number;
  /** A stream without a byte for this long counts as broken. */
  silenceMs: number;
  /** Takes definitions in. @returns their revision; undefined if they cannot be used */
  onDefinitions: (document: unknown) => number | undefined;
  onProblem: ReportProblem;
}

/** Polls while the stream is open, in case it is open in name only. */
const POLLS_PER_STREAM = 10;
/** How long a node may lag behind the one that reported a change: the pause before the next request. */
const LAG_MS = 1_000;

export function createDefinitionsSource(options: DefinitionsSourceOptions): DefinitionsSource {
  const { requests, platform, pollIntervalMs, silenceMs, onProblem } = options;
  const aborter = new AbortController();
  const { signal } = aborter;
  let etag: string | undefined;
  let revision: number | undefined;
  /** The revision that the stream reported last. */
  let reportedRevision = -1;
  let confirmedAtMs: number | undefined;
  let isStreaming = false;
  let fetching: Promise<boolean> | undefined;

  function report(error: unknown, what: string): void {
    if (signal.aborted) return;
    const requestId = error instanceof ServiceError ? error.requestId : undefined;
    const message = `${what}: ${String(error)}`;
    onProblem({ kind: 'definitions', message, ...(requestId === undefined ? {} : { requestId }) });
  }

  /** @returns whether the service answered */
  async function fetchOnce(): Promise<boolean> {
    try {
      const header = etag === undefined ? {} : { 'If-None-Match': etag };
      const answer = await requests.send('GET /v1/flags/definitions', { header, signal, retries: 0 });
      const next = options.onDefinitions(answer.data);
      // Unusable ones are asked for again: the next revision may be usable.
      if (next === undefined) return true;
      etag = answer.etag;
      revision = next;
      confirm();
      return true;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'NOT_MODIFIED') {
        confirm();
        return true;
      }
      report(error, 'The definitions could not be fetched');
      return false;
    }
  }

  function confirm(): void {
    confirmedAtMs = platform.steadyMs();
  }

  function refresh(): Promise<boolean> {
    fetching ??= fetchOnce().finally(() => (fetching = undefined));
    return fetching;
  }

  /** Fetches until the definitions have at least the revision that the stream reported. */
  async function catchUp(reported: number, spreadMs: number): Promise<void> {
    reportedRevision = reported;
    // Not all servers of a game in one moment.
    await pause(platform.random() * spreadMs, platform, signal);
    const backoff = createBackoff(platform.random, LAG_MS);
    const isLatest = () => reported === reportedRevision && !signal.aborted;
    while (isLatest()) {
      await fetching;
      const isAnswered = await refresh();
      if (isAnswered && (revision ?? -1) >= reported) return;
      // A revision that never comes (of a log that was created anew) must not keep a server asking.
      const nowMs = platform.steadyMs();
      backoff.failed(nowMs);
      await pause(backoff.untilMs - nowMs, platform, signal);
    }
  }

  async function poll(): Promise<void> {
    for (let turn = 1; !signal.aborted; turn++) {
      await pause(pollIntervalMs * (0.9 + platform.random() / 5), platform, signal);
      if (!signal.aborted && (!isStreaming || turn % POLLS_PER_STREAM === 0)) await refresh();
    }
  }

  function take(event: string, data: string): void {
    if (event === 'heartbeat') {
      // This connection reports every change: silence means that nothing changed since the last one.
      if (revision !== undefined && revision >= reportedRevision) confirm();
      return;
    }
    if (event !== 'connected' && event !== 'definitions_changed') return;
    const { revision: reported, spread_ms: spreadMs = 0 } = Object(JSON.parse(data));
    if (!Number.isSafeInteger(reported)) return;
    if (reported === revision) {
      reportedRevision = reported;
      confirm();
    } else {
      void catchUp(reported, Math.min(Math.max(Number(spreadMs) || 0, 0), LONGEST_SPREAD_MS));
    }
  }

  const followed = (): Promise<void> =>
    followChanges({
      requests,
      platform,
      silenceMs,
      signal,
      revision: () => revision,
      onState: (streams) => (isStreaming = streams),
      onMessage: take,
      onError: (error) => report(error, 'The stream of changes ended'),
    });
  const ready = refresh().then(() => {});
  void ready.then(() => Promise.all([followed(), poll()]));

  return {
    ready,
    refresh: () => refresh().then(() => {}),
    get confirmedAtMs() {
      return confirmedAtMs;
    },
    get isStreaming() {
      return isStreaming;
    },
    stop: () => aborter.abort(),
  };
}

/** A faulty message must not delay changes for long. */
const LONGEST_SPREAD_MS = 60_000;
