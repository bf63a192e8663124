import { afterAll, beforeAll, expect, test } from 'vitest';
import { rowsOf, execSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

let clickhouse: TestClickhouse;
beforeAll(async () => {
  clickhouse = await startWithTables();
});
afterAll(() => clickhouse.close());

const PLAYERS: Record<string, string> = {
  'anonymous:a': '00000000-0000-5000-8000-00000000000a',
  'anonymous:b': '00000000-0000-5000-8000-00000000000b',
  ann: '00000000-0000-5000-8000-000000000001',
  bob: '00000000-0000-5000-8000-000000000002',
};

/** Inserts an event received in this second. */
const event = (second: number, player: string, name: string, properties: object = {}, some: object = {}) => ({
  event_id: `${second}`,
  game_id: 'demo',
  environment: 'live',
  player_id: PLAYERS[player],
  external_id: player,
  event_name: name,
  properties: JSON.stringify(properties),
  timestamp: `2026-01-15 10:30:${second}.000`,
  received_at: `2026-01-15 10:30:${second}.000`,
  source: 'caller',
  ...some,
});

test('the events of an anonymous player belong to the player that it became first, each once', async () => {
  const was = (anonymous: string) => ({ anonymous_external_id: anonymous });
  const rows = [
    event(10, 'anonymous:a', 'seen'),
    event(11, 'ann', 'identify', was('anonymous:a')),
    event(12, 'ann', 'identify', was('anonymous:a')),
    event(13, 'bob', 'alias', was('anonymous:a')),
    event(14, 'anonymous:a', 'seen'),
    event(15, 'anonymous:b', 'seen'),
    event(16, 'bob', 'identify', was('ann')),
    event(17, 'ann', 'seen'),
    event(18, 'bob', 'identify', was('anonymous:b'), { game_id: 'other' }),
    event(19, 'bob', 'identify', was('anonymous:b'), { environment: 'test' }),
  ];
  await execSql(
    clickhouse,
    `INSERT INTO events FORMAT JSONEachRow ${rows.map((row) => JSON.stringify(row)).join('\n')}`,
  );
  const found = await rowsOf(
    clickhouse,
    'SELECT event_id, external_id, identified_external_id, toString(identified_player_id) AS player ' +
      "FROM identified_events WHERE event_name = 'seen' ORDER BY event_id",
  );
  expect(found).toEqual([
    { event_id: '10', external_id: 'anonymous:a', identified_external_id: 'ann', player: PLAYERS['ann'] },
    { event_id: '14', external_id: 'anonymous:a', identified_external_id: 'ann', player: PLAYERS['ann'] },
    {
      event_id: '15',
      external_id: 'anonymous:b',
      identified_external_id: 'anonymous:b',
      player: PLAYERS['anonymous:b'],
    },
    { event_id: '17', external_id: 'ann', identified_external_id: 'ann', player: PLAYERS['ann'] },
  ]);
  expect(await rowsOf(clickhouse, 'SELECT count() AS n FROM identified_events')).toEqual([{ n: rows.length }]);
});
