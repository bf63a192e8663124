/**
 * How a model's inputs and its score were spread over the installs it was evaluated on, as its manifest says. Told whenever a
 * process loads the model: ClickHouse measures drift against it.
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
  /** One more than edges: share i is of values `edges[i - 1] < value <= edges[i]`. */
  shares: readonly number[];
}
