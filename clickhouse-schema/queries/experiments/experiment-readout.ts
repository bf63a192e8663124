import type { Clusters } from '../../../core/vocabulary/metrics/clusters.ts';
import { experimentQuery, type ExperimentQuery, type ReadoutQuery, type Statement } from './experiment-query.ts';
import { OF_CLUSTERS } from './cluster-figures.ts';
import { OF_PLAYERS } from './player-figures.ts';
import type { RunQuery } from '../lookups/run-query.ts';
import type { QueryResult } from '../../query-result.ts';

/* What ClickHouse measures of an experiment. Figures that overflow a double, or that too few players have, are NaN or
 * infinite. */

/** Players of one group and variant who are counted alike. */
export interface MeasuredPlayers {
  variant: string;
  /** Of 10,000 players like these, those who get `true`; 10,000 for variants; 0: nothing was drawn for them. */
  stratum: number;
  /** Whether these players are left out because they took part before the edit that began the period. */
  earlier: boolean;
  /** Whether these players are left out for any reason. A variant may have both kinds of rows. */
  excluded: boolean;
  /** Whether these players came in this period, to this variant only, and count for the sample ratio. */
  arrived: boolean;
  players: number;
  /** The sum of the squares of the numbers of players who were drawn together. */
  squares: number;
  /** Players with an event that names a variant other than the one served last. */
  mismatches: number;
}

/** One metric of such players. */
export interface MeasuredMetric {
  /** Players who count for this metric: all, or of a retention those whose day is over. */
  counted: number;
  /** Players with at least one event of the metric. */
  conversions: number;
  /** The units of what follows: players who were drawn together are one. */
  clusters: Clusters;
  /** Sum of the metric over all players. */
  sum: number;
  mean: number;
  /** The number of clusters times the variance of `mean`. Without clusters the sample variance of players. */
  variance: number;
  /** Third and fourth central moments of clusters, μ₃/σ³ and μ₄/σ⁴. */
  skewness: number;
  kurtosis: number;
  /** The value to which larger ones were capped; NaN: they were not. */
  cap: number;
  /** With CUPED `mean` and the moments are those of y − θx. NaN without it. */
  cuped: { theta: number; covariateMean: number; covariateVariance: number; plainVariance: number };
}

/** The measurements of one metric. */
export interface MeasuredVariant extends MeasuredPlayers, MeasuredMetric {}

/** The measurements of several metrics, in the order of the query. */
export interface MeasuredGroup extends MeasuredPlayers {
  /** What the players of the group have in common; '' for those without a value. */
  value: string;
  metrics: MeasuredMetric[];
}

export interface Readout {
  /** The largest groups first. */
  groups: MeasuredGroup[];
  /** How many groups there are. */
  found: number;
  /** Whether some players were drawn together. */
  isShared: boolean;
}

/** The measurements of an experiment, for one metric and all players. */
export async function findExperiment(run: RunQuery, query: ExperimentQuery): Promise<QueryResult<MeasuredVariant[]>> {
  const { metric, aggregate, winsorize, cuped } = query;
  const metrics = [{ metric, aggregate, winsorize, cuped }];
  return ofOneMetric(await findReadout(run, { ...query, metrics, by: undefined, groups: 1 }));
}

/** The measurements of the only metric. */
export function ofOneMetric(result: QueryResult<Readout>): QueryResult<MeasuredVariant[]> {
  if (result.kind === 'unavailable') return result;
  const variants = result.value.groups.flatMap(({ value: _value, metrics, ...players }) =>
    metrics.map((measured) => ({ ...players, ...measured })),
  );
  return { kind: 'answered', value: variants };
}

/**
 * The measurements of an experiment, for several metrics and groups of players. Of most experiments no players share a
 * draw, and the quick statement answers; it knows from the rows that it measures. If some do, the other one is asked.
 */
export async function findReadout(run: RunQuery, query: ReadoutQuery): Promise<QueryResult<Readout>> {
  const alone = await readFigures(run, experimentQuery(query, OF_PLAYERS), query.metrics.length);
  if (alone.kind === 'unavailable' || !alone.value.isShared) return alone;
  return readFigures(run, experimentQuery(query, OF_CLUSTERS), query.metrics.length);
}

/** The figures of a statement of `figuresQuery`. @param metrics number of metrics */
export async function readFigures(
  run: RunQuery,
  { sql, parameters }: Statement,
  metrics: number,
): Promise<QueryResult<Readout>> {
  const result = await run<ReadoutRow>(sql, parameters);
  if (result.kind === 'unavailable') return result;
  const groups = result.value.map((row) => ({
    value: row.value,
    variant: row.variant,
    stratum: row.stratum,
    earlier: row.earlier === 1,
    excluded: row.excluded === 1,
    arrived: row.arrived === 1,
    players: Number(row.players),
    squares: row.squares ?? Number(row.players),
    mismatches: Number(row.mismatches),
    metrics: Array.from({ length: metrics }, (_, place) => ({
      counted: Number(row.counted[place]),
      conversions: Number(row.conversions[place]),
      clusters: clustersOf(row, place),
      sum: figure(row.sums[place]),
      mean: figure(row.means[place]),
      variance: figure(row.variances[place]),
      skewness: figure(row.skews[place]),
      kurtosis: figure(row.kurtoses[place]),
      cap: figure(row.caps[place]),
      cuped: {
        theta: figure(row.thetas[place]),
        covariateMean: figure(row.covariate_means[place]),
        covariateVariance: figure(row.covariate_variances[place]),
        plainVariance: figure(row.plain_variances[place]),
      },
    })),
  }));
  return {
    kind: 'answered',
    value: {
      groups,
      found: Number(result.value[0]?.found ?? 0),
      isShared: result.value.some(({ shared }) => shared > 0),
    },
  };
}

interface ReadoutRow extends Partial<ClusterColumns> {
  value: string;
  variant: string;
  stratum: number;
  earlier: number;
  excluded: number;
  arrived: number;
  players: number | string;
  shared: number;
  mismatches: number | string;
  counted: readonly (number | string)[];
  conversions: readonly (number | string)[];
  sums: readonly (number | null)[];
  means: readonly (number | null)[];
  variances: readonly (number | null)[];
  skews: readonly (number | null)[];
  kurtoses: readonly (number | null)[];
  caps: readonly (number | null)[];
  thetas: readonly (number | null)[];
  covariate_means: readonly (number | null)[];
  covariate_variances: readonly (number | null)[];
  plain_variances: readonly (number | null)[];
  found: number | string;
}

/** Without them each player is a cluster. Longer statements take longer to plan. */
interface ClusterColumns {
  squares: number;
  clusters: readonly (number | string)[];
  cluster_squares: readonly number[];
  converted: readonly (number | string)[];
  unconverted: readonly (number | string)[];
}

function clustersOf(row: ReadoutRow, place: number): Clusters {
  const [counted, conversions] = [Number(row.counted[place]), Number(row.conversions[place])];
  return {
    count: Number(row.clusters?.[place] ?? counted),
    effective: counted ** 2 / (row.cluster_squares?.[place] ?? counted),
    converted: Number(row.converted?.[place] ?? conversions),
    unconverted: Number(row.unconverted?.[place] ?? counted - conversions),
  };
}

/** ClickHouse writes NaN and infinity as null in JSON. */
const figure = (value: number | null | undefined): number => value ?? Number.NaN;
