/**
 * The distributions of a model's inputs and score over the installs that it was evaluated on, from its manifest.
 * Recorded whenever a process loads the model; ClickHouse measures drift against them.
 */
export interface ModelReference {
  /** First 12 hex characters of the artifact's SHA-256. */
  modelVersion: string;
  /** Epoch milliseconds; the latest counts. */
  loadedAt: number;
  measures: readonly ReferenceBins[];
}

export interface ReferenceBins {
  /** A feature's name, or `score`. */
  measure: string;
  /** Ascending. */
  edges: readonly number[];
  /** One more than edges: share i is of values with `edges[i - 1] < value <= edges[i]`. */
  shares: readonly number[];
}

/**
 * Reads the reference of a manifest (`models/training/README.md`).
 * @param loadedAt epoch milliseconds
 */
export function modelReferenceOf(manifest: ReferencedManifest, loadedAt: number): ModelReference {
  const features = manifest.features.map(({ name, reference }) => ({ measure: name, ...reference }));
  const measures = [...features, { measure: 'score', ...manifest.score_reference }];
  return { modelVersion: manifest.model_version, loadedAt, measures };
}

type Bins = Omit<ReferenceBins, 'measure'>;

interface ReferencedManifest {
  model_version: string;
  features: readonly { name: string; reference: Bins }[];
  score_reference: Bins;
}
