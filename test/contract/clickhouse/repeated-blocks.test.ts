import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRowBatch } from '../../../clickhouse-schema/rows/row-batch.ts';
import { createClickhouseTarget, type BlockTarget } from '../../../streams/sinks/clickhouse/block-target.ts';
import { aTrackedEvent } from '../../../streams/sinks/testing-commits.ts';
import { rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* A block is inserted again after a crash of ClickHouse in between. `npm run faults` found this within 200 kills. */

let clickhouse: TestClickhouse;
let target: BlockTarget;
beforeAll(async () => {
  clickhouse = await startWithTables();
  target = createClickhouseTarget(clickhouse.address);
});
afterAll(async () => {
  await target.close();
  await clickhouse.close();
});

const ROWS = 5;
let sequence = 0;

/** A block of events of a record of its own. */
function aBlock() {
  sequence += 1;
  const batch = createRowBatch();
  const facts = Array.from({ length: ROWS }, (_, place) => aTrackedEvent({ eventId: `${sequence}-${place}` }));
  batch.add(
    { partition: 0, epoch: 1, owner: 'o', committedAt: 0, position: null, configRevision: 0, facts },
    { stream: '2026-01-01T00:00:00Z', sequence },
  );
  const [block] = batch.blocks();
  if (block === undefined) throw new Error('no block');
  const { bytes, rows, receivedFromMs, receivedToMs } = block;
  const [from, to] = [sequence, sequence];
  const insert = (repeated: boolean) =>
    target.insert('events', bytes, `events/${from}`, { rows, receivedFromMs, receivedToMs, from, to, repeated });
  const found = async (): Promise<number> => {
    const [row] = await rowsOf<{ n: number }>(
      clickhouse,
      `SELECT toUInt32(count()) AS n FROM events WHERE facts_sequence = ${from}`,
    );
    return row?.n ?? 0;
  };
  return { insert, found };
}

/** Where the engine keeps the table. */
async function tableFolder(): Promise<string> {
  const [table] = await rowsOf<{ path: string }>(
    clickhouse,
    "SELECT data_paths[1] AS path FROM system.tables WHERE database = currentDatabase() AND name = 'events'",
  );
  return table?.path ?? '';
}

/** Names of the parts that hold the newest record. */
async function newestPart(): Promise<string> {
  const [part] = await rowsOf<{ part: string }>(
    clickhouse,
    `SELECT DISTINCT _part AS part FROM events WHERE facts_sequence = ${sequence}`,
  );
  return part?.part ?? '';
}

const INSERTED = { kind: 'inserted' };

test('a crash between recording the token and the part loses the block, and a repeat inserts it once', async () => {
  const block = aBlock();
  expect(await block.insert(false)).toEqual(INSERTED);
  const part = join(await tableFolder(), await newestPart());
  await clickhouse.kill();
  // As the engine leaves it: the token in its log, the part never in its place.
  rmSync(part, { recursive: true });
  await clickhouse.restart();
  expect(await block.found()).toBe(0);
  expect(await block.insert(false)).toEqual(INSERTED);
  expect(await block.found(), 'the token alone makes a repeat nothing').toBe(0);

  expect(await block.insert(true)).toEqual(INSERTED);
  expect(await block.found()).toBe(ROWS);
  expect(await block.insert(true)).toEqual(INSERTED);
  expect(await block.found()).toBe(ROWS);
});

test('a repeat after a crash between the part and recording the token doubles nothing', async () => {
  const block = aBlock();
  expect(await block.insert(false)).toEqual(INSERTED);
  const tokens = join(await tableFolder(), 'deduplication_logs');
  await clickhouse.kill();
  rmSync(tokens, { recursive: true });
  await clickhouse.restart();
  expect(await block.insert(true)).toEqual(INSERTED);
  expect(await block.found()).toBe(ROWS);
});

test('a repeat of a block that never arrived inserts it', async () => {
  const block = aBlock();
  expect(await block.insert(true)).toEqual(INSERTED);
  expect(await block.found()).toBe(ROWS);
});
