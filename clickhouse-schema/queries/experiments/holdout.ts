import { HELD_OUT } from '../../../core/vocabulary/facts/flag-reason.ts';
import { countedPlayers } from '../../counted-players.ts';
import type { QueryResult } from '../../query-result.ts';
import type { RunQuery } from '../lookups/run-query.ts';
import { figuresQuery } from './experiment-query.ts';
import { type MeasuredVariant, ofOneMetric, readFigures } from './experiment-readout.ts';
import type { Metric } from './metric.ts';
import { OF_PLAYERS } from './player-figures.ts';

/* A metric of the players whom a game holds out of its experiments, and of those who took part in one. */

/** The variants of the comparison. */
export const HOLDOUT_ARMS = { heldOut: 'holdout', rest: 'rest' } as const;

export interface HoldoutQuery extends Metric {
  game: string;
  environment: string;
  zone: string;
  /** The flags that have or had an experiment. */
  flags: readonly string[];
  /** Bounds of `received_at` of the period, epoch milliseconds, the upper one exclusive. */
  periodMs: number;
  untilMs: number;
  /** Players who met their first experiment of the period before it do not count, epoch milliseconds. */
  sinceMs: number;
  /** Nor those who met it from then on; undefined: all count. */
  exposedBeforeMs: number | undefined;
  windowDays: number;
}

/**
 * Measures players from the first time that they met any experiment in the period, held out of it or not. Who is held
 * out goes by the id of the player, so that each is a unit of its own, whatever its experiments are drawn by.
 */
export async function findHoldout(run: RunQuery, query: HoldoutQuery): Promise<QueryResult<MeasuredVariant[]>> {
  const { metric, aggregate, winsorize, cuped, flags, periodMs, sinceMs, untilMs } = query;
  const metrics = [{ metric, aggregate, winsorize, cuped }];
  const figures = { ...query, metrics, by: undefined, groups: 1 };
  const { sql, parameters } = figuresQuery(MET, figures, query.exposedBeforeMs ?? untilMs, OF_PLAYERS);
  const own = { flags, period: periodMs, since: sinceMs };
  return ofOneMetric(await readFigures(run, { sql, parameters: { ...parameters, ...own } }, 1));
}

const OF_FLAGS = 'game_id = {game:String} AND environment = {environment:String} AND flag_key IN {flags:Array(String)}';
const at = (parameter: string): string => `fromUnixTimestamp64Milli({${parameter}:Int64})`;

/**
 * The players, with the columns that figures need. Left out (`excluded`) is who met an experiment before the period
 * (`earlier`), because the holdout was another one then; who is on both sides (`saw_both`); and who has an override of
 * a flag with experiments, because it decides instead of them.
 */
const MET = `
    SELECT
      player_id,
      minIf(place, is_current) AS first_place,
      if(argMinIf(is_held, place, is_current), '${HOLDOUT_ARMS.heldOut}', '${HOLDOUT_ARMS.rest}') AS variant,
      toUInt32(10000) AS stratum,
      countIf(NOT is_current) > 0 AS earlier,
      countIf(is_current AND is_held) > 0 AND countIf(is_current AND NOT is_held) > 0 AS saw_both,
      player_id IN (SELECT player_id FROM flag_override_states FINAL WHERE ${OF_FLAGS}) AS overridden,
      earlier OR saw_both OR overridden AS excluded,
      NOT excluded AS arrived,
      countIf(is_current AND attribution IN ('mismatch', 'earlier')) > 0 AS named_other,
      toUInt32(0) AS cluster
    FROM (
      SELECT
        player_id,
        (received_at, facts_sequence, facts_index) AS place,
        attribution,
        ifNull(variant_key, '') = '${HELD_OUT}' AS is_held,
        received_at >= ${at('period')} AS is_current
      FROM flag_exposures
      WHERE ${OF_FLAGS} AND experiment != '' AND ${countedPlayers()} AND received_at < ${at('until')}
    )
    GROUP BY player_id
    HAVING countIf(is_current) > 0 AND first_place.1 >= ${at('since')}
  `;
