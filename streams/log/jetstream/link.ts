import { jetstreamManager } from '@nats-io/jetstream';
import { AuthorizationError, connect, createInbox, UserAuthenticationExpiredError } from '@nats-io/transport-node';
import type { Msg, MsgHdrs, NatsConnection, ServerInfo, Subscription } from '@nats-io/transport-node';
import { sleep, within } from '../../../src/kernel/clock.ts';
import type { Cancel, Clock } from '../../../src/kernel/clock.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import type { Stop } from '../log.ts';
import type { Manager } from './manager.ts';
import { connectionOptionsOf, parseBrokerUrl, withoutCredentials, type BrokerAccess } from './access.ts';

/** What came back for a request. `none`: nothing did, and whether it was carried out is not known. */
export type Answer = { kind: 'answer'; data: Uint8Array } | { kind: 'none'; why: string };

export interface RequestOptions {
  headers?: MsgHdrs;
  timeoutMs: number;
}

/**
 * One connection to the broker, kept for ever.
 *
 * States: up ⇄ down, as the socket goes; closed.
 *
 * Invariants
 * 1. A request is carried out at most once. Those made while the link is down wait for it, within their time-out. So do
 *    those that nobody received ("no responders": a stream that has no leader, or is made again after a restart): they
 *    certainly were not carried out, and are sent again.
 * 2. When the socket breaks, every request under way ends with `none`: the client library drops what it had buffered,
 *    so it may or may not have been sent.
 *
 * Requests have their own reply inbox instead of the library's: with a JetStream publish on this path one
 * acknowledgement costs 5 µs of processor time instead of 12 (64 in flight, measured).
 */
export interface Link {
  readonly up: boolean;
  readonly closed: boolean;
  /** What the broker said of itself when it was met last. */
  readonly server: ServerInfo | undefined;
  /** The client library's calls of the JetStream API, for what is not hot (`api.ts` repeats them until they are answered). */
  readonly manager: Manager;
  request(subject: string, data: Uint8Array | string, options: RequestOptions): Promise<Answer>;
  /** Sends without waiting for anything; dropped while the link is down. */
  send(subject: string, data: Uint8Array | string, reply?: string): void;
  subscribe(subject: string, onMessage: (message: Msg) => void, queue?: string): Pick<Subscription, 'unsubscribe'>;
  onChange(listener: (up: boolean) => void): Stop;
  close(): Promise<void>;
}

export interface LinkOptions {
  url: string;
  /** Overrides the credentials and TLS of `url`. */
  access?: BrokerAccess;
  clock: Clock;
  logger: Logger;
  /** How long the first connection may take before this is given up. */
  patienceMs: number;
}

interface Waiting {
  sent: boolean;
  send: () => void;
  settle: (answer: Answer) => void;
}

