import { DAY_MS } from '../../../core/kernel/days.ts';
import { countedPlayers } from '../../counted-players.ts';
import type { QueryResult } from '../../query-result.ts';
import type { RunQuery } from '../lookups/run-query.ts';
import { figuresQuery } from './experiment-query.ts';
import { type MeasuredMetric, readFigures } from './experiment-readout.ts';
import type { Metric } from './metric.ts';
import { OF_PLAYERS } from './player-figures.ts';

/* A metric before an experiment, among the players who would have come into it. */

export interface BaselineQuery extends Metric {
  game: string;
  environment: string;
  /** The game's time zone: players come by its days. */
  zone: string;
  /** Days after the first day of a player in which its events count. */
  windowDays: number;
  /** Days in which players come. They end so long ago that the window of every player is over. */
  activeDays: number;
  nowMs: number;
}

export interface Baseline {
  /** undefined: nobody was active. */
  measured: MeasuredMetric | undefined;
  /** Players by the day on which they first came, all days, oldest first. */
  byDay: readonly number[];
}

/**
 * Measures the metric as results of an experiment do, of players who were active in some days before now: from the
 * start of the first of these days on which a player was active, as if the experiment had begun with them.
 */
export async function findBaseline(run: RunQuery, query: BaselineQuery): Promise<QueryResult<Baseline>> {
  const { metric, aggregate, winsorize, cuped, nowMs, activeDays } = query;
  // A retention counts on one day, whatever the window, and that day must be over.
  const leadDays = aggregate.kind === 'retention' ? aggregate.day + 1 : query.windowDays;
  const days = { now: nowMs, lead: leadDays, active: activeDays };
  const { sql, parameters } = figuresQuery(
    `SELECT player_id, (toDateTime64(first_day, 3, {zone:String}), toUInt64(0), toUInt32(0)) AS first_place, ${ALIKE}
    FROM (${FIRST_DAYS})`,
    {
      ...query,
      metrics: [{ metric, aggregate, winsorize, cuped }],
      sinceMs: nowMs - (activeDays + leadDays + 1) * DAY_MS,
      untilMs: nowMs,
      by: undefined,
      groups: 1,
    },
    nowMs,
    OF_PLAYERS,
  );
  const figures = await readFigures(run, { sql, parameters: { ...parameters, ...days } }, 1);
  if (figures.kind === 'unavailable') return figures;
  const { game, environment, zone } = query;
  const came = await run<{ place: number | string; players: number | string }>(
    `SELECT dateDiff('day', ${BEGIN}, first_day) AS place, count() AS players FROM (${FIRST_DAYS}) GROUP BY place`,
    { game, environment, zone, ...days },
  );
  if (came.kind === 'unavailable') return came;
  const byPlace = new Map(came.value.map(({ place, players }) => [Number(place), Number(players)]));
  return {
    kind: 'answered',
    value: {
      measured: figures.value.groups[0]?.metrics[0],
      byDay: Array.from({ length: activeDays }, (_, place) => byPlace.get(place) ?? 0),
    },
  };
}

const TODAY = 'toDate(fromUnixTimestamp64Milli({now:Int64}), {zone:String})';
const BEGIN = `${TODAY} - {lead:UInt16} - {active:UInt16}`;

const FIRST_DAYS = `SELECT player_id, min(day) AS first_day FROM player_days FINAL
    WHERE game_id = {game:String} AND environment = {environment:String} AND ${countedPlayers()}
      AND day >= ${BEGIN} AND day < ${TODAY} - {lead:UInt16}
    GROUP BY player_id`;

/** All of them are one variant of one draw. */
const ALIKE = `'' AS variant, toUInt32(1) AS stratum, 0 AS earlier, 0 AS excluded, 1 AS arrived, 0 AS named_other,
      toUInt32(0) AS cluster`;
