import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runSql, type TestClickhouse } from '../../../support/servers/clickhouse.ts';
import { startWithTables } from '../../../support/wire/made-tables.ts';

/* The query of models/training (installs.sql) on the real engine, asked over HTTP as the passwordless reader asks. */

const QUERY = readFileSync(new URL('../../../../models/training/installs.sql', import.meta.url), 'utf8');
const COLUMNS = 'loot_distinct_types, sess_duration_total, match_avg_fight_time, match_wins, install_hour, vpay_count';
const PLAYER = '00000000-0000-5000-8000-000000000001';
/** When the installs of these tests were scored; a day that is long over. */
const SCORED = '2025-01-10 12:30:00';

let clickhouse: TestClickhouse;
beforeAll(async () => {
  clickhouse = await startWithTables();
});
afterAll(async () => {
  await clickhouse.close();
});
beforeEach(async () => {
  for (const table of ['scores', 'player_snapshots', 'purchases']) await run(`TRUNCATE TABLE ${table}`);
});

async function run(sql: string): Promise<void> {
  const { status, text } = await runSql(clickhouse, sql);
  if (status !== 200) throw new Error(text);
}

interface Score {
  device?: string;
  features?: number[];
  game?: string;
  environment?: string;
  forced?: boolean;
  at?: string;
}

async function scored({ device = 'device-1', features = [1, 2.5, 3, 4, 5, 6], at = SCORED, ...more }: Score) {
  const { game = 'demo', environment = 'live', forced = false } = more;
  await run(
    `INSERT INTO scores (game_id, environment, device_id, ${COLUMNS}, forced, scored_at)
    VALUES ('${game}', '${environment}', '${device}', ${features.join(', ')}, ${forced}, '${at}')`,
  );
}

async function registered({ player = PLAYER, device = 'device-1', game = 'demo', environment = 'live' } = {}) {
  await run(
    `INSERT INTO player_snapshots (game_id, environment, kind, player_id, device_id, version)
    VALUES ('${game}', '${environment}', 'player', '${player}', '${device}', 1)`,
  );
}

async function bought(at: string, { player = PLAYER, game = 'demo', environment = 'live' } = {}) {
  await run(
    `INSERT INTO purchases (game_id, environment, player_id, amount, received_at)
    VALUES ('${game}', '${environment}', '${player}', 4.99, '${at}')`,
  );
}

/** Rows as training reads them: features, whether the device paid, the time in seconds. */
async function installs({
  game = '',
  from = '2020-01-01T00:00:00Z',
  until = '2100-01-01T00:00:00Z',
  rows = '100',
} = {}) {
  const search = { param_game: game, param_from: from, param_until: until, param_rows: rows, wait_end_of_query: '1' };
  const { status, text } = await runSql(clickhouse, QUERY, { as: 'reader', search });
  if (status !== 200) throw new Error(text);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t').map(Number))
    .map((values) => ({ features: values.slice(0, 6), paid: values[6], at: values[7] }));
}

describe('labelled installs for training', () => {
  it('are the features of a score, in the documented order, with its time', async () => {
    await scored({ features: [3, 612.5, 98.25, 2, 18, 11], at: '2025-01-10 12:30:00.500' });
    const at = Date.UTC(2025, 0, 10, 12, 30) / 1000 + 0.5;
    expect(await installs()).toEqual([{ features: [3, 612.5, 98.25, 2, 18, 11], paid: 0, at }]);
  });

  it.each([
    ['a second after the score', '2025-01-10 12:30:01', [1]],
    ['exactly a day after it', '2025-01-11 12:30:00', [1]],
    ['a moment later than that', '2025-01-11 12:30:00.001', [0]],
    ['before the score: nothing was left to foretell', '2025-01-10 12:29:59', []],
  ])('are labelled by the first purchase: %s', async (_, at, expected) => {
    await registered();
    await scored({});
    await bought(at);
    await bought('2025-01-11 12:00:00', { game: 'another-game' });
    expect((await installs()).map(({ paid }) => paid)).toEqual(expected);
  });

  it('know the first purchase of any player of the device, and later ones change nothing', async () => {
    const second = PLAYER.replace(/1$/, '2');
    await registered();
    await registered({ player: second });
    await scored({});
    await bought('2025-01-10 13:00:00', { player: second });
    await bought('2025-02-01 13:00:00');
    await bought('2025-02-02 13:00:00', { player: second });
    expect((await installs()).map(({ paid }) => paid)).toEqual([1]);
  });

  it('never take the label of another game or environment', async () => {
    await scored({});
    await registered({ game: 'other', player: PLAYER });
    await bought('2025-01-10 13:00:00', { game: 'other' });
    await registered({ environment: 'test', player: PLAYER });
    await bought('2025-01-10 13:00:00', { environment: 'test' });
    expect((await installs()).map(({ paid }) => paid)).toEqual([0]);
  });

  it('are one per device: its last score within an hour of its first', async () => {
    await scored({ features: [1, 0, 0, 0, 0, 0], at: '2025-01-10 12:05:00' });
    await scored({ features: [2, 0, 0, 0, 0, 0], at: '2025-01-10 12:30:00' });
    await scored({ features: [9, 0, 0, 0, 0, 0], at: '2025-01-10 13:05:01' });
    await scored({ device: 'device-2', features: [5, 0, 0, 0, 0, 0] });
    const found = (await installs()).map(({ features }) => features[0] ?? NaN);
    expect(found.toSorted((a, b) => a - b)).toEqual([2, 5]);
  });

  it('leave out test keys and forced scores, and scores that have no label yet', async () => {
    await scored({ device: 'tester', environment: 'test' });
    await scored({ device: 'forced', forced: true });
    await run(
      `INSERT INTO scores (game_id, environment, device_id, ${COLUMNS}, forced, scored_at)
      SELECT 'demo', 'live', 'too-young', 1, 1, 1, 1, 1, 1, false, now64(3) - INTERVAL 23 HOUR`,
    );
    expect(await installs()).toEqual([]);
  });

  it('can be of one game, of a time, and a sample', async () => {
    for (let n = 0; n < 20; n++) await scored({ device: `device-${n}`, game: n % 2 === 0 ? 'demo' : 'other' });
    expect(await installs()).toHaveLength(20);
    expect(await installs({ game: 'other' })).toHaveLength(10);
    expect(await installs({ rows: '7' })).toEqual((await installs()).slice(0, 7));
    expect(await installs({ from: '2025-01-10T12:30:00Z', until: '2025-01-10T12:30:01Z' })).toHaveLength(20);
    expect(await installs({ until: '2025-01-10T12:30:00Z' })).toEqual([]);
  });
});