/** Connects. Throws when that fails within `patienceMs`, and at once when the broker refuses the credentials. */
export async function openLink(options: LinkOptions): Promise<Link> {
  const { clock, logger } = options;
  const connection = await connectPatiently(options);
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: LIMITS.logApiMs });
  const inbox = createInbox();
  const waiting = new Map<string, Waiting>();
  const listeners = new Set<(up: boolean) => void>();
  let state: 'up' | 'down' | 'closed' = 'up';
  let count = 0;

  connection.subscribe(`${inbox}.*`, {
    callback(_error, message) {
      const request = waiting.get(message.subject.slice(inbox.length + 1));
      if (request === undefined) return;
      const unserved = message.data.length === 0 && message.headers?.code === 503;
      if (unserved) sendAgain(request);
      else request.settle({ kind: 'answer', data: message.data });
    },
  });

  function sendAgain(request: Waiting): void {
    request.sent = false;
    clock.timer(LIMITS.logRetryMs, () => {
      if (state === 'up' && !request.sent) request.send();
    });
  }

  function request(subject: string, data: Uint8Array | string, options: RequestOptions): Promise<Answer> {
    const { headers, timeoutMs } = options;
    return new Promise((resolve) => {
      if (state === 'closed') {
        resolve({ kind: 'none', why: 'the log is closed' });
        return;
      }
      const token = (++count).toString(36);
      const publishOptions = { reply: `${inbox}.${token}`, ...(headers === undefined ? {} : { headers }) };
      let cancel: Cancel = () => {};
      const request: Waiting = {
        sent: false,
        send() {
          if (!waiting.has(token)) return;
          request.sent = true;
          connection.publish(subject, data, publishOptions);
        },
        settle(answer) {
          cancel();
          waiting.delete(token);
          resolve(answer);
        },
      };
      waiting.set(token, request);
      cancel = clock.timer(timeoutMs, () => request.settle({ kind: 'none', why: 'no answer in time' }));
      if (state === 'up') request.send();
    });
  }

  function goDown(why: string, into: 'down' | 'closed'): void {
    const wasUp = state === 'up';
    state = into;
    for (const request of waiting.values()) {
      if (request.sent || into === 'closed') request.settle({ kind: 'none', why });
    }
    if (wasUp || into === 'closed') for (const listener of listeners) listener(false);
  }

  function goUp(): void {
    if (state !== 'down') return;
    state = 'up';
    for (const request of waiting.values()) if (!request.sent) request.send();
    for (const listener of listeners) listener(true);
  }

  async function follow(): Promise<void> {
    // A refusal repeats with every attempt: it is logged when it is another one than the last.
    let refusal = '';
    for await (const status of connection.status()) {
      if (state === 'closed') return;
      if (status.type === 'error') {
        if (status.error.message === refusal) continue;
        refusal = status.error.message;
        logger.error({ err: status.error }, 'the broker refuses what this process asks');
      } else if (status.type === 'disconnect') {
        if (state === 'up') logger.warn('the connection to the broker is lost');
        goDown('disconnected', 'down');
      } else if (status.type === 'reconnect') {
        refusal = '';
        logger.info('the broker is back');
        goUp();
      } else if (status.type === 'close') {
        logger.error('the connection to the broker ended for good');
        goDown('the connection ended', 'down');
      }
    }
  }

  void follow();
  return {
    get server() {
      return connection.info;
    },
    get up() {
      return state === 'up';
    },
    get closed() {
      return state === 'closed';
    },
    manager,
    request,
    send(subject, data, reply) {
      if (state === 'up') connection.publish(subject, data, reply === undefined ? {} : { reply });
    },
    subscribe: (subject, onMessage, queue) =>
      connection.subscribe(subject, {
        callback: (_error, message) => onMessage(message),
        ...(queue === undefined ? {} : { queue }),
      }),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      if (state === 'closed') return;
      const wasUp = state === 'up';
      goDown('the log is closed', 'closed');
      // What was published is flushed if the broker can be reached; it is not waited for longer than that.
      if (wasUp) await within(clock, LIMITS.logRequestMs, connection.drain());
      if (!connection.isClosed()) await connection.close();
    },
  };
}

async function connectPatiently({ url, access, clock, patienceMs }: LinkOptions): Promise<NatsConnection> {
  const parsed = parseBrokerUrl(url);
  if (typeof parsed === 'string') throw new Error(parsed);
  const shown = withoutCredentials(url);
  const untilMs = clock.monotonicMs() + patienceMs;
  for (;;) {
    try {
      return await connect({
        ...connectionOptionsOf({ ...parsed.access, ...access }),
        servers: parsed.servers,
        timeout: LIMITS.logConnectMs,
        maxReconnectAttempts: -1,
        // A broker that refuses us for a while (credentials being changed) must not end the connection for ever.
        ignoreAuthErrorAbort: true,
        reconnectTimeWait: LIMITS.logReconnectMs,
        reconnectJitter: LIMITS.logReconnectMs,
        pingInterval: LIMITS.logPingMs,
        maxPingOut: 2,
        noAsyncTraces: true,
      });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (isRefusal(error)) {
        const remedy = 'Set NATS_TOKEN, NATS_USER and NATS_PASSWORD, or NATS_CREDS_FILE to what it accepts.';
        throw new Error(`The NATS server at ${shown} refused the credentials (${why}). ${remedy}`, { cause: error });
      }
      if (clock.monotonicMs() >= untilMs) {
        throw new Error(`no NATS server answers at ${shown}: ${why}`, { cause: error });
      }
      await sleep(clock, LIMITS.logReconnectMs);
    }
  }
}

/** Trying again does not help. An authentication that merely took the server too long is no refusal. */
function isRefusal(error: unknown): boolean {
  if (error instanceof UserAuthenticationExpiredError) return true;
  return error instanceof AuthorizationError && !/timeout/i.test(error.message);
}
