import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../../core/vocabulary/facts/facts.ts';
import type { FlagExposed, FlagsServed } from '../../../core/vocabulary/facts/flag-facts.ts';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { TABLE_NAMES } from '../../../clickhouse-schema/rows/tables/tables.ts';
import type { ExperimentQuery } from '../../../clickhouse-schema/queries/experiments/experiment-query.ts';
import { createRowBatch } from '../../../clickhouse-schema/rows/row-batch.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { QUERY_LIMITS } from '../../../clickhouse-schema/queries/limits.ts';
import { createClickhouseTarget } from '../../../streams/sinks/clickhouse/block-target.ts';
import { aCommit, aTrackedEvent } from '../../../streams/sinks/testing-commits.ts';
import { rowsOf, execSql, runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { write as writeTo } from '../../support/wire/decided-game.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import type { ServedFlag } from '../../../core/vocabulary/state/player.ts';
import type { QueryResult } from '../../../clickhouse-schema/query-result.ts';

let clickhouse: TestClickhouse;
let analytics: Analytics;

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
});
afterAll(async () => {
  await analytics.close();
  await clickhouse.close();
});
beforeEach(async () => {
  for (const table of TABLE_NAMES) await execSql(clickhouse, `TRUNCATE TABLE ${table}`);
});

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 20);
const playerId = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`;

/** Facts through the whole sink, record by record. */
const write = (...records: Fact[][]): Promise<void> => writeTo(clickhouse, records);

function answered<T>(result: QueryResult<T>): T {
  if (result.kind === 'unavailable') throw new Error('ClickHouse did not answer');
  return result.value;
}

function transition(
  kind: 'SegmentEntered' | 'SegmentExited',
  player: number,
  at: number,
  some: Partial<Fact> = {},
): Fact {
  const place = { game: 'demo', environment: 'live', entityId: playerId(player), externalId: `ext-${player}` } as const;
  const fact = { kind, ...place, at, segmentId: 'seg_1', segmentKey: 'whales' } as const;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test changes fields of this very kind
  return { ...fact, ...some } as Fact;
}

describe('members of a segment', () => {
  const members = async (limit = 10, afterPlayerId?: string) =>
    answered(
      await analytics.segmentPlayers({
        game: 'demo',
        environment: 'live',
        segmentId: 'seg_1',
        limit,
        ...(afterPlayerId === undefined ? {} : { afterPlayerId }),
      }),
    );

  it('are those whose newest transition is an entry, in pages', async () => {
    await write(
      [transition('SegmentEntered', 1, START), transition('SegmentEntered', 2, START + 1)],
      // In and out and in within one record: the place in it decides.
      [
        transition('SegmentExited', 1, START + 5),
        transition('SegmentEntered', 1, START + 5),
        transition('SegmentEntered', 3, START + 6),
        transition('SegmentExited', 3, START + 6),
      ],
      [transition('SegmentExited', 2, START + 7), transition('SegmentEntered', 4, START + 8)],
      [
        transition('SegmentEntered', 5, START, { environment: 'test' }),
        transition('SegmentEntered', 6, START, { segmentId: 'seg_2' }),
      ],
    );
    expect(await members()).toEqual([
      { playerId: playerId(1), externalId: 'ext-1', enteredAt: START + 5 },
      { playerId: playerId(4), externalId: 'ext-4', enteredAt: START + 8 },
    ]);
    expect((await members(1)).map((member) => member.externalId)).toEqual(['ext-1']);
    expect((await members(1, playerId(1))).map((member) => member.externalId)).toEqual(['ext-4']);
    expect(await members(1, playerId(4))).toEqual([]);
    const transitions = 'SELECT transition FROM segment_transitions ORDER BY facts_sequence, facts_index';
    expect(await rowsOf(clickhouse, transitions)).toHaveLength(10);
    // Dashboards see the live environment only.
    const sizes = await runSql(clickhouse, 'SELECT segment_key, players FROM segment_sizes ORDER BY segment_id', {
      as: 'reader',
    });
    expect(sizes.text).toBe('whales\t2\nwhales\t1\n');
  });

  it('are the same when a block is written again, late, after newer ones', async () => {
    const target = createClickhouseTarget(clickhouse.address);
    const blocks = [
      [transition('SegmentEntered', 1, START)],
      [transition('SegmentExited', 1, START + 1)],
      [transition('SegmentEntered', 2, START + 2)],
    ].map((facts, index) => {
      const batch = createRowBatch();
      batch.add(aCommit(facts), { stream: '2026-01-01T00:00:00Z', sequence: index + 1 });
      return batch.blocks().map((block) => ({ ...block, sequence: index + 1 }));
    });
    const insert = async (index: number, repeated: boolean) => {
      for (const { table, bytes, rows, receivedFromMs, receivedToMs, sequence } of blocks[index] ?? []) {
        const place = { rows, receivedFromMs, receivedToMs, from: sequence, to: sequence, repeated };
        expect(await target.insert(table, bytes, `${table}/${sequence}`, place)).toEqual({ kind: 'inserted' });
      }
    };
    for (const index of [0, 1, 2]) await insert(index, false);
    for (const index of [1, 0, 2, 0]) await insert(index, true);
    await execSql(clickhouse, 'OPTIMIZE TABLE segment_membership_states FINAL');
    await insert(0, true);
    expect((await members()).map((member) => member.externalId)).toEqual(['ext-2']);
    expect(await rowsOf(clickhouse, 'SELECT 1 FROM segment_transitions')).toHaveLength(3);
    await target.close();
  });
});

/** An exposure of a player, `ms` after the start. */
function exposed(player: number, variantKey: string | null, ms = 0, some: Partial<FlagExposed> = {}): FlagExposed {
  return {
    kind: 'FlagExposed',
    game: 'demo',
    environment: 'live',
    entityId: playerId(player),
    externalId: `ext-${player}`,
    at: START + ms,
    flagKey: 'shop',
    flagVersion: 2,
    period: 0,
    attribution: 'served',
    variantKey,
    value: JSON.stringify(variantKey),
    reason: 'percentage_rollout',
    ...(variantKey === null ? {} : { stratum: 10_000 }),
    ...some,
  };
}

/** That a player was served two variants. */
function mixed(player: number, some: Partial<ServedFlag> = {}): FlagsServed {
  const place = { game: 'demo', environment: 'live', entityId: playerId(player), externalId: `ext-${player}` } as const;
  const what = { variantKey: 'a', value: '"a"', reason: 'percentage_rollout', changes: 1, mixed: true } as const;
  const flag = { flagKey: 'shop', flagVersion: 2, period: 2, ...what, earlier: [], ...some };
  return { kind: 'FlagsServed', ...place, at: START, flags: [flag], mixed: ['shop'], forgotten: [] };
}

/** A purchase of a player, `ms` after the start. */
function bought(player: number, ms: number, properties: unknown = {}, some: Partial<Fact> = {}): Fact {
  const event = aTrackedEvent({
    entityId: playerId(player),
    eventName: 'purchase_done',
    at: START + ms,
    // A device's clock decides nothing.
    timestamp: 0,
    properties: JSON.stringify(properties),
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test changes fields of this very kind
  return { ...event, ...some } as Fact;
}

describe('the measure of an experiment', () => {
  const measure = async (some: Partial<ExperimentQuery> = {}) => {
    const measured = answered(
      await analytics.experiment({
        game: 'demo',
        environment: 'live',
        flagKey: 'shop',
        fromVersion: 2,
        beforeVersion: 4,
        variants: ['a', 'b'],
        metric: 'purchase_done',
        aggregate: { kind: 'conversion' },
        windowDays: 7,
        sinceMs: START - DAY_MS,
        untilMs: START + 100 * DAY_MS,
        zone: 'UTC',
        earlierSinceMs: START - DAY_MS,
        ...some,
      }),
    );
    return measured.toSorted((x, y) =>
      `${x.variant}${String(x.excluded)}`.localeCompare(`${y.variant}${String(y.excluded)}`),
    );
  };

  it('counts as by hand: 4 players of a, 3 of b, one who saw both, and none that must not count', async () => {
    await write(
      // Before its exposure, and an event of the same millisecond that stands before it in the log.
      [bought(1, 5), bought(2, 10), exposed(1, 'a', 10), exposed(2, 'a', 10), exposed(3, 'a', 10), exposed(4, 'a', 10)],
      [exposed(11, 'b', 10), exposed(12, 'b', 20), exposed(13, 'b', 30)],
      // Both variants: not in the experiment. The default, nothing drawn, another version, flag, game or environment:
      // neither.
      [exposed(21, 'a', 1), exposed(21, 'b', 2), bought(21, 100, { amount: 1_000 })],
      [
        exposed(3, null, 1),
        exposed(31, null),
        bought(31, 100),
        exposed(32, 'a', 0, { flagVersion: 1 }),
        exposed(37, 'a', 0, { flagVersion: 4 }),
      ],
      [exposed(33, 'a', 0, { flagKey: 'other' }), exposed(34, 'a', 0, { game: 'other' })],
      [exposed(35, 'a', 0, { environment: 'test' }), exposed(36, 'a', 0, { stratum: 0 }), bought(36, 50)],
      [
        // In the same millisecond, but after it in the log.
        bought(2, 10, { amount: 2.5, basket: { total: 4 } }),
        bought(3, 11, { amount: 10, 'basket.total': 7 }),
        bought(3, 12, { amount: -1 }),
        // Not numbers.
        bought(3, 13, { amount: '12', basket: { total: true } }),
        bought(3, 14, { amount: null }),
      ],
      // Inside the window of 7 days by a millisecond, and just outside.
      [bought(11, 10 + 7 * DAY_MS - 1, { amount: 3 }), bought(12, 20 + 7 * DAY_MS, { amount: 100 })],
      [
        bought(13, 40, { amount: 50 }, { eventName: 'other_event' }),
        bought(13, 40, {}, { environment: 'test' }),
        bought(13, 40, {}, { game: 'other' }),
      ],
    );

    // a: players 1 to 4, of which 2 and 3 convert. b: 11 to 13, of which 11 does. 21 saw both. Nothing was drawn for 31
    // and 36.
    const counted = { stratum: 10_000, earlier: false, excluded: false, arrived: true, mismatches: 0 };
    expect(await measure()).toMatchObject([
      // Of two zeros and two ones, and of two zeros and a one: μ₃/σ³ and μ₄/σ⁴.
      {
        variant: 'a',
        ...counted,
        players: 4,
        conversions: 2,
        sum: 2,
        mean: 0.5,
        variance: 1 / 3,
        skewness: 0,
        kurtosis: 1,
      },
      expect.objectContaining({ excluded: true, arrived: false, players: 1 }),
      {
        variant: 'b',
        ...counted,
        players: 3,
        conversions: 1,
        sum: 1,
        mean: 1 / 3,
        variance: expect.closeTo(1 / 3, 12),
        skewness: expect.closeTo(Math.SQRT1_2, 12),
        kurtosis: expect.closeTo(1.5, 12),
      },
      expect.objectContaining({ variant: '', stratum: 0, excluded: false, arrived: false, players: 2, conversions: 0 }),
    ]);

    // Events: a 0, 1, 4, 0: mean 5/4, squares 17, variance (17 − 25/4) / 3. b 1, 0, 0.
    const counts = (await measure({ aggregate: { kind: 'count' } })).filter((row) => row.arrived);
    expect(counts.map(({ sum, mean, conversions }) => [sum, mean, conversions])).toEqual([
      [5, 1.25, 2],
      [1, expect.closeTo(1 / 3, 12), 1],
    ]);
    expect(counts[0]?.variance).toBeCloseTo((17 - 25 / 4) / 3, 12);
    // scipy.stats.skew and kurtosis(fisher=False) of 0, 1, 4, 0.
    expect([counts[0]?.skewness, counts[0]?.kurtosis]).toEqual([
      expect.closeTo(0.9575491625535641, 12),
      expect.closeTo(2.148729042725798, 12),
    ]);

    // amount: a 0, 2.5, 9, 0: sum 11.5; b 3, 0, 0.
    const sums = (await measure({ aggregate: { kind: 'sum', property: 'amount' } })).filter((row) => row.arrived);
    expect(sums.map(({ sum, mean }) => [sum, mean])).toEqual([
      [11.5, 11.5 / 4],
      [3, 1],
    ]);
    expect(sums[0]?.variance).toBeCloseTo((2.5 ** 2 + 81 - 11.5 ** 2 / 4) / 3, 12);

    // A path leads into objects, or is itself a key.
    const nested = await measure({ aggregate: { kind: 'sum', property: 'basket.total' } });
    expect(nested.filter((row) => row.arrived).map(({ sum }) => sum)).toEqual([11, 0]);

    // A longer window takes in the late purchase, a later start of the search only who was exposed since.
    expect((await measure({ windowDays: 8 })).find((row) => row.variant === 'b' && !row.excluded)?.conversions).toBe(2);
    expect(await measure({ sinceMs: START + 15 })).toMatchObject([{ variant: 'b', players: 2 }]);
    expect(await measure({ fromVersion: 9, beforeVersion: 10 })).toEqual([]);
  });

  it('leaves out players of earlier periods in all variants, and who met two variants', async () => {
    const earlier = { flagVersion: 1, period: 1 };
    await write(
      // In the period by another version of it; from an earlier period, with the same variant or another.
      [exposed(1, 'a', 0, { flagVersion: 3 }), exposed(2, 'a', 0, earlier), exposed(2, 'a', 10)],
      [exposed(3, 'b', 0, earlier), exposed(3, 'a', 10)],
      [exposed(4, 'a', 0, earlier), exposed(4, 'b', 1, earlier), exposed(4, 'b', 10)],
      // A variant that the edit removed.
      [exposed(12, 'z', 0, earlier), exposed(12, 'b', 10)],
      // What was not drawn, and exposures after the period, leave out no player.
      [exposed(5, 'z', 0, { ...earlier, stratum: 0 }), exposed(5, 'b', 10)],
      [exposed(6, null, 0, earlier), exposed(6, 'b', 10), exposed(6, 'a', 20, { flagVersion: 4 })],
      // Served both, though only one was exposed; that of another period, or player, is no matter.
      [exposed(7, 'b', 10), mixed(7), exposed(8, 'b', 10), mixed(8, { flagVersion: 1 }), mixed(9)],
      // Names what was never served; names what was served before.
      [exposed(10, 'b', 10, { attribution: 'mismatch' }), exposed(11, 'b', 10, { attribution: 'earlier' })],
      [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12].map((player) => bought(player, 100)),
    );
    const measured = await measure();
    const shown = measured.map(({ variant, earlier: wasIn, excluded, arrived, players, mismatches, conversions }) =>
      [variant, wasIn ? 'earlier' : 'new', excluded, arrived, players, mismatches, conversions].join(' '),
    );
    expect(shown.toSorted()).toEqual([
      'a earlier true false 2 0 2',
      'a new false true 1 0 1',
      'b earlier true false 2 0 2',
      'b new false true 4 1 4',
      'b new true false 1 1 1',
      'b new true true 1 0 1',
    ]);
    // Of an earlier period: what came in before it ended, of its variants.
    expect(await measure({ fromVersion: 1, beforeVersion: 2, untilMs: START + 1 })).toMatchObject([
      { variant: 'a', players: 2 },
      { variant: 'b', players: 1 },
      { variant: '', stratum: 0, players: 3 },
    ]);
  });

  it('counts an event that carries its own exposure, as that stands before it', async () => {
    await write([exposed(1, 'a', 5), bought(1, 5, { flag_key: 'shop', variant_key: 'a' })]);
    expect(await measure()).toMatchObject([{ variant: 'a', players: 1, conversions: 1 }]);
  });

  it('distinguishes the variants of a boolean flag by the served value', async () => {
    await write([
      exposed(1, null, 0, { value: 'true', stratum: 2_500 }),
      exposed(2, null, 0, { value: 'false', reason: 'default', stratum: 2_500 }),
      exposed(3, null, 0, { value: 'false', reason: 'default', stratum: 2_500 }),
      bought(1, 5),
    ]);
    const measured = await measure({ variants: ['false', 'true'] });
    expect(measured.map(({ variant, players, conversions }) => [variant, players, conversions])).toEqual([
      ['false', 2, 0],
      ['true', 1, 1],
    ]);
    // Of one player there is no variance.
    expect(measured[1]?.variance).toBeNaN();
  });

  it('counts a player from its first drawn exposure on, by that one, whatever it gets later', async () => {
    const drawn = (player: number, value: string, ms: number, stratum: number) =>
      exposed(player, null, ms, { value, stratum });
    await write([
      // Eligible from the start, and no longer later: it stays.
      drawn(1, 'true', 0, 2_500),
      drawn(1, 'false', 10, 0),
      bought(1, 20),
      // Eligible later: what it bought before that does not count.
      drawn(2, 'false', 0, 0),
      bought(2, 5),
      drawn(2, 'false', 10, 2_500),
      drawn(3, 'false', 0, 0),
      drawn(3, 'true', 10, 2_500),
      bought(3, 15),
      // Of a kind with another share later: by the first.
      drawn(4, 'false', 0, 2_500),
      drawn(4, 'true', 10, 5_000),
      bought(4, 20),
      drawn(5, 'true', 0, 5_000),
      drawn(6, 'false', 0, 0),
      bought(6, 10),
    ]);
    const measured = await measure({ variants: ['false', 'true'] });
    const shown = measured.map(({ stratum, variant, excluded, arrived, players, conversions }) =>
      [stratum, variant, excluded, arrived, players, conversions].join(' '),
    );
    expect(shown.toSorted()).toEqual([
      '0  false false 1 0',
      '2500 false false true 2 1',
      '2500 true false true 2 2',
      '5000 true false true 1 0',
    ]);
  });

  it('treats names and paths as values, whatever they hold', async () => {
    const odd = `'; DROP TABLE events; -- {game:String} \\ " \u{1f600}`;
    await write([exposed(1, odd, 0, { flagKey: odd }), bought(1, 5, { [odd]: { [odd]: 2 } }, { eventName: odd })]);
    const measured = await measure({
      flagKey: odd,
      variants: [odd, 'b'],
      metric: odd,
      aggregate: { kind: 'sum', property: `${odd}.${odd}` },
    });
    expect(measured).toMatchObject([{ variant: odd, players: 1, conversions: 1, sum: 2 }]);
  });

  it('ignores values that are no numbers', async () => {
    await write([exposed(1, 'a'), exposed(2, 'a'), bought(1, 5, { amount: 1e308 }), bought(1, 6, { amount: 1e308 })]);
    const [row] = await measure({ aggregate: { kind: 'sum', property: 'amount' } });
    expect(row?.players).toBe(2);
    expect([row?.sum, row?.mean, row?.variance].some((value) => Number.isFinite(value))).toBe(false);
  });
});

