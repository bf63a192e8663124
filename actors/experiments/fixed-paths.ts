import type { ExperimentState } from '../../core/vocabulary/documents/experiments.ts';

/* The fields of an experiment that cannot change any more, by their names on the wire. */

/** What decides which variant a player gets, and what the results compare. */
const ONCE_STARTED = ['/flag_key', '/mode', '/bucket_by', '/salt', '/layer/key', '/variants/0/key'] as const;

const ONCE_OVER = [...ONCE_STARTED, '/audience', '/traffic', '/variants', '/layer'] as const;

export type FixedPath = (typeof ONCE_OVER)[number];

export function fixedPaths(state: ExperimentState): readonly FixedPath[] {
  switch (state) {
    case 'draft':
      return [];
    case 'running':
    case 'paused':
      return ONCE_STARTED;
    case 'stopped':
    case 'shipped':
    case 'discarded':
      return ONCE_OVER;
  }
}
