import type { Log } from '../../streams/log/log.ts';
import { modelReferenceOf } from '../../core/vocabulary/records/model-reference.ts';
import { createRecordWriter } from '../../streams/records/record-writer.ts';
import type { ScoreRecord } from '../../core/vocabulary/records/score-record.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import type { ScoringMetrics } from './metrics.ts';
import { type LoadedModels, shownModels, watchModels } from './models.ts';
import { createScorer, type Scorer } from './scorer.ts';

export interface ScoringOptions {
  log: Log;
  clock: Clock;
  ids: Ids;
  /** The writer's name in RECORDS, and its prefix of message ids. */
  node: string;
  writer: string;
  /** The folder of the model. */
  folder: string;
  /** Whether the service accepts writes. */
  accepts: () => boolean;
  logger: Logger;
  metrics: ScoringMetrics;
}

export interface RunningScoring {
  scorer: Scorer;
  models: () => LoadedModels;
  stop: () => Promise<void>;
}

/** Watches the models and scores with them; scores go to RECORDS. */
export async function startScoring(options: ScoringOptions): Promise<RunningScoring> {
  const { clock, ids, logger, metrics, folder, accepts } = options;
  const records = createRecordWriter(options);
  const append = async (some: readonly ScoreRecord[]) => (accepts() ? records.append(some) : 'unavailable');
  const models = await watchModels({
    folder,
    clock,
    logger,
    metrics,
    onLoaded: (manifest) => records.recordModel(modelReferenceOf(manifest, clock.wallMs())),
  });
  return {
    scorer: createScorer({ models, append, clock, ids, logger, metrics }),
    models: () => shownModels(models),
    async stop() {
      models.stop();
      await records.close();
    },
  };
}