describe('lost events of a reader of the stream', () => {
  const event = (player: number, some: Parameters<typeof aTrackedEvent>[0] = {}): Fact =>
    aTrackedEvent({ entityId: playerId(player), at: START, ...some });

  it('are counted from its position to the first held record, by its filters', async () => {
    await write(
      [event(1), event(1), event(2, { eventName: 'login' }), event(1, { environment: 'test' })],
      [event(1, { game: 'other' }), event(2), event(3, { at: START - DAY_MS })],
      [event(1)],
    );
    const all = { game: 'demo', environment: 'live', eventNames: [], receivedFromMs: START, beforeSequence: 3 };
    const fromStart = { ...all, from: { sequence: 1, index: 0 } };
    const missed = async (query: Parameters<Analytics['missedEvents']>[0]) =>
      answered(await analytics.missedEvents(query));
    expect(await missed(fromStart)).toBe(4);
    expect(await missed({ ...fromStart, from: { sequence: 1, index: 2 } })).toBe(2);
    expect(await missed({ ...fromStart, from: { sequence: 2, index: 0 } })).toBe(1);
    expect(await missed({ ...fromStart, eventNames: ['login', "it's"] })).toBe(1);
    expect(await missed({ ...fromStart, playerId: playerId(1) })).toBe(2);
    expect(await missed({ ...fromStart, playerId: playerId(1), eventNames: ['login'] })).toBe(0);
    // Received before this log was there: its place is one of an earlier log.
    expect(await missed({ ...fromStart, receivedFromMs: START - DAY_MS })).toBe(5);
  });
});

