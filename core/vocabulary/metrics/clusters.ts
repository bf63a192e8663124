/** Players who were drawn together, by their device or an attribute: not they are independent, but the clusters. */
export interface Clusters {
  count: number;
  /** The number of clusters of one size whose mean varies as much: (Σm)² / Σm², m the number of players (Kish). */
  effective: number;
  /** Clusters with a player who converted, and those with one who did not. */
  converted: number;
  unconverted: number;
}
