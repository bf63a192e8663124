import type { Cancel, Clock } from '../../../core/kernel/clock.ts';
import { roughChars } from '../../../core/codec/rough-chars.ts';
import type { Query } from '../../../core/vocabulary/commands/commands.ts';
import { BACKEND_LIMITS } from './limits.ts';
import { encodeQueries } from '../../../core/codec/codec.ts';
import { queriesSubject } from '../../../streams/subjects.ts';
import type { Log, Stop } from '../../../streams/log/log.ts';

/**
 * Sends queries to owners. Queries of one turn of the event loop for one partition share a message. An unanswered query
 * is sent again, because a plain message may be lost and a partition may be between two owners. Queries change nothing,
 * so sending them twice is harmless.
 */
export interface QuerySender {
  add(partition: number, query: Query): void;
  /** Stops sending a query again, after its reply or time-out. */
  forget(requestId: string): void;
  /** Hands the queries of a partition to an owner in this process. */
  serve(partition: number, take: (queries: readonly Query[]) => void): Stop;
  close(): void;
}

export interface QuerySenderOptions {
  log: Log;
  clock: Clock;
  partitions: number;
}

/** How long a reply may take before the query is sent again. */
const RESEND_MS = 250;
/**
 * Queries in one message, and characters of their texts: three bytes each stay below half of the broker's payload
 * limit.
 */
const MESSAGE_QUERIES = 1_000;
const MESSAGE_CHARS = BACKEND_LIMITS.requestsBatchBytes / 2;

export function createQuerySender({ log, clock, partitions }: QuerySenderOptions): QuerySender {
  const fresh: Query[][] = Array.from({ length: partitions }, () => []);
  const open = new Map<string, { partition: number; query: Query; sentMs: number }>();
  const owners = new Map<number, (queries: readonly Query[]) => void>();
  let scheduled = false;
  let cancel: Cancel | undefined;

  function flush(): void {
    scheduled = false;
    for (const [partition, waiting] of fresh.entries()) {
      const queries = waiting.splice(0);
      const owner = owners.get(partition);
      if (owner === undefined) publish(partition, queries);
      else if (queries.length > 0) owner(queries);
    }
  }

  function publish(partition: number, queries: readonly Query[]): void {
    for (const message of messagesOf(queries)) log.publish(queriesSubject(partition), message);
  }

  /** Uses messages only: an owner in this process that did not reply may no longer be the owner. */
  function resend(): void {
    cancel = undefined;
    const nowMs = clock.monotonicMs();
    const late = Array.from({ length: partitions }, (): Query[] => []);
    for (const entry of open.values()) {
      if (entry.sentMs + RESEND_MS > nowMs) continue;
      entry.sentMs = nowMs;
      late[entry.partition]?.push(entry.query);
    }
    for (const [partition, queries] of late.entries()) publish(partition, queries);
    if (open.size > 0) cancel = clock.timer(RESEND_MS, resend);
  }

  return {
    add(partition, query) {
      fresh[partition]?.push(query);
      open.set(query.requestId, { partition, query, sentMs: clock.monotonicMs() });
      if (!scheduled) {
        scheduled = true;
        clock.timer(0, flush);
      }
      cancel ??= clock.timer(RESEND_MS, resend);
    },
    forget(requestId) {
      open.delete(requestId);
    },
    serve(partition, take) {
      owners.set(partition, take);
      return () => {
        if (owners.get(partition) === take) owners.delete(partition);
      };
    },
    close() {
      cancel?.();
      open.clear();
    },
  };
}

/** Splits queries into messages within the bounds. A single query always fits, because its request's body did. */
function* messagesOf(queries: readonly Query[]): Generator<Uint8Array> {
  let from = 0;
  let chars = 0;
  for (const [at, query] of queries.entries()) {
    const more = roughChars(query);
    if (at > from && (at - from >= MESSAGE_QUERIES || chars + more > MESSAGE_CHARS)) {
      yield encodeQueries(queries.slice(from, at));
      from = at;
      chars = 0;
    }
    chars += more;
  }
  if (from < queries.length) yield encodeQueries(queries.slice(from));
}
