import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExtractedOf } from '../../../clickhouse-schema/extracted-properties.ts';
import { readableSql } from '../../../clickhouse-schema/queries/questions/statement-of.ts';
import { createRowBatch } from '../../../clickhouse-schema/rows/row-batch.ts';
import { jsonText } from '../../../core/kernel/text/json.ts';
import { FILTER_OPERATORS, FILTER_OPERATOR_NAMES } from '../../../core/vocabulary/metrics/operators.ts';
import { checkExtracted } from '../../../src/cli/audit/compare/check-extracted.ts';
import { createDifferences } from '../../../src/cli/audit/compare/differences.ts';
import { openClickHouse } from '../../../src/cli/audit/read/clickhouse.ts';
import type { QueryBody } from '../../../src/api/analytics/query-fields.ts';
import { questionOf } from '../../../src/api/analytics/query-question.ts';
import { createClickhouseTarget } from '../../../streams/sinks/clickhouse/block-target.ts';
import { aCommit, aTrackedEvent } from '../../../streams/sinks/testing-commits.ts';
import { execSql, rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* The same events with and without extracted properties, and every question about a property of theirs. */

const TEXTS = [
  'forest',
  'ice world',
  '',
  '12',
  'true',
  'null',
  '-',
  'n5',
  '"map":n7',
  'a"b\\c\n\t',
  'ünïcödé 🎮',
  '\u0000x',
];
const LONG = ['x'.repeat(128), 'x'.repeat(129), 'x'.repeat(600), '\ud83d'];
const SMALL = [0, 1, -1, 5, 12, 0.1, -2.5, 0.000001, 1e-7, 5e-324, 0.1234567890123456];
const LARGE = [123456789012345.6, 2 ** 53, 2 ** 60, 2 ** 63, -9.5e18, 1e20, 1e21, 1.7976931348623157e308];
const OTHERS = [true, false, null, [], [1], ['a'], {}, { b: 1 }, { b: 'deep' }, { b: { c: 2 } }, { b: null }];
const VALUES: readonly unknown[] = [...TEXTS, ...LONG, ...SMALL, ...LARGE, ...OTHERS];
/** Properties of one event each: every value at the top, in an object, under a name with a dot, and beside others. */
const DOCUMENTS: readonly object[] = [
  {},
  ...VALUES.flatMap((value) => [
    { level: value },
    { item: { price: value }, level: 3 },
    { 'item.price': value, level: 'x' },
    { 'item.price': value, item: { price: 7 } },
    { note: '"level":n9', deep: { level: value } },
    { level: 4, other: value },
  ]),
];
const PATHS = ['level', 'item.price', 'deep.level', 'other', 'say "hi"'];

let clickhouse: TestClickhouse;
beforeAll(async () => {
  clickhouse = await startWithTables();
  const target = createClickhouseTarget(clickhouse.address);
  /** @param written what the settings were for each event */
  async function insert(game: string, written: readonly ExtractedOf[]): Promise<void> {
    for (const [n, extractedOf] of written.entries()) {
      const facts = DOCUMENTS.flatMap((properties, place) =>
        place % written.length === n ? [eventOf(game, properties, place)] : [],
      );
      const batch = createRowBatch();
      batch.add(aCommit(facts), { stream: '2026-01-01T00:00:00Z', sequence: n + 1, extractedOf });
      for (const { table, bytes } of batch.blocks()) await target.insert(table, bytes, `${game}/${n}`);
    }
  }
  await insert('json', [() => []]);
  await insert('extracted', [() => PATHS]);
  await insert('half', [() => [], () => PATHS]);
  await insert('moved', [() => PATHS.toReversed(), () => ['level'], () => PATHS]);
  await target.close();
});
afterAll(() => clickhouse.close());

const DAY_MS = 86_400_000;
const FROM_MS = Date.UTC(2026, 0, 1);
const range = { from: '2026-01-01', to: '2026-01-05' };

function eventOf(game: string, properties: object, place: number) {
  const player = `00000000-0000-5000-8000-${String(place % 97).padStart(12, '0')}`;
  const at = FROM_MS + (place % 3) * DAY_MS + place * 1_000;
  const eventName = ['open', 'buy', 'view'][place % 3] ?? '';
  const said = { eventId: `e${place}`, entityId: player, eventName, properties: jsonText(properties) };
  return aTrackedEvent({ game, at, timestamp: at, ...said });
}

function sqlOf(game: string, body: QueryBody): string {
  const extracted = game === 'json' ? [] : PATHS.map((path, place) => ({ path, place }));
  const scope = { game, environment: 'live', zone: 'UTC', extracted };
  const asked = questionOf({ ...body, ...range }, scope, FROM_MS + 5 * DAY_MS);
  if (asked.kind === 'failure') throw new Error(JSON.stringify(asked));
  const sql = readableSql(asked.question);
  expect(sql.includes('extracted_')).toBe(game !== 'json');
  return sql;
}

/** The answers of each game to questions with the same columns. */
async function expectSame(bodies: readonly QueryBody[]): Promise<void> {
  const answers = new Map<string, unknown[]>();
  for (const game of ['json', 'extracted', 'half', 'moved']) {
    const parts = bodies.map((body, n) => `SELECT ${n} AS question, * FROM (${sqlOf(game, body)})`);
    answers.set(game, await rowsOf(clickhouse, `SELECT * FROM (${parts.join(' UNION ALL ')}) ORDER BY ALL`));
  }
  for (const [game, rows] of answers) expect(rows, game).toEqual(answers.get('json'));
  expect(answers.get('json')).not.toEqual([]);
}

const TAKEN = {
  texts: [['', 'forest', '12', '0.1', 'true', '{"b":1}']],
  value: ['12', 'true', 'a"b\\c\n\t', 12, 0.1, 1e20, true],
  number: [0, -2],
  text: ['1', 'x'.repeat(200)],
  true: [true],
} as const;
const filtersOf = (path: string): QueryBody[] =>
  FILTER_OPERATOR_NAMES.flatMap((operator) =>
    TAKEN[FILTER_OPERATORS[operator].takes].map((value) => ({
      kind: 'breakdown',
      by: 'event_name',
      where: [{ field: `property:${path}`, [operator]: value }],
    })),
  );
const where = [{ field: 'property:level', gt: 0 }];
const steps = [
  { event_name: 'open', where: [{ field: 'property:level', is_set: true as const }] },
  { event_name: 'buy' },
];

const QUESTIONS: readonly QueryBody[] = [
  ...PATHS.flatMap((path): QueryBody[] => [
    { kind: 'breakdown', by: `property:${path}`, limit: 500 },
    { kind: 'breakdown', metric: 'players', by: `property:${path}`, limit: 500 },
    { kind: 'trend', metric: 'sum', property: path, by: `property:${path}` },
    { kind: 'trend', metric: 'average', property: path },
    { kind: 'trend', metric: 'percentile', percentile: 90, property: path, by: 'event_name' },
  ]),
  { kind: 'breakdown', by: 'property:level', where: [{ field: 'property:item.price', is_set: true }], limit: 500 },
  { kind: 'trend', by: 'property:item.price', where, compare: 'previous_period' },
  { kind: 'trend', by: 'attribute:tier', where },
  { kind: 'trend', metric: 'events', per_player: true, where },
  {
    kind: 'trend',
    formula: { numerator: { metric: 'sum', property: 'level' }, denominator: { metric: 'events', where } },
  },
  { kind: 'funnel', steps, by: 'property:level' },
  { kind: 'funnel', steps, order: 'strict' },
  { kind: 'funnel', steps, order: 'any_order', exclusions: [{ event_name: 'view', where }] },
  { kind: 'retention', first_event: { event_name: 'open', where }, return_event: { event_name: 'buy' } },
  { kind: 'retention', first_event: { event_name: 'open' }, return_event: { event_name: 'buy', where } },
  { kind: 'paths', event_name: 'open', where },
];

describe('an extracted property answers as the JSON does', () => {
  it.each(QUESTIONS.map((body) => [JSON.stringify(body), body] as const))('%s', (_, body) => expectSame([body]));
  it.each(PATHS.slice(0, 2))('every operator on %s', (path) => expectSame(filtersOf(path)));

  it('and reads it from the column, where there are values', async () => {
    const counted = await rowsOf<{ game: string; n: string }>(
      clickhouse,
      `SELECT game_id AS game, countIf(extracted_1 != '') AS n FROM events GROUP BY game ORDER BY game`,
    );
    expect(counted.map(({ game, n }) => [game, Number(n) > DOCUMENTS.length / 3])).toEqual([
      ['extracted', true],
      ['half', true],
      ['json', false],
      ['moved', true],
    ]);
  });
});

it('the audit finds a value that the properties do not have', async () => {
  const reader = openClickHouse(clickhouse.address);
  const check = async (): Promise<string> => {
    const differences = createDifferences();
    await checkExtracted(reader, differences);
    return differences
      .lines()
      .toSorted((one, other) => one.localeCompare(other))
      .join('\n');
  };
  expect(await check()).toBe('');
  const wrong = [
    { event_id: 'w1', extracted_1: '"level":n4', properties: '{"level":5}' },
    { event_id: 'w2', extracted_8: '"level":s5', properties: '{"level":5}' },
    { event_id: 'w3', extracted_2: '"a.b":-', properties: '{"a":{"b":true}}' },
    { event_id: 'w4', extracted_2: 'n5', properties: '{}' },
  ];
  const right = { event_id: 'r1', extracted_2: '"a.b":btrue', properties: '{"a":{"b":true}}' };
  const body = [...wrong, right].map((row) => JSON.stringify({ game_id: 'audited', ...row })).join('\n');
  await execSql(clickhouse, 'INSERT INTO events FORMAT JSONEachRow', { body });
  const found = await check();
  expect([...found.matchAll(/the event (\w\d)/g)].map(([, id = '']) => id)).toEqual(['w1', 'w2', 'w3', 'w4']);
});
