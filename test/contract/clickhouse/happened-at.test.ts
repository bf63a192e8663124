import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readableSql } from '../../../clickhouse-schema/queries/questions/statement-of.ts';
import { rowsOf, runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* The column by which every figure counts, on the real engine. */

let clickhouse: TestClickhouse;
beforeAll(async () => {
  clickhouse = await startWithTables();
});
afterAll(() => clickhouse.close());

const DAY_MS = 86_400_000;
const RECEIVED = Date.UTC(2026, 2, 8, 0, 0, 30, 5);
const PLAYER = '00000000-0000-5000-8000-000000000001';
const ROW = { game_id: 'times', environment: 'live', player_id: PLAYER, received_at: RECEIVED };

async function insert(table: string, row: object): Promise<void> {
  const sql = `INSERT INTO ${table} FORMAT JSONEachRow`;
  expect(await runSql(clickhouse, sql, { body: JSON.stringify({ ...ROW, ...row }) })).toMatchObject({ status: 200 });
}

const happened = async (table: string, id: string): Promise<number> => {
  const at = 'toFloat64(toUnixTimestamp64Milli(happened_at)) AS at';
  const [row] = await rowsOf<{ at: number }>(clickhouse, `SELECT ${at} FROM ${table} WHERE external_id = '${id}'`);
  return row?.at ?? 0;
};

describe('a row happened', () => {
  it.each([
    ['at the time of its device', RECEIVED - 1, RECEIVED - 1],
    ['at the time of its device that is that of the receipt', RECEIVED, RECEIVED],
    ['at the time of its device less than seven days ago', RECEIVED - 7 * DAY_MS + 1, RECEIVED - 7 * DAY_MS + 1],
    ['at its receipt if its device says seven days ago', RECEIVED - 7 * DAY_MS, RECEIVED],
    ['at its receipt if its device is ahead', RECEIVED + 1, RECEIVED],
    ['at its receipt if its device says another century', Date.UTC(1999, 0, 1), RECEIVED],
  ])('%s', async (name, device, expected) => {
    await insert('events', { external_id: name, event_name: 'e', timestamp: device });
    await insert('sessions', { external_id: name, start_time: device });
    expect([await happened('events', name), await happened('sessions', name)]).toEqual([expected, expected]);
  });

  it('at its receipt if it is a session without a start, or a purchase', async () => {
    await insert('sessions', { external_id: 'no start', start_time: null });
    await insert('purchases', { external_id: 'bought', amount: 1 });
    expect(await happened('sessions', 'no start')).toBe(RECEIVED);
    expect(await happened('purchases', 'bought')).toBe(RECEIVED);
  });
});

it('a question about a range reads the months and granules of its receipts only', async () => {
  for (const month of [0, 1, 3, 4]) {
    const at = Date.UTC(2026, month, 20);
    await insert('events', { event_name: 'e', external_id: `${month}`, timestamp: at, received_at: at });
  }
  const scope = {
    game: 'times',
    environment: 'live',
    zone: 'UTC',
    fromMs: Date.UTC(2026, 2, 1),
    toMs: Date.UTC(2026, 2, 9),
  };
  const figure = { metric: 'events', title: 'Events', unit: 'count', nullWithout: undefined } as const;
  const parts = [{ measure: 'events', eventNames: ['e'], where: [] }] as const;
  const sql = readableSql({ ...scope, figure, parts, limit: 5, kind: 'trend', interval: 'day' });
  expect(await rowsOf(clickhouse, sql)).toEqual([
    { at: Date.UTC(2026, 2, 1) / 1_000, key: '', value: 1 },
    { at: Date.UTC(2026, 2, 8) / 1_000, key: '', value: 5 },
  ]);
  const plan = await rowsOf<Record<string, string>>(clickhouse, `EXPLAIN indexes = 1 ${sql}`);
  const text = plan.flatMap((row) => Object.values(row)).join('\n');
  expect(text).toMatch(/PrimaryKey\s+Keys:\s+game_id\s+environment\s+event_name\s+received_at/);
  const [, left, all] = /Partition\s+Keys:[^P]+Parts: (\d+)\/(\d+)/.exec(text) ?? [];
  expect([Number(left) < 10, text.includes('toYYYYMM(received_at)')]).toEqual([true, true]);
  expect(Number(all)).toBeGreaterThanOrEqual(Number(left));
});
