import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PastEvent } from '../../../core/vocabulary/event-history.ts';
import { createAnalytics, type Analytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { createEventHistory } from '../../../clickhouse-schema/queries/events/event-history.ts';
import { ROW_STEP } from '../../../clickhouse-schema/rows/common-columns.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { partitionOf } from '../../../core/kernel/partition.ts';
import { rowsOf, execSql, runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';

let clickhouse: TestClickhouse;
let analytics: Analytics;
beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  const event = (game: string, name: string, properties: string) => `('${game}', 'live', '${name}', '${properties}')`;
  const events = [
    event('demo', 'shop', '{"item":"x","price":{"amount":1}}'),
    event('demo', 'shop', '{"mode":1}'),
    event('demo', 'level_up', '[]'),
    event('other', 'secret', '{"a":1}'),
  ];
  await execSql(
    clickhouse,
    `INSERT INTO events (game_id, environment, event_name, properties) VALUES ${events.join()}`,
  );
  await execSql(
    clickhouse,
    `INSERT INTO player_snapshots (game_id, environment, kind, player_id, attributes)
      VALUES ('demo', 'live', 'player', generateUUIDv4(), '{"level":3,"country":"SE"}'),
        ('demo', 'live', 'ledger', generateUUIDv4(), '{"no":1}'),
        ('demo', 'test', 'player', generateUUIDv4(), '{"other":1}')`,
  );
});
afterAll(async () => {
  await analytics.close();
  await clickhouse.close();
});

it('the dictionary counts names, their senders and their properties', async () => {
  const player = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';
  const gone = '7d6f3f5e-6f0b-5f8e-9d2c-000000000001';
  const at = Date.UTC(2026, 0, 20);
  const long = 'x'.repeat(80);
  const rows = [
    [
      'test',
      player,
      'fight',
      { level: 3, boss: 'grüße', rare: true, tags: [1], place: { x: 1 }, long },
      'client',
      'caller',
    ],
    ['test', player, 'fight', { level: 4.5, boss: null }, 'server', 'caller'],
    ['test', gone, 'fight', { level: 9, secret: 'erased' }, 'client', 'caller'],
    ['test', player, 'fight', 'no json', '', 'import'],
    ['test', player, 'purchase', {}, '', 'service'],
  ].map(([environment, player_id, event_name, properties, key_kind, source], n) =>
    JSON.stringify({
      game_id: 'words',
      environment,
      player_id,
      event_name,
      key_kind,
      source,
      received_at: at + n,
      properties: typeof properties === 'string' ? properties : JSON.stringify(properties),
    }),
  );
  expect(await runSql(clickhouse, 'INSERT INTO events FORMAT JSONEachRow', { body: rows.join('\n') })).toMatchObject({
    status: 200,
  });
  // Its rows are about to be deleted.
  await execSql(
    clickhouse,
    `INSERT INTO erasures (game_id, environment, player_id, step) VALUES ('words', 'test', '${gone}', 0)`,
  );
  const scope = { game: 'words', environment: 'test' };
  const all = await analytics.eventDictionary({ ...scope, eventName: undefined });
  if (all.kind === 'unavailable') throw new Error('ClickHouse did not answer');
  expect(all.value.more).toBe(false);
  expect(all.value.events.map(({ eventName, events }) => [eventName, events])).toEqual([
    ['fight', 4],
    ['purchase', 1],
  ]);
  // A merge adds the projection of names: the same figures are then read from it.
  await execSql(clickhouse, 'OPTIMIZE TABLE events FINAL');
  expect(await analytics.eventDictionary({ ...scope, eventName: undefined })).toEqual(all);
  const statement = "EXPLAIN SELECT * FROM event_dictionary WHERE game_id = 'words' AND environment = 'test'";
  const plan = await rowsOf<{ explain: string }>(clickhouse, statement);
  expect(plan.map(({ explain }) => explain).join('\n')).toContain('ReadFromMergeTree (of_name)');
  const one = await analytics.eventDictionary({ ...scope, eventName: 'fight' });
  if (one.kind === 'unavailable') throw new Error('ClickHouse did not answer');
  expect(one.value.events).toEqual([
    {
      eventName: 'fight',
      events: 4,
      firstSeenAt: at,
      lastSeenAt: at + 3,
      senders: { client: 2, server: 1, service: 0, import: 1 },
      schemaFaults: 0,
      properties: [
        { name: 'boss', share: 0.6667, types: ['null', 'text'], examples: ['"grüße"'] },
        { name: 'level', share: 0.6667, types: ['integer', 'number'], examples: expect.arrayContaining(['3', '4.5']) },
        { name: 'long', share: 0.3333, types: ['text'], examples: [] },
        { name: 'place', share: 0.3333, types: ['object'], examples: [] },
        { name: 'rare', share: 0.3333, types: ['boolean'], examples: ['true'] },
        { name: 'tags', share: 0.3333, types: ['list'], examples: [] },
      ],
    },
  ]);
});

it.each([
  [{ kind: 'events' }, ['level_up', 'shop']],
  [{ kind: 'attributes' }, ['country', 'level']],
  [{ kind: 'properties', eventName: 'shop' }, ['item', 'mode', 'price']],
  [{ kind: 'properties', eventName: 'secret' }, []],
] as const)('the names of %j are those of the game and environment', async (of, names) => {
  const found = await analytics.knownNames({ game: 'demo', environment: 'live', of });
  expect(found.kind === 'answered' && found.value.toSorted()).toEqual(names);
});

