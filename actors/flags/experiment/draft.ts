import type { ExperimentDocument } from '../../../core/vocabulary/documents/experiments.ts';

/* Experiments before anything is said of them, and before they start. */

/** The parts of an experiment that callers set. */
export type ExperimentContent = Pick<
  ExperimentDocument,
  | 'name'
  | 'hypothesis'
  | 'flagKey'
  | 'mode'
  | 'audience'
  | 'traffic'
  | 'variants'
  | 'bucketBy'
  | 'salt'
  | 'layer'
  | 'primary'
  | 'guardrails'
  | 'plan'
>;

/** An experiment with the defaults of everything that has one. */
export function emptyContent(key: string, salt: string): ExperimentContent {
  return {
    name: key,
    hypothesis: '',
    flagKey: '',
    mode: 'ab',
    audience: { segmentId: null },
    traffic: 100,
    variants: [],
    bucketBy: 'player',
    salt,
    layer: null,
    primary: null,
    guardrails: [],
    plan: { alpha: 0.05, power: 0.8, mde: null, endsAt: null },
  };
}

/** The life of an experiment that did not start. */
export const DRAFT = {
  state: 'draft',
  phases: [],
  winner: null,
  shipping: null,
  startedAt: null,
  stoppedAt: null,
} as const satisfies Partial<ExperimentDocument>;

/** An experiment that was not started. */
export function draftOf(key: string, salt: string, some: Partial<ExperimentDocument> = {}): ExperimentDocument {
  return { key, ...emptyContent(key, salt), ...DRAFT, createdAt: 0, updatedAt: 0, version: 1, ...some };
}
