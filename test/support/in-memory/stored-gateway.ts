import { createAnalytics, type Analytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { createMemoryBroker, type MemoryLog } from '../../../streams/log/memory/log-memory.ts';
import { createClickhouseSink, type ClickhouseSink } from '../../../streams/sinks/clickhouse/clickhouse-sink.ts';
import { type TestClickhouse } from '../servers/clickhouse.ts';
import { startWithTables } from '../wire/made-tables.ts';
import { createDecidingBackend, type DecidingBackend } from './deciding-backend.ts';
import { startGateway, type Gateway } from './http-gateway.ts';
import { silentLogger } from './silent-logger.ts';

/**
 * A gateway over HTTP whose backend decides commands, and a sink that writes what a test commits to `log` to the real
 * ClickHouse engine, from which the gateway reads.
 */
export interface StoredGateway {
  clickhouse: TestClickhouse;
  analytics: Analytics;
  log: MemoryLog;
  sink: ClickhouseSink;
  backend: DecidingBackend;
  gateway: Gateway;
  metrics: ReturnType<typeof createMetrics>;
  close(): Promise<void>;
}

export async function startStoredGateway(): Promise<StoredGateway> {
  const clickhouse = await startWithTables();
  const analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  const broker = createMemoryBroker({ clock: systemClock });
  const log = broker.connect('test');
  const metrics = createMetrics();
  const sink = createClickhouseSink({
    log: broker.connect('sink'),
    clock: systemClock,
    holder: 'sink',
    clickhouse: clickhouse.address,
    logger: silentLogger,
    metrics,
  });
  sink.start();
  const backend = createDecidingBackend(systemClock);
  const gateway = await startGateway({ backend, analytics, metrics });
  return {
    clickhouse,
    analytics,
    log,
    sink,
    backend,
    gateway,
    metrics,
    async close() {
      await gateway.close();
      await sink.stop();
      await analytics.close();
      await clickhouse.close();
    },
  };
}
