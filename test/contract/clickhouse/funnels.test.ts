import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FunnelQuestion } from '../../../clickhouse-schema/queries/questions/question.ts';
import { readableSql } from '../../../clickhouse-schema/queries/questions/statement-of.ts';
import { createRandom } from '../../sim/random.ts';
import {
  funnelFiguresOf,
  funnelPlayersOf,
  type OracleFunnel,
  type OracleStep,
} from '../../support/behaviour/funnel-oracle.ts';
import { madeHistory, type PastEvent, rowOf } from '../../support/behaviour/histories.ts';
import { rowsOf, runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* Funnels on the real engine beside every attempt of every player, one by one. */

const DAY_MS = 86_400_000;
const FROM_MS = Date.UTC(2026, 0, 10);
const LENGTH_MS = 120_000;
const SEEDS = [1, 2, 3];

let clickhouse: TestClickhouse;
const histories = new Map<string, PastEvent[]>();

beforeAll(async () => {
  clickhouse = await startWithTables();
  for (const seed of SEEDS) await add(`made-${seed}`, madeHistory(seed, FROM_MS, LENGTH_MS));
});
afterAll(() => clickhouse.close());

async function add(game: string, events: PastEvent[]): Promise<void> {
  histories.set(game, events);
  const body = events.map((event) => JSON.stringify(rowOf(game, event))).join('\n');
  expect(await runSql(clickhouse, 'INSERT INTO events FORMAT JSONEachRow', { body })).toMatchObject({ status: 200 });
}

/** A question that has what an oracle's funnel has. */
function questionOf(game: string, funnel: OracleFunnel): FunnelQuestion {
  const stepOf = ({ name, mode }: OracleStep) => ({
    eventName: name,
    where:
      mode === undefined
        ? []
        : [
            {
              dimension: { kind: 'property', path: 'mode' } as const,
              test: { operator: 'in', value: [mode] } as const,
            },
          ],
  });
  return {
    kind: 'funnel',
    game,
    environment: 'live',
    zone: 'UTC',
    fromMs: funnel.fromMs,
    toMs: funnel.toMs,
    nowMs: funnel.nowMs,
    order: funnel.order,
    steps: funnel.steps.map(stepOf),
    exclusions: funnel.exclusions.map((exclusion) => ({ ...stepOf(exclusion), afterStep: exclusion.afterStep })),
    windowSeconds: funnel.windowMs / 1_000,
    by: funnel.by === undefined ? undefined : { kind: 'column', column: funnel.by },
    limit: 20,
  };
}

interface Row {
  key: string;
  total: string;
  reached: string[];
  waiting: string[];
  from_previous: (number | null)[][];
  from_first: (number | null)[][];
}

async function figuresOf(game: string, funnel: OracleFunnel) {
  const rows = await rowsOf<Row>(clickhouse, readableSql(questionOf(game, funnel)));
  return rows.map(({ key, total, reached, waiting, from_previous, from_first }) => ({
    key,
    total: Number(total),
    reached: reached.map(Number),
    waiting: waiting.map(Number),
    from_previous: from_previous.map(tenths),
    from_first: from_first.map(tenths),
  }));
}

/** Percentiles of whole numbers by tenths have one decimal, which floating point may miss. */
const tenths = (figures: readonly (number | null)[]): (number | null)[] =>
  figures.map((figure) => (figure === null ? null : Math.round(figure * 10) / 10));

const wantedOf = (game: string, funnel: OracleFunnel) =>
  funnelFiguresOf(funnelPlayersOf(histories.get(game) ?? [], funnel), funnel.steps.length);

const ALL: Pick<OracleFunnel, 'order' | 'exclusions' | 'windowMs' | 'fromMs' | 'toMs' | 'nowMs'> = {
  order: 'ordered',
  exclusions: [],
  windowMs: 20_000,
  fromMs: FROM_MS,
  toMs: FROM_MS + LENGTH_MS + 1,
  nowMs: FROM_MS + 30 * DAY_MS,
};
const names = (...steps: string[]): OracleStep[] => steps.map((name) => ({ name }));

describe('a funnel', () => {
  const cases: [string, Partial<OracleFunnel> & Pick<OracleFunnel, 'steps'>][] = [
    ['the same event twice', { steps: names('shop', 'shop') }],
    ['the same event three times', { steps: names('shop', 'shop', 'shop') }],
    ['steps that overlap', { steps: [{ name: 'shop' }, { name: 'shop', mode: 'team' }, { name: 'buy' }] }],
    [
      'the narrow step first',
      { steps: [{ name: 'shop', mode: 'team' }, { name: 'shop' }, { name: 'shop', mode: 'solo' }] },
    ],
    ['a step between equal ones', { steps: names('shop', 'buy', 'shop') }],
    [
      'ten steps',
      {
        steps: names(...Array.from({ length: 10 }, (_, n) => ['shop', 'buy', 'level'][n % 3] ?? '')),
        windowMs: 100_000,
      },
    ],
    ['a short window', { steps: names('shop', 'buy', 'level'), windowMs: 3_000 }],
    ['an exclusion', { steps: names('shop', 'buy', 'level'), exclusions: names('quit') }],
    [
      'an exclusion after one step',
      { steps: names('shop', 'buy', 'level'), exclusions: [{ name: 'quit', afterStep: 2 }] },
    ],
    [
      'an exclusion that is a step',
      { steps: names('shop', 'buy', 'level'), exclusions: [{ name: 'shop', afterStep: 1 }, { name: 'buy' }] },
    ],
    ['groups', { steps: names('shop', 'buy'), by: 'country' }],
    [
      'a range that ends before the events do',
      { steps: names('shop', 'buy', 'shop'), fromMs: FROM_MS + 20_000, toMs: FROM_MS + 60_000 },
    ],
    ['open windows', { steps: names('shop', 'buy', 'quit'), windowMs: 60_000, nowMs: FROM_MS + LENGTH_MS + 1 }],
    [
      'open windows and exclusions',
      {
        steps: names('shop', 'buy', 'level'),
        exclusions: names('quit'),
        windowMs: 60_000,
        nowMs: FROM_MS + LENGTH_MS + 1,
      },
    ],
  ];
  const orders = ['ordered', 'strict', 'any_order'] as const;
  const asked = cases.flatMap(([title, funnel]) =>
    orders.filter((order) => isAllowed(order, funnel)).map((order) => [title, order, funnel] as const),
  );

  it.each(asked)('with %s, %s', async (_, order, funnel) => {
    let isSeen = 0;
    for (const game of histories.keys()) {
      const full = { ...ALL, ...funnel, order };
      const wanted = wantedOf(game, full);
      expect(await figuresOf(game, full), game).toEqual(wanted);
      isSeen += wanted.length;
    }
    expect(isSeen).toBeGreaterThan(0);
  });

  it('is the same in the view', async () => {
    const [game = ''] = histories.keys();
    for (const steps of [
      ['shop', 'shop'],
      ['shop', 'buy', 'level'],
      ['quit', 'quit', 'quit', 'shop', 'buy'],
    ]) {
      const day = new Date(FROM_MS).toISOString().slice(0, 10);
      const rows = await rowsOf<{ players: string; converted: string; median: number | null; p90: number | null }>(
        clickhouse,
        `SELECT players, converted, median_from_previous AS median, p90_from_first AS p90
         FROM funnel(game = '${game}', steps = [${steps.map((name) => `'${name}'`).join(', ')}], window_seconds = 20,
           first_day = '${day}', last_day = '${day}', breakdown = '') ORDER BY step`,
      );
      const [wanted] = wantedOf(game, { ...ALL, steps: names(...steps), fromMs: FROM_MS, toMs: FROM_MS + DAY_MS });
      expect(rows.map(({ players }) => Number(players))).toEqual(wanted?.reached);
      const duration = (figures: (number | null)[][] | undefined, of: 0 | 1) =>
        steps.map((_, place) => (place === 0 ? null : (figures?.[place]?.[of] ?? null)));
      const tenth = (seconds: number | null) => (seconds === null ? null : Math.round(seconds * 10_000) / 10);
      expect(rows.map(({ median }) => tenth(median))).toEqual(duration(wanted?.from_previous, 0));
      expect(rows.map(({ p90 }) => tenth(p90))).toEqual(duration(wanted?.from_first, 1));
    }
  });

  it('of any shape', async () => {
    const random = createRandom(20_261_127);
    const step = (): OracleStep => ({
      name: random.pick(['shop', 'buy', 'level']),
      ...(random.chance(0.3) ? { mode: random.pick(['solo', 'team']) } : {}),
    });
    for (let round = 0; round < 30; round += 1) {
      const order = random.pick(orders);
      const steps = Array.from({ length: random.int(2, order === 'any_order' ? 6 : 7) }, step);
      const toMs = FROM_MS + random.int(30_000, LENGTH_MS);
      const exclusions =
        order === 'strict' || random.chance(0.5)
          ? []
          : [
              {
                ...step(),
                ...(order === 'ordered' && random.chance(0.5) ? { afterStep: random.int(1, steps.length - 1) } : {}),
              },
            ];
      const funnel: OracleFunnel = {
        order,
        steps,
        exclusions,
        windowMs: random.int(1, 90) * 1_000,
        fromMs: FROM_MS + random.int(0, 20_000),
        toMs,
        nowMs: FROM_MS + random.pick([LENGTH_MS + 1, 30 * DAY_MS]),
        by: random.chance(0.3) ? 'country' : undefined,
      };
      const game = `made-${random.pick(SEEDS)}`;
      expect(await figuresOf(game, funnel), JSON.stringify(funnel)).toEqual(wantedOf(game, funnel));
    }
  });
});

/** Exclusions are refused in strict funnels, and after one step in any order. */
function isAllowed(order: OracleFunnel['order'], { exclusions = [], steps }: Partial<OracleFunnel>): boolean {
  if (order === 'strict') return exclusions.length === 0;
  return (
    order === 'ordered' || ((steps?.length ?? 0) <= 6 && exclusions.every(({ afterStep }) => afterStep === undefined))
  );
}
