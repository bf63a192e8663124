import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../core/kernel/clock.ts';
import { createMetrics } from '../../../../src/parts/metrics.ts';
import { createMemoryBroker, type MemoryBroker, type MemoryFaults } from '../../../../streams/log/memory/log-memory.ts';
import { createRecordWriter, type RecordWriter } from '../../../../streams/records/record-writer.ts';
import {
  modelReferenceOf,
  type ModelReference,
  type ReferenceBins,
} from '../../../../core/vocabulary/records/model-reference.ts';
import type { ScoreRecord } from '../../../../core/vocabulary/records/score-record.ts';
import { aScore } from '../../../../streams/records/testing-scores.ts';
import { createClickhouseSink } from '../../../../streams/sinks/clickhouse/clickhouse-sink.ts';
import { rowsOf, runSql, type TestClickhouse } from '../../../support/servers/clickhouse.ts';
import { startWithTables } from '../../../support/wire/made-tables.ts';
import { silentLogger } from '../../../support/in-memory/silent-logger.ts';
import { until } from '../../../support/until.ts';

/* From the record writer through RECORDS and the sink to tables and views, on the real engine. */

const DAY_MS = 86_400_000;
const PLAYER = '00000000-0000-5000-8000-000000000001';

let clickhouse: TestClickhouse;
let broker: MemoryBroker;
let writer: RecordWriter;
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  clickhouse = await startWithTables();
});
afterAll(() => clickhouse.close());
beforeEach(async () => {
  for (const table of ['scores', 'challenger_scores', 'model_references', 'player_snapshots', 'purchases']) {
    await run(`TRUNCATE TABLE ${table}`);
  }
  open();
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function run(sql: string): Promise<void> {
  const { status, text } = await runSql(clickhouse, sql);
  if (status !== 200) throw new Error(text);
}

/** An empty broker with a writer and the sink of a service. */
function open(faults: MemoryFaults = {}): void {
  broker = createMemoryBroker({ clock: systemClock, faults });
  writer = createRecordWriter({
    log: broker.connect('scorer'),
    clock: systemClock,
    node: 'n-1',
    writer: 'n-1-a',
    logger: silentLogger,
  });
  startSink();
}

function startSink(): { kill: () => void } {
  const log = broker.connect('sink');
  const sink = createClickhouseSink({
    log,
    clock: systemClock,
    holder: 'sink',
    clickhouse: clickhouse.address,
    logger: silentLogger,
    metrics: createMetrics(),
  });
  sink.start();
  // Also after a kill: here it shares our process, and would insert into the next test's tables.
  stops.push(() => sink.stop());
  return { kill: () => log.kill() };
}

const countOf = async (table: string): Promise<number> => {
  const [row] = await rowsOf<{ n: number }>(clickhouse, `SELECT toUInt32(count()) AS n FROM ${table}`);
  return row?.n ?? 0;
};

/** Stores scores and waits until they are rows. */
async function scored(records: readonly ScoreRecord[]): Promise<void> {
  const before = (await countOf('scores')) + (await countOf('challenger_scores'));
  expect(await writer.append(records)).toBe('stored');
  await until('the rows are there', async () => {
    return (await countOf('scores')) + (await countOf('challenger_scores')) === before + records.length;
  });
}

async function loaded(reference: ModelReference): Promise<void> {
  writer.recordModel(reference);
  await until('the model is known', async () => (await countOf('model_references')) >= reference.measures.length);
}

describe('score records', () => {
  it('become rows with all documented columns', async () => {
    const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    await scored([
      aScore(1, {
        tenant: 'studio',
        deviceId: 'dev\t"1"\\é',
        score: Math.fround(0.0287295),
        bucket: 'top_5pct',
        scoredAt: at,
        features: {
          loot_distinct_types: 3,
          sess_duration_total: 1717.6,
          match_avg_fight_time: 1e-7,
          match_wins: 2 ** 53,
          install_hour: 23,
          vpay_count: -4,
        },
      }),
      aScore(2, { environment: 'test', forced: true, bucket: 'top_1pct' }),
    ]);
    const [first, second] = await rowsOf<Record<string, unknown>>(
      clickhouse,
      'SELECT * EXCEPT (received_at), received_at > now() - INTERVAL 1 HOUR AS fresh FROM scores ORDER BY records_index',
    );
    expect(first).toEqual({
      record_id: aScore(1).recordId,
      game_id: 'demo',
      tenant: 'studio',
      environment: 'live',
      device_id: 'dev\t"1"\\é',
      loot_distinct_types: 3,
      sess_duration_total: 1717.6,
      match_avg_fight_time: 1e-7,
      match_wins: 2 ** 53,
      install_hour: 23,
      vpay_count: -4,
      score: Math.fround(0.0287295),
      bucket: 'top_5pct',
      model_version: '388c64d4a551',
      forced: false,
      scored_at: '2026-01-02 03:04:05.678',
      records_sequence: 1,
      records_index: 0,
      fresh: 1,
    });
    expect(second).toMatchObject({ environment: 'test', forced: true, bucket: 'top_1pct' });
  });

  it('of a challenger go to its own table', async () => {
    await scored([aScore(1), aScore(2, { challenger: true, modelVersion: 'aaaaaaaaaaaa' })]);
    expect(await rowsOf(clickhouse, 'SELECT model_version FROM scores')).toEqual([{ model_version: '388c64d4a551' }]);
    const shadow = await rowsOf(clickhouse, 'SELECT model_version FROM challenger_scores');
    expect(shadow).toEqual([{ model_version: 'aaaaaaaaaaaa' }]);
  });

  it('are trimmed from RECORDS once they are rows, except the last', async () => {
    for (const stop of stops.splice(0)) await stop();
    for (const n of [1, 2, 3]) expect(await writer.append([aScore(n)])).toBe('stored');
    startSink();
    await until('RECORDS was trimmed', () => broker.stream('RECORDS').bounds().firstSequence === 3);
    expect(await countOf('scores')).toBe(3);
    expect(broker.stream('RECORDS').bounds().lastSequence).toBe(3);
  });

  it('are one row each although appends were not answered and arrived twice', async () => {
    let appends = 0;
    open({ onAppend: () => (appends++ % 3 === 0 ? { ackDelayMs: 2_500 } : 'duplicate') });
    await Promise.all([writer.append([aScore(1)]), writer.append([aScore(2)])]);
    await scored([aScore(3)]);
    expect(appends).toBeGreaterThan(2);
    const rows = await rowsOf(clickhouse, 'SELECT record_id FROM scores ORDER BY record_id');
    expect(rows).toEqual([1, 2, 3].map((n) => ({ record_id: aScore(n).recordId })));
  });

  it('are one row each, also when ClickHouse and the sink are killed meanwhile', async () => {
    for (const stop of stops.splice(0)) await stop();
    let sink = startSink();
    const given: string[] = [];
    let n = 0;
    for (let round = 0; round < 3; round++) {
      const goesOn = async (): Promise<void> => {
        for (let i = 0; i < 40; i++) {
          const records = Array.from({ length: 5 }, () => aScore(n++));
          if ((await writer.append(records)) === 'stored') given.push(...records.map((record) => record.recordId));
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      await goesOn();
      const inserted = await countOf('scores');
      await Promise.all([goesOn(), until('some of it is in', async () => (await countOf('scores')) > inserted)]);
      await Promise.all([goesOn(), clickhouse.kill()]);
      if (round === 1) {
        sink.kill();
        sink = startSink();
      }
      await clickhouse.restart();
    }
    await until('all are in', async () => (await countOf('scores')) >= given.length, 60_000);
    const rows = await rowsOf<{ record_id: string }>(clickhouse, 'SELECT record_id FROM scores');
    expect(rows.map((row) => row.record_id).toSorted()).toEqual(given.toSorted());
  });
});

describe('views of scores', () => {
  it('leave test keys and reserved devices out, all of them', async () => {
    await loaded({
      modelVersion: '388c64d4a551',
      loadedAt: 1,
      measures: [{ measure: 'score', edges: [0], shares: [0.5, 0.5] }],
    });
    await scored([
      aScore(1, { environment: 'test' }),
      aScore(2, { environment: 'test', forced: true }),
      aScore(3, { forced: true }),
      aScore(4, { challenger: true }),
    ]);
    for (const view of ['scores_daily', 'score_drift_daily', 'score_calibration_daily']) {
      expect(await rowsOf(clickhouse, `SELECT * FROM ${view}`), view).toEqual([]);
    }
  });

  it('count scores by day, model and bucket', async () => {
    await scored([
      aScore(1, { score: 0.25 }),
      aScore(2, { score: 0.75, deviceId: 'device-1' }),
      aScore(3, { score: 0.5, bucket: 'top_1pct' }),
      aScore(4, { score: 0.5, scoredAt: Date.UTC(2026, 0, 2) }),
    ]);
    const rows = await rowsOf(
      clickhouse,
      'SELECT day, bucket, toUInt32(scores) AS scores, toUInt32(devices) AS devices, mean_score FROM scores_daily ORDER BY day, bucket',
    );
    expect(rows).toEqual([
      { day: '2026-01-01', bucket: 'rest', scores: 2, devices: 1, mean_score: 0.5 },
      { day: '2026-01-01', bucket: 'top_1pct', scores: 1, devices: 1, mean_score: 0.5 },
      { day: '2026-01-02', bucket: 'rest', scores: 1, devices: 1, mean_score: 0.5 },
    ]);
  });

  it('measure drift against the bins of the scoring model: stability index of each device’s last score', async () => {
    // 289.9 is just above the edge as a double, and equal to it as the model sees it.
    const edges = [0, Math.fround(289.9)];
    const measures = [
      { measure: 'sess_duration_total', edges, shares: [0.5, 0.25, 0.25] },
      { measure: 'score', edges: [0.1], shares: [1, 0] },
    ];
    await loaded({
      modelVersion: '388c64d4a551',
      loadedAt: 1_000,
      measures: measures.map((bins) => ({ ...bins, shares: bins.shares.toReversed() })),
    });
    writer.recordModel({ modelVersion: '388c64d4a551', loadedAt: 2_000, measures });
    await loaded({
      modelVersion: 'other',
      loadedAt: 3_000,
      measures: [{ measure: 'score', edges: [0.9], shares: [0.5, 0.5] }],
    });
    const device = (n: number, seconds: number, score: number, at = Date.UTC(2026, 0, 1, 12)) =>
      aScore(n, { score, scoredAt: at, features: { ...aScore(n).features, sess_duration_total: seconds } });
    await scored([
      { ...device(1, 5_000, 0.9, Date.UTC(2026, 0, 1, 11)), deviceId: 'device-2' },
      device(2, 0, 0.05),
      device(3, 289.9, 0.1),
      device(4, 290, 0.2),
      device(5, 1e9, 0.05),
    ]);
    await until('the newer reference is known', async () => {
      const [row] = await rowsOf<{ n: number }>(
        clickhouse,
        "SELECT toUInt32(count()) AS n FROM model_references FINAL WHERE received_at = fromUnixTimestamp64Milli(2000, 'UTC')",
      );
      return row?.n === 2;
    });
    const rows = await rowsOf<{ measure: string; devices: string; shares: number[]; psi: number }>(
      clickhouse,
      'SELECT measure, devices, shares, psi, toString(day) AS on, game_id FROM score_drift_daily ORDER BY measure',
    );
    expect(rows.map(({ measure, shares, devices }) => [measure, shares, Number(devices)])).toEqual([
      ['score', [0.75, 0.25], 4],
      ['sess_duration_total', [0.25, 0.25, 0.5], 4],
    ]);
    const psi = rows.map((row) => row.psi);
    expect(psi[0]).toBeCloseTo((0.75 - 1) * Math.log(0.75) + (0.25 - 0.0001) * Math.log(0.25 / 0.0001), 10);
    expect(psi[1]).toBeCloseTo(-0.25 * Math.log(0.5) + 0.25 * Math.log(2), 10);
  });

  it('find no drift in the model’s own installs, whatever bins the shipped manifest has', async () => {
    const manifest: Parameters<typeof modelReferenceOf>[0] = JSON.parse(
      readFileSync(new URL('../../../../models/first-user-conversion/manifest.json', import.meta.url), 'utf8'),
    );
    const reference = modelReferenceOf(manifest, 1);
    const bins = new Map(reference.measures.map((each) => [each.measure, each]));
    await loaded(reference);
    const count = 200;
    await scored(
      Array.from({ length: count }, (_, n) => {
        const value = (name: string): number => valueAt(bins.get(name), (n + 0.5) / count);
        return aScore(n, {
          score: value('score'),
          features: {
            loot_distinct_types: value('loot_distinct_types'),
            sess_duration_total: value('sess_duration_total'),
            match_avg_fight_time: value('match_avg_fight_time'),
            match_wins: value('match_wins'),
            install_hour: value('install_hour'),
            vpay_count: value('vpay_count'),
          },
        });
      }),
    );
    const rows = await rowsOf<{ measure: string; psi: number }>(
      clickhouse,
      'SELECT measure, psi FROM score_drift_daily',
    );
    expect(rows.map((row) => row.measure).toSorted()).toEqual([...bins.keys()].toSorted());
    for (const { measure, psi } of rows) expect(psi, measure).toBeLessThan(0.01);
  });

  it('compare scores with first purchases within a day, by bucket', async () => {
    const start = Date.UTC(2026, 0, 10, 12);
    const players = [1, 2, 3, 4, 5].map((n) => ({ id: PLAYER.replace(/1$/, String(n)), device: `device-${n}` }));
    for (const { id, device } of players) {
      await run(
        `INSERT INTO player_snapshots (game_id, environment, kind, player_id, device_id, version)
        VALUES ('demo', 'live', 'player', '${id}', '${device}', 1)`,
      );
    }
    const bought = (n: number, atMs: number): Promise<void> =>
      run(
        `INSERT INTO purchases (game_id, environment, player_id, amount, received_at)
        VALUES ('demo', 'live', '${players[n - 1]?.id ?? ''}', 4.99, fromUnixTimestamp64Milli(${atMs}, 'UTC'))`,
      );
    await bought(1, start + 1_000);
    await bought(2, start + DAY_MS);
    await bought(3, start + DAY_MS + 1);
    await bought(4, start - 1_000);
    const top = { bucket: 'top_1pct', scoredAt: start } as const;
    await scored([
      // The device's first score; the one 30 minutes later counts.
      aScore(1, { ...top, bucket: 'rest', score: 0.125, scoredAt: start - 1_800_000 }),
      aScore(11, { ...top, score: 0.5, deviceId: 'device-1' }),
      aScore(2, { ...top, score: 0.25 }),
      aScore(3, { ...top, score: 0.75 }),
      aScore(4, { ...top, score: 1 }),
      aScore(5, { bucket: 'rest', score: 0.25, scoredAt: start }),
      aScore(6, { bucket: 'rest', score: 0.75, scoredAt: start, deviceId: 'nobody' }),
      aScore(7, { bucket: 'rest', scoredAt: systemClock.wallMs() - DAY_MS + 60_000 }),
    ]);
    const rows = await rowsOf(
      clickhouse,
      `SELECT toString(day) AS day, game_id, model_version, bucket, toUInt32(devices) AS devices, toUInt32(buyers) AS buyers,
        mean_score, conversion_rate FROM score_calibration_daily ORDER BY bucket`,
    );
    const scope = { day: '2026-01-10', game_id: 'demo', model_version: '388c64d4a551' };
    expect(rows).toEqual([
      { ...scope, bucket: 'rest', devices: 2, buyers: 0, mean_score: 0.5, conversion_rate: 0 },
      { ...scope, bucket: 'top_1pct', devices: 3, buyers: 2, mean_score: 0.5, conversion_rate: 2 / 3 },
    ]);
  });
});

/** A value of the bin in which the given part of all installs ends: the bin's upper edge, or one past the last. */
function valueAt(bins: ReferenceBins | undefined, part: number): number {
  const { edges, shares } = bins ?? { edges: [], shares: [] };
  let sum = 0;
  for (const [place, share] of shares.entries()) {
    sum += share;
    if (part < sum) return edges[place] ?? (edges.at(-1) ?? 0) + 1;
  }
  return (edges.at(-1) ?? 0) + 1;
}
