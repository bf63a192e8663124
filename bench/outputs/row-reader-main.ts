import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoints } from '../../src/local/run-files.ts';
import { helperSpec, onAsked, tellParent } from '../helpers/helper-process.ts';
import { monotonicMs } from '../measure/monotonic-ms.ts';
import { askClickhouse } from '../service/ask-clickhouse.ts';
import { createArrivalLog } from './arrivals.ts';

/** What the reader of rows is told at its start. */
export interface RowReaderSpec {
  clickhouse: Endpoints['clickhouse'];
  /** Between two looks: how much later than it was visible a row may be seen. */
  lookMs: number;
}

/**
 * Asks over and over for rows that were not there before, and notes when each was seen. Rows become visible in the order of
 * the log: what stands behind the last one seen is new.
 */
async function readRows({ clickhouse, lookMs }: RowReaderSpec): Promise<void> {
  const log = createArrivalLog();
  onAsked((what) => tellParent(what === 'take' ? log.take() : { count: log.count }));
  let last = await lastSequence(clickhouse);
  tellParent({ ready: true });
  for (;;) {
    const text = await askClickhouse(
      clickhouse,
      `SELECT facts_sequence, JSONExtractUInt(properties, 'n') FROM events WHERE facts_sequence > ${last} FORMAT TabSeparated`,
    );
    const atMs = monotonicMs();
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const [sequence, number] = line.split('\t').map(Number);
      last = Math.max(last, sequence ?? 0);
      log.note(number ?? Number.NaN, 0, atMs);
    }
    await sleep(lookMs);
  }
}

async function lastSequence(clickhouse: Endpoints['clickhouse']): Promise<number> {
  return Number(await askClickhouse(clickhouse, 'SELECT max(facts_sequence) FROM events'));
}

const spec: RowReaderSpec = JSON.parse(helperSpec());
await readRows(spec);
