import type { ScoreBucket, ScoreRecord } from '../../core/vocabulary/records/score-record.ts';
import type { Cancel, Clock } from '../../core/kernel/clock.ts';
import { type ErrorCode, failure, type Failure } from '../../core/kernel/errors.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import { SCORING_LIMITS } from './limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import type { ScoringMetrics } from './metrics.ts';
import { createBatchScorer, type Role, type RowToScore, type ScoredBatch, type ScoreRequest } from './batch-scorer.ts';
import { BUCKETS, forcedBucketOf, type Thresholds } from './buckets.ts';
import { unusableFeature } from './features.ts';
import type { Model } from './load-model.ts';
import type { Models } from './models.ts';

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
interface Waiting extends RowToScore {
  complete: (outcome: Scored | Failure) => void;
}

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
  const batchScorer = createBatchScorer({ clock, ids, logger, metrics });

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
      const scored = model === undefined ? undefined : await batchScorer.score(batch, model, models.challenger());
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
