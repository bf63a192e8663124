import type { LookupFunction } from 'node:net';
import { Client } from 'undici';

/** One connection to a receiver, for one exchange at a time. */
export interface Connection {
  readonly client: Client;
  /** Whether it carried an exchange before: then the receiver may have closed it meanwhile. */
  readonly isReused: boolean;
  /** Keeps it for later exchanges; call it when a response has ended. */
  release(): void;
  /** Closes it, with the exchange under way. */
  destroy(): void;
}

/**
 * The connections to receivers, and those kept open between exchanges.
 *
 * Invariants
 * 1. A connection carries one exchange at a time, without pipelining: a receiver that stalls delays no other attempt.
 * 2. At most `IDLE_CONNECTIONS` are kept, each for at most `IDLE_CONNECTION_MS`. Beyond that the longest idle one is
 *    closed.
 */
export interface Connections {
  /** An idle connection to the URL's origin, or a new one. `fresh`: always a new one. */
  take(url: URL, lookup: LookupFunction, fresh: boolean): Connection;
  /** Closes the idle ones. */
  close(): void;
}

/** Few receivers are busy at once. */
const IDLE_CONNECTIONS = 256;
const IDLE_CONNECTION_MS = 15_000;

interface Kept {
  client: Client;
  origin: string;
  isConnected: boolean;
}

export function createConnections(): Connections {
  /** Idle connections in the order in which they became idle. */
  const idle = new Set<Kept>();
  const idleByOrigin = new Map<string, Kept[]>();

  function open(origin: string, lookup: LookupFunction): Kept {
    const client = new Client(origin, {
      connect: { lookup },
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
      // The sender bounds the whole exchange.
      connectTimeout: 0,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const kept = { client, origin, isConnected: false };
    client.on('connect', () => {
      kept.isConnected = true;
    });
    client.on('disconnect', () => {
      kept.isConnected = false;
      if (idle.has(kept)) destroy(kept);
    });
    return kept;
  }

  function remove(kept: Kept): void {
    if (!idle.delete(kept)) return;
    const others = idleByOrigin.get(kept.origin)?.filter((one) => one !== kept) ?? [];
    if (others.length === 0) idleByOrigin.delete(kept.origin);
    else idleByOrigin.set(kept.origin, others);
  }

  function destroy(kept: Kept): void {
    remove(kept);
    // It rejects only if it is destroyed already.
    kept.client.destroy().catch(() => {});
  }

  function release(kept: Kept): void {
    if (!kept.isConnected) {
      destroy(kept);
      return;
    }
    const [oldest] = idle;
    if (idle.size >= IDLE_CONNECTIONS && oldest !== undefined) destroy(oldest);
    idle.add(kept);
    const others = idleByOrigin.get(kept.origin);
    if (others === undefined) idleByOrigin.set(kept.origin, [kept]);
    else others.push(kept);
  }

  return {
    take(url, lookup, fresh) {
      const found = fresh ? undefined : idleByOrigin.get(url.origin)?.at(-1);
      if (found !== undefined) remove(found);
      const kept = found ?? open(url.origin, lookup);
      return {
        client: kept.client,
        isReused: found !== undefined,
        release: () => release(kept),
        destroy: () => destroy(kept),
      };
    },
    close() {
      for (const kept of idle) destroy(kept);
    },
  };
}
