import { openClient } from '../../clickhouse-schema/open-client.ts';
import type { ClickhouseAddress } from '../../clickhouse-schema/clickhouse-address.ts';
import { createEventTraceSource, type TraceScope } from '../../clickhouse-schema/queries/event-trace.ts';
import type { Log } from '../../streams/log/log.ts';
import type { Clock } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Logger } from '../kernel/logger.ts';
import { type EventTraces, traceEvent } from './trace-event.ts';

/** `busy`: this process makes as many traces as it may. `unavailable`: the log or ClickHouse did not answer in time. */
export type TraceResult = { kind: 'traced'; traces: EventTraces } | { kind: 'busy' } | { kind: 'unavailable' };

/** Traces events for requests, a bounded number at once. */
export interface EventTracer {
  trace(eventId: string, scope: Required<TraceScope>): Promise<TraceResult>;
  close(): Promise<void>;
}

export interface EventTracerOptions {
  log: Log;
  clock: Clock;
  address: ClickhouseAddress;
  logger: Pick<Logger, 'warn'>;
}

export function createEventTracer({ log, clock, address, logger }: EventTracerOptions): EventTracer {
  const client = openClient(address, 'trace', (LIMITS.traceRequestSeconds + 5) * 1000);
  const source = createEventTraceSource(client, LIMITS.traceRequestSeconds);
  let running = 0;
  return {
    async trace(eventId, scope) {
      if (running >= LIMITS.traceRequests) return { kind: 'busy' };
      running += 1;
      try {
        return { kind: 'traced', traces: await traceEvent({ log, clock, source }, eventId, scope) };
      } catch (error) {
        logger.warn({ err: error }, 'an event could not be traced');
        return { kind: 'unavailable' };
      } finally {
        running -= 1;
      }
    },
    close: () => client.close(),
  };
}
