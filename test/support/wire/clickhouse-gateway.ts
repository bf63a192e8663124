import { expect } from 'vitest';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { createRowBatch } from '../../../clickhouse-schema/rows/row-batch.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import type { Fact } from '../../../core/vocabulary/facts/facts.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { createClickhouseTarget } from '../../../streams/sinks/clickhouse/block-target.ts';
import { createClickhouseSink } from '../../../streams/sinks/clickhouse/clickhouse-sink.ts';
import { aCommit } from '../../../streams/sinks/testing-commits.ts';
import { createFakeLedger } from '../in-memory/fake-ledger.ts';
import { type Gateway, startGateway } from '../in-memory/http-gateway.ts';
import { silentLogger } from '../in-memory/silent-logger.ts';
import type { TestClickhouse } from '../servers/clickhouse.ts';
import { startWithTables } from './made-tables.ts';

/* Gateways that read a real ClickHouse. */

type Options = NonNullable<Parameters<typeof startGateway>[0]>;

export interface ClickhouseGateway {
  clickhouse: TestClickhouse;
  analytics: Analytics;
  gateway: Gateway;
  /** Inserts the facts of one record, by default the next of the log, as the rows that the sink makes of them. */
  write: (facts: readonly Fact[], at?: number) => Promise<void>;
  close: () => Promise<void>;
}

export async function startClickhouseGateway(options: Options = {}): Promise<ClickhouseGateway> {
  const clickhouse = await startWithTables();
  const analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  const target = createClickhouseTarget(clickhouse.address);
  const gateway = await startGateway({ analytics, ...options });
  let sequence = 0;
  return {
    clickhouse,
    analytics,
    gateway,
    async write(facts, at) {
      sequence += 1;
      const batch = createRowBatch();
      batch.add(aCommit([...facts]), { stream: '2026-01-01T00:00:00Z', sequence: at ?? sequence });
      for (const { table, bytes } of batch.blocks()) {
        expect(await target.insert(table, bytes, `${table}/${sequence}/${bytes.length}`)).toEqual({ kind: 'inserted' });
      }
    },
    async close() {
      await gateway.close();
      await analytics.close();
      await target.close();
      await clickhouse.close();
    },
  };
}

/** A gateway whose changes of definitions reach ClickHouse by AUDIT and the sink. */
export async function startHistoryGateway(options: Options = {}): Promise<ClickhouseGateway> {
  const broker = createMemoryBroker({ clock: systemClock });
  const made = await startClickhouseGateway({ ...options, log: broker.connect('gateway') });
  const terms = { clock: systemClock, holder: 'sink', logger: silentLogger, metrics: createMetrics() };
  const sink = createClickhouseSink({ ...terms, log: broker.connect('sink'), clickhouse: made.clickhouse.address });
  sink.start();
  made.gateway.backend.reply = createFakeLedger();
  return {
    ...made,
    async close() {
      await sink.stop();
      await made.close();
    },
  };
}
