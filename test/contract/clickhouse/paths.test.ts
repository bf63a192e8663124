import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLiterals } from '../../../clickhouse-schema/queries/questions/bindings.ts';
import { pathsStatement } from '../../../clickhouse-schema/queries/questions/behaviour/paths.ts';
import type { PathsQuestion } from '../../../clickhouse-schema/queries/questions/question.ts';
import { byPlayer, madeHistory, type PastEvent, rowOf } from '../../support/behaviour/histories.ts';
import { rowsOf, runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* Paths on the real engine beside a walk through the events of every player. */

const FROM_MS = Date.UTC(2026, 0, 10);
const LENGTH_MS = 120_000;
const TO_MS = FROM_MS + LENGTH_MS / 2;
const WITHIN_SECONDS = 10;

let clickhouse: TestClickhouse;
const events = madeHistory(1, FROM_MS, LENGTH_MS);

beforeAll(async () => {
  clickhouse = await startWithTables();
  const body = events.map((event) => JSON.stringify(rowOf('made', event))).join('\n');
  expect(await runSql(clickhouse, 'INSERT INTO events FORMAT JSONEachRow', { body })).toMatchObject({ status: 200 });
});
afterAll(() => clickhouse.close());

/** The names of the two events beside each start event, and how often and of how many players. */
function walked(direction: PathsQuestion['direction'], mode: string | undefined): object[] {
  const found = new Map<string, { first: string; second: string; times: number; of: Set<number> }>();
  const step = direction === 'backward' ? -1 : 1;
  const isNear = (one: PastEvent | undefined, other: PastEvent | undefined): other is PastEvent =>
    one !== undefined && other !== undefined && Math.abs(other.happenedMs - one.happenedMs) <= WITHIN_SECONDS * 1_000;
  for (const own of byPlayer(events)) {
    const read = own.filter(({ happenedMs }) => happenedMs >= FROM_MS && happenedMs < TO_MS);
    for (const [place, start] of read.entries()) {
      if (start.name !== 'shop' || (mode !== undefined && start.mode !== mode)) continue;
      const [one, other] = [read[place + step], read[place + 2 * step]];
      const first = isNear(start, one) ? one.name : '';
      const second = first !== '' && isNear(one, other) ? other.name : '';
      const path = found.get(`${first} ${second}`) ?? { first, second, times: 0, of: new Set() };
      found.set(`${first} ${second}`, path);
      path.times += 1;
      path.of.add(start.player);
    }
  }
  return [...found.values()].map(({ of, ...path }) => ({ ...path, players: of.size }));
}

const byNames = (paths: object[]): string[] => paths.map((path) => JSON.stringify(path)).toSorted();

describe('paths', () => {
  it.each([
    ['forward', undefined, 'a set of the players', undefined],
    ['forward', undefined, 'all players', 0],
    ['forward', 'team', 'a set of the players', undefined],
    ['forward', 'team', 'all players', 0],
    ['backward', undefined, 'a set of the players', undefined],
    ['backward', 'solo', 'all players', 0],
  ] as const)('%s from an event of the mode %s, read for %s', async (direction, mode, _, mostInSet) => {
    const where: PathsQuestion['where'] =
      mode === undefined
        ? []
        : [{ dimension: { kind: 'property', path: 'mode' }, test: { operator: 'in', value: [mode] } }];
    const question: PathsQuestion = {
      kind: 'paths',
      game: 'made',
      environment: 'live',
      zone: 'UTC',
      fromMs: FROM_MS,
      toMs: TO_MS,
      eventName: 'shop',
      where,
      withinSeconds: WITHIN_SECONDS,
      direction,
      limit: 100,
    };
    const { sql } = pathsStatement(question, createLiterals(), mostInSet);
    const rows = await rowsOf<{ first: string; second: string; times: string; players: string }>(clickhouse, sql);
    const answered = rows.map(({ first, second, times, players }) => ({
      first,
      second,
      times: Number(times),
      players: Number(players),
    }));
    expect(answered.length).toBeGreaterThan(4);
    expect(byNames(answered)).toEqual(byNames(walked(direction, mode)));
  });
});
