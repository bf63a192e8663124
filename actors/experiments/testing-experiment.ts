import type { ExperimentDocument } from '../../core/vocabulary/documents/experiments.ts';
import { draftOf } from '../flags/experiment/draft.ts';

/** A draft on the flag `shop`, for tests. */
export function anExperiment(some: Partial<ExperimentDocument> = {}): ExperimentDocument {
  const variants = [
    { key: 'false', weight: 50 },
    { key: 'true', weight: 50 },
  ];
  return draftOf('wide', 'salt', { name: 'Wide', flagKey: 'shop', variants, ...some });
}
