import { afterAll, beforeAll, expect, it } from 'vitest';
import { given } from '../../../actors/testing/harness.ts';
import { aCommand } from '../../../actors/testing-players.ts';
import { createRowBatch } from '../../../clickhouse-schema/rows/row-batch.ts';
import { uuidv5 } from '../../../core/kernel/ids.ts';
import { eventStatement } from '../../../src/cli/export/event-statement.ts';
import { fileFormat } from '../../../src/cli/import/files/file-formats.ts';
import { readHistory } from '../../../src/cli/import/files/read-history.ts';
import { createHistoryBatch } from '../../../src/cli/import/send/history-batch.ts';
import { createClickhouseTarget } from '../../../streams/sinks/clickhouse/block-target.ts';
import { aCommit } from '../../../streams/sinks/testing-commits.ts';
import { rowsOf, runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* A game that moves from deployment to deployment: what its export says counts in each of them. */

const NAMESPACE = '5b2f1a6e-6f0e-4d5b-9a57-2d4b8f1c7e90';
const NOW = Date.UTC(2026, 0, 1);
const at = (minute: number): string => new Date(Date.UTC(2025, 5, 1, 12, minute)).toISOString();

const service = (external_id: string, minute: number, event_name: string, properties: object) => ({
  external_id,
  timestamp: at(minute),
  event_name,
  properties,
  source: 'service',
});
/** What a game of this service, another product and the server of a shop have, two of each at one time. */
const LINES: readonly object[] = [
  service('ann', 1, 'session_recorded', { session_id: 's-1', duration_seconds: 61 }),
  service('ann', 1, 'purchase', { amount: 3.5, transaction_id: 't-1', currency: 'EUR' }),
  service('ann', 2, 'purchase', { amount: 7.25 }),
  service('ann', 3, 'purchase', { amount: 11, transaction_id: 77, product_id: 'gems' }),
  service('ann', 9, 'purchase_refunded', { amount: 1.5, transaction_id: 't-1', refund_id: 'r-1' }),
  service('ann', 9, 'purchase_refunded', { amount: 11, transaction_id: '77' }),
  service('bob', 1, 'session_recorded', { session_id: '17', duration_seconds: 17, platform: 'ios' }),
  // Events of these names that are none, before, behind and beside those that are.
  { external_id: 'ann', timestamp: at(1), event_name: 'purchase', properties: { amount: 100, transaction_id: 't-9' } },
  { external_id: 'bob', timestamp: at(2), event_name: 'purchase', properties: { amount: 100 }, source: 'caller' },
  { external_id: 'bob', timestamp: at(1), event_name: 'session_recorded', properties: { session_id: 's-1' } },
  {
    external_id: 'bob',
    timestamp: at(4),
    event_name: 'purchase_refunded',
    properties: { amount: 1, transaction_id: 't' },
  },
];

let clickhouse: TestClickhouse;
beforeAll(async () => {
  clickhouse = await startWithTables();
});
afterAll(() => clickhouse.close());

let sequence = 0;

/** Imports a file as the command does, and inserts the rows as the sink does. */
async function importInto(game: string, text: string): Promise<void> {
  const format = fileFormat('native', 'events');
  if (format === undefined) throw new Error('there is no format');
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  }
  const playerIdOf = (externalId: string): string => uuidv5(NAMESPACE, `${game}:${externalId}`);
  const batch = createHistoryBatch();
  const options = {
    fileKind: 'ndjson',
    format,
    importId: game,
    nowMs: NOW,
    playerIdOf,
    exchangeOf: () => undefined,
  } as const;
  for await (const lines of readHistory({ chunks: chunks(), share: () => undefined }, options)) {
    for (const line of lines) {
      if (line.kind === 'fault') throw new Error(line.reason);
      batch.add(line.item);
    }
  }
  const { facts, reply } = given([]).when(aCommand(batch.close(game, 0), { game, receivedAt: NOW }));
  expect(reply).toMatchObject({ imported: LINES.length, rejected: [], repeated: 0 });
  sequence += 1;
  const rows = createRowBatch();
  rows.add(aCommit([...facts]), { stream: '2025-12-01T00:00:00Z', sequence });
  const target = createClickhouseTarget(clickhouse.address);
  for (const { table, bytes } of rows.blocks()) await target.insert(table, bytes, game);
  await target.close();
}

async function exported(game: string): Promise<string> {
  const statement = eventStatement({ game, environment: 'live' }, Date.UTC(2025, 0, 1), NOW);
  const { status, text } = await runSql(clickhouse, statement, { search: { default_format: 'JSONEachRow' } });
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  return text;
}

/** Every figure that sessions and purchases make, and the events beside them. */
async function figures(game: string): Promise<object> {
  const of = (sql: string) => rowsOf<object>(clickhouse, sql.replaceAll('GAME', `game_id = '${game}'`));
  return {
    sessions: await of(
      'SELECT external_id, session_id, duration_seconds, received_at, platform FROM sessions WHERE GAME ORDER BY ALL',
    ),
    purchases: await of(
      'SELECT external_id, toString(amount) AS amount, counts, kind, currency, product_id, transaction_id, refund_id, ' +
        'received_at FROM purchases WHERE GAME ORDER BY ALL',
    ),
    daily: await of('SELECT * EXCEPT (game_id) FROM purchases_daily WHERE GAME ORDER BY ALL'),
    played: await of('SELECT * EXCEPT (game_id) FROM sessions_daily WHERE GAME ORDER BY ALL'),
    events: await of(
      'SELECT external_id, event_name, timestamp, properties, is_payer, platform FROM events WHERE GAME ORDER BY ALL',
    ),
  };
}

it('an export of an imported game has the same sessions, purchases and refunds, however often it moves', async () => {
  await importInto('first', LINES.map((line) => JSON.stringify(line)).join('\n'));
  const wanted = await figures('first');
  expect(wanted).toMatchObject({ sessions: { length: 2 }, purchases: { length: 5 }, events: { length: LINES.length } });
  await importInto('second', await exported('first'));
  expect(await figures('second')).toEqual(wanted);
  await importInto('third', await exported('second'));
  expect(await figures('third')).toEqual(wanted);
});
