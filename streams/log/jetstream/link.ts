import { jetstreamManager } from '@nats-io/jetstream';
import { AuthorizationError, connect, UserAuthenticationExpiredError } from '@nats-io/transport-node';
import type { Msg, NatsConnection, ServerInfo, Subscription } from '@nats-io/transport-node';
import { sleep, within } from '../../../core/kernel/clock.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from './limits.ts';
import { LOG_LIMITS } from '../limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { Stop } from '../log.ts';
import type { Manager } from './manager.ts';
import { createRequests, type Requests } from './requests.ts';
import { createUnanswered, type Unanswered } from './unanswered.ts';
import { connectionOptionsOf, parseBrokerUrl, withoutCredentials, type BrokerAccess } from './access.ts';

/**
 * One connection to the broker, which reconnects until it is closed.
 *
 * States: up ⇄ down, with the socket; closed.
 *
 * Invariants
 * 1. A request made while the link is down waits for it, within its time-out.
 * 2. When the socket breaks, every request in flight ends with `none`: the client library drops its buffer, so the
 *    request may or may not have been sent.
 */
export interface Link extends Pick<Requests, 'request'> {
  readonly up: boolean;
  readonly closed: boolean;
  /** The broker's description of itself at the last connection. */
  readonly server: ServerInfo | undefined;
  /**
   * The client library's calls of the JetStream API, for what is not hot (`api.ts` repeats them until they are
   * answered).
   */
  readonly manager: Manager;
  /** Appends without an answer, by stream (`append.ts`). */
  readonly unanswered: Unanswered;
  /** Whether the broker answers a ping within `timeoutMs`. */
  ping(timeoutMs: number): Promise<boolean>;
  /** Sends a message; dropped while the link is down. */
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
  /** How long the first connection may take. */
  patienceMs: number;
}

/** Connects. Throws when that fails within `patienceMs`, and at once when the broker refuses the credentials. */
export async function openLink(options: LinkOptions): Promise<Link> {
  const { clock, logger } = options;
  const connection = await connectPatiently(options);
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: JETSTREAM_LIMITS.logApiMs });
  const unanswered = createUnanswered(clock);
  const listeners = new Set<(up: boolean) => void>();
  let state: 'up' | 'down' | 'closed' = 'up';
  const requests = createRequests(connection, clock, () => state);

  function goDown(why: string, into: 'down' | 'closed'): void {
    const wasUp = state === 'up';
    state = into;
    unanswered.forget();
    requests.giveUp(why, into === 'closed' ? 'all' : 'sent');
    if (wasUp || into === 'closed') for (const listener of listeners) listener(false);
  }

  function goUp(): void {
    if (state !== 'down') return;
    state = 'up';
    requests.sendWaiting();
    for (const listener of listeners) listener(true);
  }

  async function follow(): Promise<void> {
    // Every attempt repeats the same refusal, so it is logged only when it changes.
    let refusal = '';
    for await (const status of connection.status()) {
      if (state === 'closed') return;
      if (status.type === 'error') {
        if (status.error.message === refusal) continue;
        refusal = status.error.message;
        logger.error({ err: status.error }, 'the broker refuses this connection');
      } else if (status.type === 'disconnect') {
        if (state === 'up') logger.warn('the connection to the broker is lost');
        goDown('disconnected', 'down');
      } else if (status.type === 'reconnect') {
        refusal = '';
        logger.info('the connection to the broker is restored');
        goUp();
      } else if (status.type === 'close') {
        logger.error('the connection to the broker has ended');
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
    unanswered,
    async ping(timeoutMs) {
      const answered = await within(
        clock,
        timeoutMs,
        connection.flush().then(
          () => true,
          () => false,
        ),
      );
      return answered === true;
    },
    request: (...request) => requests.request(...request),
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
      // Flushes published messages if the broker can be reached.
      if (wasUp) await within(clock, LOG_LIMITS.logRequestMs, connection.drain());
      if (!connection.isClosed()) await connection.close();
    },
  };
}

async function connectPatiently({ url, access, clock, logger, patienceMs }: LinkOptions): Promise<NatsConnection> {
  const parsed = parseBrokerUrl(url);
  if (typeof parsed === 'string') throw new Error(parsed);
  const shown = withoutCredentials(url);
  const untilMs = clock.monotonicMs() + patienceMs;
  let servers = parsed.servers;
  for (;;) {
    try {
      const connection = await connect({
        ...connectionOptionsOf({ ...parsed.access, ...access }),
        servers,
        timeout: JETSTREAM_LIMITS.logConnectMs,
        maxReconnectAttempts: -1,
        // A temporary refusal (credentials being changed) must not end the connection.
        ignoreAuthErrorAbort: true,
        reconnectTimeWait: JETSTREAM_LIMITS.logReconnectMs,
        reconnectJitter: JETSTREAM_LIMITS.logReconnectMs,
        pingInterval: JETSTREAM_LIMITS.logPingMs,
        maxPingOut: 2,
        noAsyncTraces: true,
      });
      // A broker without JetStream cannot be used: the others are tried. The last one is returned, for its message.
      const others = servers.filter((server) => withPort(server) !== connection.getServer());
      if (connection.info?.jetstream === true || others.length === 0) return connection;
      logger.warn({ server: connection.getServer() }, 'the broker has JetStream disabled; trying the other addresses');
      servers = others;
      await connection.close();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (isRefusal(error)) {
        const remedy = 'Set NATS_TOKEN, NATS_USER and NATS_PASSWORD, or NATS_CREDS_FILE.';
        throw new Error(`The NATS server at ${shown} refused the credentials (${why}). ${remedy}`, { cause: error });
      }
      if (clock.monotonicMs() >= untilMs) {
        throw new Error(`no NATS server answers at ${shown}: ${why}`, { cause: error });
      }
      await sleep(clock, JETSTREAM_LIMITS.logReconnectMs);
    }
  }
}

/** The address as the client library names it. */
function withPort(server: string): string {
  const behindHost = server.slice(server.lastIndexOf(']') + 1);
  return behindHost.includes(':') ? server : `${server}:4222`;
}

/** Whether to give up. An authentication that timed out is no refusal. */
function isRefusal(error: unknown): boolean {
  if (error instanceof UserAuthenticationExpiredError) return true;
  return error instanceof AuthorizationError && !/timeout/i.test(error.message);
}
