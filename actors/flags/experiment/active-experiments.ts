import { type ExperimentDocument, isActive } from '../../../core/vocabulary/documents/experiments.ts';

/** The experiments that decide, by flag. Of two that were started at once, the later one is about to be put back. */
export function activeExperiments(documents: readonly ExperimentDocument[]): ReadonlyMap<string, ExperimentDocument> {
  const latestFirst = documents
    .filter(isActive)
    .toSorted((a, b) => (b.startedAt ?? 0) - (a.startedAt ?? 0) || (a.key < b.key ? 1 : -1));
  return new Map(latestFirst.map((document) => [document.flagKey, document]));
}