it('players show their named properties, and a row for each of them', async () => {
  await execSql(
    clickhouse,
    `INSERT INTO player_snapshots (game_id, environment, kind, player_id, external_id, version, computed) VALUES
        ('shown', 'live', 'player', toUUID('00000000-0000-5000-8000-000000000001'), 'ann', 1, '{"wins":1}'),
        ('shown', 'live', 'player', toUUID('00000000-0000-5000-8000-000000000001'), 'ann', 2,
          '{"wins":2.5,"best":null,"last":"a\\\\"b"}'),
        ('shown', 'live', 'erased', toUUID('00000000-0000-5000-8000-000000000002'), 'bob', 1, '{"wins":3}')`,
  );
  const all = "SELECT key, value, number FROM player_properties WHERE game_id = 'shown' ORDER BY key";
  expect(await rowsOf(clickhouse, all)).toEqual([
    { key: 'best', value: 'null', number: null },
    { key: 'last', value: '"a\\"b"', number: null },
    { key: 'wins', value: '2.5', number: 2.5 },
  ]);
  const shown = "SELECT external_id, JSONExtractFloat(computed, 'wins') AS wins FROM players WHERE game_id = 'shown'";
  expect(await rowsOf(clickhouse, shown)).toEqual([{ external_id: 'ann', wins: 2.5 }]);
});

it('the past of a partition has the events of its players, player by player and in the order of the log', async () => {
  await execSql(
    clickhouse,
    `INSERT INTO events
        (game_id, environment, event_name, player_id, received_at, facts_sequence, facts_index, properties)
      SELECT 'past', 'live', 'lost',
        toUUID(concat(leftPad(lower(hex(number % 40 * 107374182)), 8, '0'), '-0000-5000-8000-000000000',
          leftPad(toString(number % 40), 3, '0'))),
        fromUnixTimestamp64Milli(1000 + number % 2),
        5 + number % 3, intDiv(number, 3) % 2 + ${ROW_STEP} * (number % 5), toString(number)
      FROM numbers(400)`,
  );
  const history = createEventHistory(clickhouse.address);
  const partitions = 3;
  const events = { game: 'past', environment: 'live', eventNames: ['lost', 'none'], sinceMs: 0 } as const;
  const found: (PastEvent & { partition: number })[] = [];
  for (let partition = 0; partition < partitions; partition++) {
    const parts = partition > 0 ? 1 : 7;
    for (let part = 0; part < parts; part++) {
      const wanted = { ...events, beforeSequence: 7, partition, partitions };
      for await (const rows of history.load(wanted, part, parts)) {
        found.push(...rows.map((row) => ({ ...row, partition })));
      }
    }
  }
  const numbers = Array.from({ length: 400 }, (_, number) => number).filter((number) => number % 3 < 2);
  expect(found.map(({ properties }) => Number(properties)).toSorted((one, other) => one - other)).toEqual(numbers);
  expect(found.filter(({ playerId, partition }) => partitionOf(playerId, partitions) !== partition)).toEqual([]);
  const players = found.map(({ playerId }) => playerId);
  expect(players.filter((id, place) => id !== players[place - 1])).toHaveLength(new Set(players).size);
  const places = Map.groupBy(found, ({ playerId }) => playerId);
  for (const list of places.values()) {
    const order = list.map(({ atMs, sequence, properties }) => {
      const number = Number(properties);
      return [atMs, sequence, Math.floor(number / 3) % 2, number % 5].map((part) => String(part).padStart(5)).join();
    });
    expect(order).toEqual(order.toSorted());
  }
});

it('the pasts of several partitions are read one after another, whatever the size of their rows', async () => {
  await execSql(
    clickhouse,
    `INSERT INTO events (game_id, environment, event_name, player_id, received_at, facts_sequence, properties)
      SELECT 'large', 'live', 'saved', toUUID('00000000-0000-5000-8000-000000000001'),
        fromUnixTimestamp64Milli(1000 + number), 5, concat('{"n":', toString(number), ',"game":"', repeat('x', 60000), '"}')
      FROM numbers(300)`,
  );
  const history = createEventHistory(clickhouse.address);
  const events = { game: 'large', environment: 'live', eventNames: ['saved'], sinceMs: 0, partition: 0 } as const;
  const wanted = { ...events, beforeSequence: 7, partitions: 1 };
  const first = history.load(wanted, 0, 1)[Symbol.asyncIterator]();
  const begun = await first.next();
  expect(begun.done).toBe(false);
  const order: string[] = [];
  const second = (async () => {
    let rows = 0;
    for await (const some of history.load(wanted, 0, 1)) rows += some.length;
    order.push('second');
    return rows;
  })();
  const counted = history.count(wanted).then((count) => {
    order.push('counted');
    return count;
  });
  for (let next = await first.next(); next.done !== true; next = await first.next());
  order.push('first');
  expect(await second).toBe(300);
  expect(await counted).toBe(300);
  expect(order).toEqual(['first', 'second', 'counted']);
});
