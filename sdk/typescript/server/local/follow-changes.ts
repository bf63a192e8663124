import { createBackoff } from '../../src/wire/backoff.ts';
import type { Requests } from '../outbox/requests.ts';
import { readMessages } from '../outbox/server-sent-events.ts';
import { pause, type ServerPlatform } from '../server-platform.ts';
import { ServiceError } from '../service-error.ts';

export interface ChangesOptions {
  requests: Requests;
  platform: ServerPlatform;
  /** A stream without a byte for this long counts as broken. */
  silenceMs: number;
  signal: AbortSignal;
  /** The revision of the definitions in use. */
  revision: () => number | undefined;
  onState: (isStreaming: boolean) => void;
  onMessage: (event: string, data: string) => void;
  onError: (error: unknown) => void;
}

/** Follows the stream of changed definitions until the signal, over any number of connections. */
export async function followChanges(options: ChangesOptions): Promise<void> {
  const { platform, signal, onState, onError } = options;
  const backoff = createBackoff(platform.random);
  while (!signal.aborted) {
    let retryMs = 0;
    try {
      await listen(
        options,
        (delayMs) => (retryMs = delayMs),
        () => backoff.succeeded(),
      );
    } catch (error) {
      onError(error);
      if (error instanceof ServiceError && error.retryAfterMs !== undefined) retryMs = error.retryAfterMs;
    }
    onState(false);
    if (signal.aborted) return;
    const nowMs = platform.steadyMs();
    backoff.failed(nowMs, retryMs);
    await pause(backoff.untilMs - nowMs, platform, signal);
  }
}

/** One connection, until it ends. */
async function listen(
  { requests, platform, silenceMs, signal, revision, onState, onMessage }: ChangesOptions,
  onRetry: (delayMs: number) => void,
  onOpen: () => void,
): Promise<void> {
  const connection = new AbortController();
  const end = () => connection.abort();
  signal.addEventListener('abort', end);
  let cancel = () => {};
  const alive = () => {
    cancel();
    cancel = platform.setTimer(end, silenceMs);
  };
  try {
    const last = revision();
    const header = last === undefined ? {} : { 'Last-Event-ID': String(last) };
    const body = await requests.open('GET /v1/flags/changes', { header, signal: connection.signal });
    onState(true);
    alive();
    for await (const { event, data } of readMessages(body, { onBytes: alive, onRetry })) {
      if (event === 'connected') onOpen();
      onMessage(event, data);
    }
  } finally {
    cancel();
    signal.removeEventListener('abort', end);
    // Also when the loop was left by an error in a message.
    connection.abort();
  }
}
