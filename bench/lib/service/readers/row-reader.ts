import { setTimeout as sleep } from 'node:timers/promises';
import { readEndpoints } from '../../../../src/local/processes/run-files.ts';
import { createArrivalLog, monotonicMs, type Observer } from '../../load/traffic/arrivals.ts';
import { BenchError, type Owner } from '../../bench.ts';
import { queryClickhouse } from '../clickhouse.ts';
import type { LocalService } from '../service.ts';
import { defineWorker } from '../worker.ts';

/** Between two queries: how much later than it was visible a row may be seen. They cost little at this rate. */
export const ROW_CHECK_MS = 50;

type Address = Parameters<typeof queryClickhouse>[0];

/** Starts a reader of new rows of events in a process of its own; resolves when it reads. */
export function startRowReader(owner: Owner, { dataDir }: LocalService): Promise<Observer> {
  const clickhouse = readEndpoints(dataDir)?.clickhouse;
  if (clickhouse === undefined) throw new BenchError("the service's folder does not say where its ClickHouse is");
  return rowReader.start(owner, clickhouse);
}

/** Queries for new rows and records when each was seen. Rows become visible in the order of the log. */
const rowReader = defineWorker(import.meta.url, async (clickhouse: Address) => {
  const log = createArrivalLog();
  const last = Number(await queryClickhouse(clickhouse, 'SELECT max(facts_sequence) FROM events'));
  void readRows(clickhouse, last, (number, atMs) => log.record(number, 0, atMs));
  return log.methods;
});

async function readRows(
  clickhouse: Address,
  lastSequence: number,
  onRow: (number: number, atMs: number) => void,
): Promise<void> {
  for (let last = lastSequence; ;) {
    const text = await queryClickhouse(
      clickhouse,
      "SELECT facts_sequence, JSONExtractUInt(properties, 'n') FROM events " +
        `WHERE facts_sequence > ${last} FORMAT TabSeparated`,
    );
    const atMs = monotonicMs();
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const [sequence, number] = line.split('\t').map(Number);
      last = Math.max(last, sequence ?? 0);
      onRow(number ?? Number.NaN, atMs);
    }
    await sleep(ROW_CHECK_MS);
  }
}
