import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/kernel/clock.ts';
import { systemIds } from '../../core/kernel/ids.ts';
import { SCORING_LIMITS } from './limits.ts';
import { createMetrics } from '../parts/metrics.ts';
import type { ScoreRecord } from '../../core/vocabulary/records/score-record.ts';
import { createFakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../test/support/in-memory/silent-logger.ts';
import { FEATURES } from './features.ts';
import type { Model } from './load-model.ts';
import type { ScoreRequest } from './batch-scorer.ts';
import { createScorer, type Scored, type Scorer } from './scorer.ts';
import { shippedManifest, someFeatures } from './testing-packages.ts';
import type { Failure } from '../../core/kernel/errors.ts';

/** A model that scores by install_hour, in hundredths, and counts its runs. */
interface CountingModel extends Model {
  runs: number[];
}

function countingModel(version: string, fail = false): CountingModel {
  const runs: number[] = [];
  return {
    version,
    thresholds: { top_1pct: Math.fround(0.2), top_5pct: Math.fround(0.1), top_10pct: Math.fround(0.05) },
    manifest: shippedManifest(),
    runs,
    async run(features, scores) {
      if (fail) throw new Error('broken');
      runs.push(scores.length);
      scores.forEach((_, row) => {
        scores[row] = (features[row * FEATURES.length + FEATURES.indexOf('install_hour')] ?? NaN) / 100;
      });
    },
  };
}

let current: CountingModel | undefined;
let challenger: CountingModel | undefined;
let appended: ScoreRecord[][];
let stored: 'stored' | 'unavailable';
let appends: Promise<void>;
let scorer: Scorer;
let metrics: ReturnType<typeof createMetrics>;
beforeEach(() => {
  current = countingModel('current00000');
  challenger = undefined;
  appended = [];
  stored = 'stored';
  appends = Promise.resolve();
  metrics = createMetrics();
  scorer = createScorer({
    models: { current: () => current, challenger: () => challenger },
    async append(records) {
      appended.push(records);
      await appends;
      return stored;
    },
    clock: systemClock,
    ids: systemIds,
    logger: silentLogger,
    metrics,
  });
});

const score = (some: Partial<ScoreRequest> = {}): Promise<Scored | Failure> =>
  scorer.score({ game: 'demo', tenant: 'acme', environment: 'live', deviceId: 'd', features: someFeatures(), ...some });
const atHour = (install_hour: number) =>
  score({ deviceId: `at-${install_hour}`, features: someFeatures({ install_hour }) });
const code = (outcome: Scored | Failure): string => (outcome.kind === 'failure' ? outcome.code : outcome.kind);

describe('scoring', () => {
  it('scores the requests of one turn in one run and one append, and returns each its own score', async () => {
    const outcomes = await Promise.all([21, 12, 7, 1].map(atHour));
    expect(current?.runs).toEqual([4]);
    expect(appended).toHaveLength(1);
    expect(outcomes.map((outcome) => outcome.kind === 'scored' && outcome.bucket)).toEqual([
      'top_1pct',
      'top_5pct',
      'top_10pct',
      'rest',
    ]);
    expect(outcomes.map((outcome) => outcome.kind === 'scored' && outcome.score)).toEqual(
      [0.21, 0.12, 0.07, 0.01].map(Math.fround),
    );
    expect(appended[0]?.map(({ deviceId }) => deviceId)).toEqual(['at-21', 'at-12', 'at-7', 'at-1']);
    expect(new Set(appended[0]?.map(({ recordId }) => recordId)).size).toBe(4);
  });

  it('stores the request and the response', async () => {
    const outcome = await score({ environment: 'test', deviceId: 'mine' });
    expect(appended.flat()).toEqual([
      {
        recordId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        game: 'demo',
        tenant: 'acme',
        environment: 'test',
        deviceId: 'mine',
        features: someFeatures(),
        score: Math.fround(0.16),
        bucket: 'top_5pct',
        modelVersion: 'current00000',
        forced: false,
        challenger: false,
        scoredAt: outcome.kind === 'scored' && outcome.scoredAt,
      },
    ]);
  });

  it('stores two records for two equal requests', async () => {
    await score();
    await score();
    expect(new Set(appended.flat().map(({ recordId }) => recordId)).size).toBe(2);
  });

  it('runs a bounded number of rows at once and loses none', async () => {
    const many = SCORING_LIMITS.scoringBatchRows * 2 + 3;
    const outcomes = await Promise.all(Array.from({ length: many }, (_, turn) => atHour(turn % 24)));
    expect(current?.runs).toEqual([SCORING_LIMITS.scoringBatchRows, SCORING_LIMITS.scoringBatchRows, 3]);
    expect(outcomes.map((outcome) => outcome.kind === 'scored' && outcome.score)).toEqual(
      outcomes.map((_, turn) => Math.fround((turn % 24) / 100)),
    );
    expect(appended.flat()).toHaveLength(many);
  });

  it('gathers the requests of several turns while two batches are being stored, for a bounded time', async () => {
    const clock = createFakeClock();
    const releases: (() => void)[] = [];
    scorer = createScorer({
      models: { current: () => current, challenger: () => challenger },
      append: (records) => {
        appended.push(records);
        return new Promise((resolve) => {
          releases.push(() => resolve('stored'));
        });
      },
      clock,
      ids: systemIds,
      logger: silentLogger,
      metrics,
    });
    const outcomes: Promise<Scored | Failure>[] = [];
    const inTurns = async (...hours: number[]): Promise<void> => {
      for (const hour of hours) {
        outcomes.push(atHour(hour));
        await clock.advance(0);
      }
    };
    const sizes = (): number[] => appended.map((records) => records.length);

    await inTurns(1, 2, 3, 4);
    expect(sizes()).toEqual([1, 1]);
    releases[0]?.();
    await clock.advance(0);
    expect(sizes()).toEqual([1, 1, 2]);

    await inTurns(5, 6);
    await clock.advance(SCORING_LIMITS.scoringGatherMs - 1);
    expect(sizes()).toEqual([1, 1, 2]);
    await clock.advance(1);
    expect(sizes()).toEqual([1, 1, 2, 2]);
    for (const release of releases) release();
    expect((await Promise.all(outcomes)).map(code)).toEqual(Array.from({ length: 6 }, () => 'scored'));
    expect(current?.runs).toEqual([1, 1, 2, 2]);
  });

  it('answers after the record is stored, and 503 if it may not be stored', async () => {
    let release = (): void => {};
    appends = new Promise((resolve) => {
      release = resolve;
    });
    let answered = false;
    const outcome = score().then((one) => {
      answered = true;
      return one;
    });
    while (appended.length === 0) await new Promise(setImmediate);
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    expect(answered).toBe(false);
    stored = 'unavailable';
    release();
    expect(code(await outcome)).toBe('SERVICE_UNAVAILABLE');
  });

  it('fails without a model and when the model fails, and stores nothing', async () => {
    current = undefined;
    expect(code(await score())).toBe('MODEL_UNAVAILABLE');
    current = countingModel('broken000000', true);
    expect(code(await score())).toBe('MODEL_UNAVAILABLE');
    expect(appended).toEqual([]);
  });

  it.each([NaN, Infinity, -Infinity, 1e39, -3.5e38])('keeps %d away from the model', async (value) => {
    for (const name of FEATURES) {
      expect(await score({ features: someFeatures({ [name]: value }) })).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { fields: [{ path: `/${name}` }] },
      });
    }
    expect(current?.runs).toEqual([]);
  });

  it('forces the bucket of a reserved id with test keys, with the real thresholds and without the model', async () => {
    const outcomes = await Promise.all([
      score({ environment: 'test', deviceId: 'SERVICE_TEST_TOP_5PCT' }),
      score({ environment: 'live', deviceId: 'SERVICE_TEST_TOP_1PCT', features: someFeatures({ install_hour: 3 }) }),
      score({ environment: 'test', deviceId: 'SERVICE_TEST_REST', features: someFeatures({ install_hour: 23 }) }),
    ]);
    expect(outcomes).toMatchObject([
      { bucket: 'top_5pct' },
      { bucket: 'rest', score: Math.fround(0.03) },
      { bucket: 'rest' },
    ]);
    expect(current?.runs).toEqual([1]);
    expect(appended.flat().map(({ forced }) => forced)).toEqual([true, false, true]);
    expect(outcomes.every((outcome) => outcome.kind === 'scored' && outcome.thresholds === current?.thresholds)).toBe(
      true,
    );
  });

  it('scores the same rows with the challenger under the same ids, and returns none of its scores', async () => {
    challenger = { ...countingModel('challenger00'), thresholds: { top_1pct: 0.15, top_5pct: 0.1, top_10pct: 0.05 } };
    const outcomes = await Promise.all([
      score({ environment: 'test', deviceId: 'SERVICE_TEST_REST' }),
      atHour(16),
      atHour(2),
    ]);
    expect(outcomes).toMatchObject([{}, { bucket: 'top_5pct', modelVersion: 'current00000' }, { bucket: 'rest' }]);
    expect(challenger.runs).toEqual([2]);
    const shadows = appended.flat().filter((record) => record.challenger);
    expect(shadows).toMatchObject([
      { deviceId: 'at-16', bucket: 'top_1pct', modelVersion: 'challenger00', score: Math.fround(0.16) },
      { deviceId: 'at-2', bucket: 'rest', modelVersion: 'challenger00' },
    ]);
    expect(appended.flat()).toHaveLength(5);
    const idOf = new Map(appended.flat().map((record) => [`${record.deviceId} ${record.challenger}`, record.recordId]));
    for (const { deviceId, recordId } of shadows) expect(idOf.get(`${deviceId} false`)).toBe(recordId);
  });

  it('counts buckets by model without forced scores, and measures the model', async () => {
    challenger = countingModel('challenger00');
    await Promise.all([21, 22, 12, 1].map(atHour));
    await score({ environment: 'test', deviceId: 'SERVICE_TEST_TOP_1PCT' });
    const text = await metrics.text();
    for (const model of ['current', 'challenger']) {
      expect(text).toContain(`scoring_scores_total{model="${model}",bucket="top_1pct"} 2`);
      expect(text).toContain(`scoring_scores_total{model="${model}",bucket="top_5pct"} 1`);
      expect(text).toContain(`scoring_scores_total{model="${model}",bucket="rest"} 1`);
      expect(text).toContain(`scoring_batch_rows_sum{model="${model}"} 4`);
      expect(text).toContain(`scoring_batch_rows_count{model="${model}"} 1`);
    }
  });

  it('ignores the failure of a challenger', async () => {
    challenger = countingModel('challenger00', true);
    expect(await atHour(21)).toMatchObject({ kind: 'scored', bucket: 'top_1pct' });
    expect(appended.flat().map((record) => record.challenger)).toEqual([false]);
  });

  it('accepts a bounded number of requests while the log is unavailable', async () => {
    appends = new Promise(() => {});
    const answers = Array.from({ length: SCORING_LIMITS.scoringWaiting + 5 }, () => score());
    const refused = await Promise.all(answers.slice(SCORING_LIMITS.scoringWaiting));
    expect(refused.map(code)).toEqual(Array.from({ length: 5 }, () => 'SERVICE_UNAVAILABLE'));
  });
});
