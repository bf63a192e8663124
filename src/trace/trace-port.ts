import { openClient } from '../../clickhouse-schema/open-client.ts';
import type { ClickhouseAddress } from '../../clickhouse-schema/clickhouse-address.ts';
import { createEventTraceSource, type TraceScope } from '../../clickhouse-schema/queries/events/event-trace.ts';
import type { Log } from '../../streams/log/log.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { TRACE_LIMITS } from './limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import { createShares } from '../../core/kernel/flow/shares.ts';
import { type EventTraces, traceEvent } from './trace-event.ts';

/**
 * `share`: this process makes as many traces as it may for the game or user, and `busy`: for all of them.
 * `unavailable`: the log or ClickHouse did not answer in time.
 */
export type TraceResult = { kind: 'traced'; traces: EventTraces } | { kind: 'share' | 'busy' | 'unavailable' };

/** Traces events for requests, a bounded number at once. */
export interface EventTracer {
  /** @param user the id of the person who asks; undefined: an API key asks */
  trace(eventId: string, scope: Required<TraceScope>, user: string | undefined): Promise<TraceResult>;
  close(): Promise<void>;
}

export interface EventTracerOptions {
  log: Log;
  clock: Clock;
  address: ClickhouseAddress;
  logger: Pick<Logger, 'warn'>;
}

export function createEventTracer({ log, clock, address, logger }: EventTracerOptions): EventTracer {
  const client = openClient(address, 'trace', (TRACE_LIMITS.traceRequestSeconds + 5) * 1000);
  const source = createEventTraceSource(client, TRACE_LIMITS.traceRequestSeconds);
  const shares = createShares({ places: TRACE_LIMITS.traceRequests, ofHolder: TRACE_LIMITS.traceRequestsOfCaller });
  return {
    async trace(eventId, scope, user) {
      const game = `game ${scope.game ?? ''}`;
      const place = shares.take(user === undefined ? [game] : [game, `user ${user}`]);
      if (place === 'share') return { kind: 'share' };
      if (place === 'full') return { kind: 'busy' };
      try {
        return { kind: 'traced', traces: await traceEvent({ log, clock, source }, eventId, scope) };
      } catch (error) {
        logger.warn({ err: error }, 'an event could not be traced');
        return { kind: 'unavailable' };
      } finally {
        place();
      }
    },
    close: () => client.close(),
  };
}
