import { createBackoff } from '../wire/backoff.ts';
import type { Platform } from '../platform.ts';
import type { Sender } from '../events/sender-types.ts';

/*
 * Follows the service's stream of changed flags. It says only that something changed; the sender then asks for the
 * values.
 *
 * Invariants
 * 1. At most one connection is open, and none after `close`.
 * 2. The sender refreshes after each change, and when the stream opens for the first time, for changes before that.
 * 3. Nothing depends on it: every sync asks for changes too.
 */
export interface FlagChanges {
  /** Resolves when the stream is open for the first time, or could not be opened. */
  readonly opened: Promise<void>;
  /** Opens the stream, unless it is open. */
  open(): void;
  close(): void;
}

/** Three heartbeats. Without them the connection is lost, although no error says so. */
const SILENT_MS = 90_000;
/** The service asks for one second with 5,000 streams. The bound limits the effect of a faulty number. */
const MOST_SPREAD_MS = 60_000;
/** The longest line that is read; those of the service have a fiftieth of it. */
const LINE_CHARS = 4_096;

/**
 * @param baseUrl without a slash at its end
 * @param sender refreshes a random time after the service reports changed flags, so that not all clients ask at once;
 * ends its backoff when the stream opens
 * @returns undefined where the platform has no streams or `flagStream` is false
 */
export function followFlags(
  { platform, baseUrl, key, flagStream }: { platform: Platform; baseUrl: string; key: string; flagStream: boolean },
  sender: () => Pick<Sender, 'refresh' | 'reached'> | undefined,
): FlagChanges | undefined {
  if (!flagStream || platform.stream === undefined) return undefined;
  const { stream } = platform;
  const changed = () => sender()?.refresh();
  const backoff = createBackoff(() => platform.random());
  let lastId = '';
  let retryMs = 0;
  /** Ends the connection, or the wait for the next one. */
  let end: (() => void) | undefined;
  let isOpened = () => {};
  const opened = new Promise<void>((resolve) => (isOpened = resolve));

  function understand({ event, id, retry, data = '' }: Readonly<Record<string, string>>): void {
    retryMs = Number(retry) || retryMs;
    if (event === 'connected') {
      backoff.succeeded();
      if (lastId === '') changed();
      isOpened();
      sender()?.reached();
    }
    const spreadMs = Number(/"spread_ms":(\d+)/.exec(data)?.[1] ?? 0);
    if (event === 'flags_changed') platform.setTimer(changed, platform.random() * Math.min(spreadMs, MOST_SPREAD_MS));
    lastId = id ?? lastId;
  }

  function connect(): void {
    const own = platform.aborter();
    let text = '';
    let message: Record<string, string> = {};
    let cancel = () => {};
    const stop = () => {
      cancel();
      own.abort();
    };
    function lost(): void {
      if (end !== stop) return;
      stop();
      isOpened();
      backoff.failed(platform.steadyMs(), retryMs);
      end = platform.setTimer(connect, backoff.untilMs - platform.steadyMs());
    }
    function heard(chunk: string): void {
      if (end !== stop) return;
      cancel();
      cancel = platform.setTimer(lost, SILENT_MS);
      const lines = (text + chunk).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const at = line.indexOf(':');
        if (at > 0) message[line.slice(0, at)] = line.slice(at + 1).trim();
        else {
          understand(message);
          message = {};
        }
      }
      if (text.length > LINE_CHARS) lost();
    }
    end = stop;
    heard('');
    const url = `${baseUrl}/v1/flags/changes?last_event_id=${encodeURIComponent(lastId)}`;
    stream(url, { 'X-API-Key': key }, own.signal, heard).then(lost, lost);
  }

  return {
    opened,
    open() {
      if (end === undefined) connect();
    },
    close() {
      end?.();
      end = undefined;
    },
  };
}
