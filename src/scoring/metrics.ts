import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Scoring: runs of the models, scores, and the models in use. */
export function createScoringMetrics(registers: Registry[]) {
  return {
    scoringBatchRows: new Histogram({
      name: 'scoring_batch_rows',
      help: 'Installs scored per run of a model.',
      labelNames: ['model'],
      buckets: [1, 2, 5, 10, 25, 50, 100, 250, 512],
      registers,
    }),
    scoringInference: new Histogram({
      name: 'scoring_inference_seconds',
      help: 'Duration of one run of a model on the main thread.',
      labelNames: ['model'],
      buckets: [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01],
      registers,
    }),
    scores: new Counter({
      name: 'scoring_scores_total',
      help: 'Stored scores, by model (current, challenger) and bucket, without those that test keys forced.',
      labelNames: ['model', 'bucket'],
      registers,
    }),
    modelLoads: new Counter({
      name: 'scoring_model_loads_total',
      help: 'Attempts to load a model, by role and outcome. refused and absent keep the model in use.',
      labelNames: ['role', 'outcome'],
      registers,
    }),
    modelInfo: new Gauge({
      name: 'scoring_model_info',
      help: '1 for each model in use, by role and version.',
      labelNames: ['role', 'version'],
      registers,
    }),
  };
}

export type ScoringMetrics = ReturnType<typeof createScoringMetrics>;
