import { unitOf } from '../../cluster-sql.ts';
import type { QueryResult } from '../../query-result.ts';
import type { RunQuery } from '../lookups/run-query.ts';
import { type ExperimentPeriod, exposedIn, exposedParameters } from './experiment-query.ts';

/** Players who came on one day, and count for the sample ratio. */
export interface ArrivalDay {
  /** In the time zone of the query, as YYYY-MM-DD. */
  day: string;
  variant: string;
  players: number;
  /** The sum of the squares of the numbers of these players who were drawn together. */
  squares: number;
}

/** The players of an experiment by the day of their first exposure. */
export async function findArrivals(run: RunQuery, period: ExperimentPeriod): Promise<QueryResult<ArrivalDay[]>> {
  const found = await run<Record<'day' | 'variant', string> & Record<'players' | 'squares', string | number>>(
    `SELECT day, variant, sum(size) AS players, sum(size * size) AS squares
    FROM (
      SELECT toString(toDate(first_place.1, {zone:String})) AS day, variant, count() AS size,
        ${unitOf('player_id')} AS unit
      FROM (${exposedIn(period)})
      WHERE arrived
      GROUP BY day, variant, unit
    )
    GROUP BY day, variant
    ORDER BY day, variant`,
    exposedParameters(period),
  );
  if (found.kind === 'unavailable') return found;
  const days = found.value.map(({ day, variant, players, squares }) => ({
    day,
    variant,
    players: Number(players),
    squares: Number(squares),
  }));
  return { kind: 'answered', value: days };
}
