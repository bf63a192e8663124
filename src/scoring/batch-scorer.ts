import type { ScoreBucket, ScoreFeatures, ScoreRecord } from '../../core/vocabulary/records/score-record.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import type { Environment } from '../../core/vocabulary/documents/scope.ts';
import { bucketOf, scoreWithin } from './buckets.ts';
import { FEATURES, writeRow } from './features.ts';
import { SCORING_LIMITS } from './limits.ts';
import type { Model } from './load-model.ts';
import type { ScoringMetrics } from './metrics.ts';

/** One install to score, with its game. */
export interface ScoreRequest {
  game: string;
  tenant: string;
  environment: Environment;
  deviceId: string;
  features: ScoreFeatures;
}

/** Memory for one batch; reused. */
interface Buffers {
  features: Float32Array;
  scores: Float32Array;
  challengerScores: Float32Array;
}

/** The records of a batch, in its order, and the challenger's records of the rows that the current model scored. */
export interface ScoredBatch {
  records: ScoreRecord[];
  challengerRecords: ScoreRecord[];
}

export type Role = 'current' | 'challenger';

export interface BatchScorerDeps {
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: Pick<ScoringMetrics, 'scoringBatchRows' | 'scoringInference'>;
}

/** A request, with the bucket that its device has without a model. */
export interface RowToScore {
  request: ScoreRequest;
  forced: ScoreBucket | undefined;
}

/** Runs models on batches of requests. */
export interface BatchScorer {
  /** @returns undefined if the model failed */
  score(batch: readonly RowToScore[], model: Model, challenger: Model | undefined): Promise<ScoredBatch | undefined>;
}

export function createBatchScorer({ clock, ids, logger, metrics }: BatchScorerDeps): BatchScorer {
  const spare: Buffers[] = [];
  const failedModels = new WeakSet<Model>();

  async function score(
    batch: readonly RowToScore[],
    model: Model,
    challenger: Model | undefined,
  ): Promise<ScoredBatch | undefined> {
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

  function recordsOf(
    batch: readonly RowToScore[],
    model: Model,
    scores: Float32Array,
    scoredAt: number,
  ): ScoreRecord[] {
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

  return { score };
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
