import type { ScoreBucket, ScoreFeatures, ScoreRecord } from '../../core/vocabulary/records/score-record.ts';
import type { Cancel, Clock } from '../../core/kernel/clock.ts';
import { type ErrorCode, failure, type Failure } from '../../core/kernel/errors.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import { SCORING_LIMITS } from './limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import type { ScoringMetrics } from './metrics.ts';
import { bucketOf, BUCKETS, forcedBucketOf, scoreWithin, type Thresholds } from './buckets.ts';
import { FEATURES, unusableFeature, writeRow } from './features.ts';
import type { Model } from './load-model.ts';
import type { Models } from './models.ts';
import type { Environment } from '../../core/vocabulary/documents/scope.ts';

/** One install to score, with its game. */
export interface ScoreRequest {
  game: string;
  tenant: string;
  environment: Environment;
  deviceId: string;
  features: ScoreFeatures;
}

/** A score whose record is stored. */
export interface Scored {
  kind: 'scored';
  /** Probability, 0 to 1. */
  score: number;
  bucket: ScoreBucket;
  modelVersion: string;
  thresholds: Thresholds;
  /** Epoch milliseconds. */
  scoredAt: number;
}

export interface Scorer {
  /** Scores one install. Resolves when its record is stored; fails without a model and while the log is unavailable. */
  score(request: ScoreRequest): Promise<Scored | Failure>;
}

export interface ScorerDeps {
  models: Pick<Models, 'current' | 'challenger'>;
  /** Stores records. Resolves when they are durable; `unavailable`: they may not be stored. */
  append: (records: ScoreRecord[]) => Promise<'stored' | 'unavailable'>;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: Pick<ScoringMetrics, 'scoringBatchRows' | 'scoringInference' | 'scores'>;
}

/** A request without a response. */
interface Waiting {
  request: ScoreRequest;
  forced: ScoreBucket | undefined;
  complete: (outcome: Scored | Failure) => void;
}

/** Memory for one batch; reused. */
interface Buffers {
  features: Float32Array;
  scores: Float32Array;
  challengerScores: Float32Array;
}

/** The records of a batch, in its order, and the challenger's records of the rows that the current model scored. */
interface ScoredBatch {
  records: ScoreRecord[];
  challengerRecords: ScoreRecord[];
}

type Role = 'current' | 'challenger';

/**
 * Scores requests in batches: the requests of one turn of the event loop share one run of the model, one clock reading
 * and one append of records. While earlier batches are being stored, requests wait a little and share the next batch,
 * because a run of the model costs far more than a row of it. The challenger scores the same rows; its scores are only
 * recorded.
 *
 * Invariants
 * 1. One model scores a batch: the one that is current when the batch starts. Score, bucket, version and thresholds of
 *    a response belong to it.
 * 2. Only finite float32 numbers reach a model.
 * 3. A request is answered after its record is stored.
 */
