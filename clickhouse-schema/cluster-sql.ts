/* Players who were drawn together, as SQL, for all queries and views that compare variants. */

/** The unit of a player: its cluster, or itself if it was drawn alone. */
export const unitOf = (player: string): string => `if(cluster = 0, cityHash64(${player}), toUInt64(cluster))`;

/** A sum of a cluster, and what is needed of all clusters of the variant. */
export interface ClusterSums {
  sum: string;
  sumOfAll: string;
  /** What the mean is per: players, or the divisor of a quotient. */
  weight: string;
  weightOfAll: string;
  players: string;
  playersOfAll: string;
  /** Their number. */
  clusters: string;
}

/**
 * How far the sum of a cluster is from that of as many players with the mean. The mean is nearer to large clusters,
 * which are part of it: divided by 1 − their share of the players, as the jackknife does (Bell and McCaffrey, "Bias
 * Reduction in Standard Errors for Linear Regression with Multi-Stage Samples", Survey Methodology 28, 2002). Of
 * clusters of one size it is the distance itself.
 */
export function awayFromMean(of: ClusterSums): string {
  const distance = `(${of.sum} - ${of.sumOfAll} / ${of.weightOfAll} * ${of.weight})`;
  return `${distance} / (1 - ${of.players} / ${of.playersOfAll}) * (1 - 1 / ${of.clusters})`;
}
