import type { ExperimentDocument } from '../../core/vocabulary/documents/experiments.ts';

/** A draft on the flag `shop`, for tests. */
export function anExperiment(some: Partial<ExperimentDocument> = {}): ExperimentDocument {
  return {
    key: 'wide',
    name: 'Wide',
    hypothesis: '',
    flagKey: 'shop',
    mode: 'ab',
    audience: { segmentId: null },
    traffic: 100,
    variants: [
      { key: 'false', weight: 50 },
      { key: 'true', weight: 50 },
    ],
    bucketBy: 'player',
    salt: 'salt',
    layer: null,
    primary: null,
    guardrails: [],
    plan: { alpha: 0.05, power: 0.8, mde: null, endsAt: null },
    state: 'draft',
    phases: [],
    winner: null,
    shipping: null,
    startedAt: null,
    stoppedAt: null,
    createdAt: 0,
    updatedAt: 0,
    version: 1,
    ...some,
  };
}