export function createScorer({ models, append, clock, ids, logger, metrics }: ScorerDeps): Scorer {
  let waiting: Waiting[] = [];
  let isScheduled = false;
  let inProgress = 0;
  /** Batches that are being scored or stored. */
  let batches = 0;
  let cancelLate: Cancel | undefined;
  const spare: Buffers[] = [];
  const failedModels = new WeakSet<Model>();

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    clock.timer(0, () => {
      isScheduled = false;
      if (waiting.length === 0) return;
      const isFull = waiting.length >= SCORING_LIMITS.scoringBatchRows;
      if (isFull || batches < SCORING_LIMITS.scoringBatches) start();
      else cancelLate ??= clock.timer(SCORING_LIMITS.scoringGatherMs, start);
    });
  }

  function start(): void {
    cancelLate?.();
    cancelLate = undefined;
    const batch = waiting.slice(0, SCORING_LIMITS.scoringBatchRows);
    waiting = waiting.slice(SCORING_LIMITS.scoringBatchRows);
    if (waiting.length > 0) schedule();
    void handle(batch);
  }

  async function handle(batch: readonly Waiting[]): Promise<void> {
    inProgress += batch.length;
    batches += 1;
    try {
      const model = models.current();
      const scored = model === undefined ? undefined : await scoreBatch(batch, model);
      if (model === undefined || scored === undefined) refuse(batch, 'MODEL_UNAVAILABLE');
      else await storeAndAnswer(batch, scored, model);
    } catch (error) {
      logger.error({ err: error }, 'a batch of scores failed because of a bug');
      refuse(batch, 'INTERNAL_ERROR');
    } finally {
      inProgress -= batch.length;
      batches -= 1;
      if (waiting.length > 0) schedule();
    }
  }

  /** @returns undefined if the model failed */
  async function scoreBatch(batch: readonly Waiting[], model: Model): Promise<ScoredBatch | undefined> {
    const challenger = models.challenger();
    const toRun = batch.filter(({ forced }) => forced === undefined);
    const buffers = spare.pop() ?? createBuffers();
    try {
      toRun.forEach(({ request }, row) => writeRow(buffers.features, row, request.features));
      const [isScored, isChallenged] = await Promise.all([
        run(model, 'current', buffers, toRun.length),
        challenger !== undefined && run(challenger, 'challenger', buffers, toRun.length),
      ]);
      if (!isScored) return undefined;
      const records = recordsOf(batch, model, buffers.scores, clock.wallMs());
      if (challenger === undefined || !isChallenged) return { records, challengerRecords: [] };
      return { records, challengerRecords: challengerRecordsOf(records, challenger, buffers.challengerScores) };
    } finally {
      spare.push(buffers);
    }
  }

  /** @returns whether the model filled its scores. A failure is logged once for each model. */
  async function run(model: Model, role: Role, buffers: Buffers, rows: number): Promise<boolean> {
    if (rows === 0) return true;
    metrics.scoringBatchRows.observe({ model: role }, rows);
    const features = buffers.features.subarray(0, rows * FEATURES.length);
    const scores = (role === 'current' ? buffers.scores : buffers.challengerScores).subarray(0, rows);
    // The runtime computes in its own immediate, directly after this one, so only its time is measured.
    let startedMs: number | undefined;
    const cancel = clock.timer(0, () => {
      startedMs = clock.monotonicMs();
    });
    try {
      await model.run(features, scores);
      if (startedMs !== undefined) {
        metrics.scoringInference.observe({ model: role }, (clock.monotonicMs() - startedMs) / 1000);
      }
      return true;
    } catch (error) {
      if (!failedModels.has(model))
        logger.error({ err: error, role, version: model.version }, 'a model failed to score');
      failedModels.add(model);
      return false;
    } finally {
      cancel();
    }
  }

  function recordsOf(batch: readonly Waiting[], model: Model, scores: Float32Array, scoredAt: number): ScoreRecord[] {
    let row = 0;
    return batch.map(({ request, forced }) => {
      const score = forced === undefined ? (scores[row++] ?? NaN) : scoreWithin(forced, model.thresholds);
      return {
        recordId: ids.uuidv7(scoredAt),
        ...request,
        score,
        bucket: bucketOf(score, model.thresholds),
        modelVersion: model.version,
        forced: forced !== undefined,
        challenger: false,
        scoredAt,
      };
    });
  }

  async function storeAndAnswer(
    batch: readonly Waiting[],
    { records, challengerRecords }: ScoredBatch,
    { thresholds }: Model,
  ): Promise<void> {
    const stored = await append([...records, ...challengerRecords]);
    if (stored === 'unavailable') return refuse(batch, 'SERVICE_UNAVAILABLE');
    for (const [index, { score, bucket, modelVersion, scoredAt }] of records.entries()) {
      batch[index]?.complete({ kind: 'scored', score, bucket, modelVersion, thresholds, scoredAt });
    }
    countBuckets('current', records);
    countBuckets('challenger', challengerRecords);
  }

  /** Increments once per bucket: looking up a metric's labels costs more than scoring a row. */
  function countBuckets(model: Role, records: readonly ScoreRecord[]): void {
    const counts = { top_1pct: 0, top_5pct: 0, top_10pct: 0, rest: 0 };
    for (const { bucket, forced } of records) if (!forced) counts[bucket] += 1;
    for (const bucket of BUCKETS) if (counts[bucket] > 0) metrics.scores.inc({ model, bucket }, counts[bucket]);
  }

  return {
    score(request) {
      const unusable = unusableFeature(request.features);
      if (unusable !== undefined) {
        const fault = { path: `/${unusable}`, message: 'must be a finite number' };
        return Promise.resolve(failure('VALIDATION_ERROR', undefined, { fields: [fault] }));
      }
      if (models.current() === undefined) return Promise.resolve(failure('MODEL_UNAVAILABLE'));
      if (waiting.length + inProgress >= SCORING_LIMITS.scoringWaiting) {
        return Promise.resolve(
          failure('SERVICE_UNAVAILABLE', 'Too many scores are waiting. No score was stored for this request.'),
        );
      }
      return new Promise((complete) => {
        waiting.push({ request, forced: forcedBucketOf(request.environment, request.deviceId), complete });
        schedule();
      });
    },
  };
}

function refuse(batch: readonly Waiting[], code: ErrorCode): void {
  for (const { complete } of batch) complete(failure(code));
}

/** The challenger's records, for the rows that the current model scored. Forced scores are left out. */
function challengerRecordsOf(records: readonly ScoreRecord[], challenger: Model, scores: Float32Array): ScoreRecord[] {
  return records
    .filter(({ forced }) => !forced)
    .map((record, row) => {
      const score = scores[row] ?? NaN;
      const bucket = bucketOf(score, challenger.thresholds);
      return { ...record, score, bucket, modelVersion: challenger.version, challenger: true };
    });
}

function createBuffers(): Buffers {
  return {
    features: new Float32Array(SCORING_LIMITS.scoringBatchRows * FEATURES.length),
    scores: new Float32Array(SCORING_LIMITS.scoringBatchRows),
    challengerScores: new Float32Array(SCORING_LIMITS.scoringBatchRows),
  };
}