describe('many requests at once', () => {
  it('wait for a slot up to a bound; beyond it they are unavailable at once', async () => {
    const room = QUERY_LIMITS.analyticsStatements + QUERY_LIMITS.analyticsWaiting;
    const query = { game: 'demo', environment: 'live', segmentId: 'seg_1', limit: 1 };
    const result = await Promise.all(Array.from({ length: room + 10 }, () => analytics.segmentPlayers(query)));
    expect(result.filter(({ kind }) => kind === 'unavailable')).toHaveLength(10);
    // Places are given back.
    expect(await analytics.segmentPlayers(query)).toEqual({ kind: 'answered', value: [] });
  });
});

describe('an unreachable ClickHouse', () => {
  it('makes queries unavailable instead of throwing', async () => {
    const address = { ...clickhouse.address, url: 'http://127.0.0.1:1' };
    const away = createAnalytics({ address, clock: systemClock, logger: silentLogger });
    const result = await away.segmentPlayers({ game: 'demo', environment: 'live', segmentId: 'seg_1', limit: 1 });
    expect(result).toEqual({ kind: 'unavailable' });
    await away.close();
  });

  it('without its tables makes queries throw', async () => {
    const address = { ...clickhouse.address, database: 'nowhere' };
    const lost = createAnalytics({ address, clock: systemClock, logger: silentLogger });
    const query = { game: 'demo', environment: 'live', segmentId: 'seg_1', limit: 1 };
    await expect(lost.segmentPlayers(query)).rejects.toThrow();
    await lost.close();
  });
});
