import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { TABLES } from '../../../../clickhouse-schema/rows/tables/tables.ts';
import type { Bench } from '../../bench.ts';
import type { MadeEvents } from '../../load/traffic/made-events.ts';

/** The table as it was filled. */
export interface FilledTable {
  rows: number;
  parts: number;
  /** On disk, projections and indexes included. */
  sizeBytes: number;
  projectionBytes: number;
  /** Compressed properties. */
  propertiesBytes: number;
  /** How long the inserts took, and then the merges that were left. */
  fillSeconds: number;
  settleSeconds: number;
}

/** Rows of one insert: this makes as many parts as a sink makes in busy minutes, and merges have work. */
const INSERT_ROWS = 250_000;
const LOOK_MS = 500;

/** Inserts the events in the order of their times, and waits until all merges are done. */
export async function fillEvents(
  { signal, report }: Bench,
  client: ClickHouseClient,
  made: MadeEvents,
  rows: number,
): Promise<FilledTable> {
  const beganMs = performance.now();
  for (let from = 0; from < rows; from += INSERT_ROWS) {
    const source = `numbers(${from}, ${Math.min(INSERT_ROWS, rows - from)})`;
    await client.command({
      query: `INSERT INTO events (${TABLES.events.columns.join(', ')}) ${made.select(source)}`,
      abort_signal: signal,
    });
    if ((from / INSERT_ROWS) % 8 === 7) report(`${from + INSERT_ROWS} rows`);
  }
  const filledMs = performance.now();
  while ((await oneRow<{ n: number }>(client, MERGES)).n > 0) await sleep(LOOK_MS, undefined, { signal });
  const table = await oneRow<Omit<FilledTable, 'fillSeconds' | 'settleSeconds'>>(client, TABLE);
  return { ...table, fillSeconds: (filledMs - beganMs) / 1000, settleSeconds: (performance.now() - filledMs) / 1000 };
}

/** The row of a statement that answers one. */
export async function oneRow<Row>(client: ClickHouseClient, query: string): Promise<Row> {
  const [row] = await (await client.query({ query, format: 'JSONEachRow' })).json<Row>();
  if (row === undefined) throw new Error(`no row was returned by ${query}`);
  return row;
}

const MERGES = 'SELECT toUInt32(count()) AS n FROM system.merges WHERE database = currentDatabase()';

const TABLE = `
SELECT
  toFloat64(sum(rows)) AS rows,
  toFloat64(count()) AS parts,
  toFloat64(sum(bytes_on_disk)) AS sizeBytes,
  (SELECT toFloat64(sum(bytes_on_disk)) FROM system.projection_parts
    WHERE active AND database = currentDatabase() AND table = 'events') AS projectionBytes,
  (SELECT toFloat64(sum(data_compressed_bytes)) FROM system.columns
    WHERE database = currentDatabase() AND table = 'events' AND name = 'properties') AS propertiesBytes
FROM system.parts
WHERE active AND database = currentDatabase() AND table = 'events'`;
