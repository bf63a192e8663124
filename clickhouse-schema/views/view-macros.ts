import type { ClickHouseClient } from '@clickhouse/client';
import { countedPlayers } from '../counted-players.ts';
import { drawnPlayers, EXPOSED_IN_VIEW, exposedPlayers } from '../exposed-players.ts';
import { FUNNEL_MACROS } from '../behaviour/funnel-view.ts';
import { cohortView, retainedDays, retainedWindows } from '../behaviour/retention.ts';
import type { MeasureName } from '../../core/vocabulary/metrics/measures.ts';
import { MEASURE_NAMES } from '../../core/vocabulary/metrics/metrics.ts';
import { READOUT_MACROS } from './readout-macros.ts';
import { PASSIVE_EVENTS } from '../../core/vocabulary/service-events.ts';
import { addedSql, sumSql } from '../metrics/measure-sql.ts';
import { quoteString } from '../quoting.ts';
import { SchemaError } from '../schema-record.ts';
import type { Macros } from '../templates.ts';

/** The time zone of each game that counts its days in another than UTC. */
export type GameZones = ReadonlyMap<string, string>;

/**
 * What the SQL files of views say of days, each by the zone of the row's game: the text of a view names the games of
 * each zone, because ClickHouse takes a zone only as a constant. The last word is the column with the game's id, unless
 * it is `game_id`.
 *
 * `{{day TIME}}`: the day of a time. `{{today}}`: this day. `{{start DAY}}`: its first moment.
 * `{{retained_days COHORT DAY}}`: the shares of players on days after the first. `{{counted}}`: rows of players whom
 * figures count. `{{measure NAME}}`: a measure of a group of rows of its source; of one that counts players, what is
 * above 0 for those whom it counts. `{{added NAME}}`: the same of one row. `{{passive_events}}`: the names of the
 * service's events that are no activity.
 */
export function viewMacros(zones: GameZones): Macros {
  const games = Map.groupBy(
    [...zones].toSorted(([one], [other]) => (one < other ? -1 : 1)),
    ([, zone]) => zone,
  );
  const byZone = (game: string, inZone: (zone: string) => string): string => {
    const own = [...games].map(([zone, entries]) => {
      const ids = entries.map(([id]) => quoteString(id)).join(', ');
      return `${game} IN (${ids}), ${inZone(quoteString(zone))}`;
    });
    return own.length === 0 ? inZone("'UTC'") : `multiIf(${own.join(', ')}, ${inZone("'UTC'")})`;
  };
  const today = (game: string): string => byZone(game || 'game_id', (zone) => `toDate(now(), ${zone})`);
  return {
    // What views share with queries, so that both count the same.
    ...FUNNEL_MACROS,
    ...READOUT_MACROS,
    counted: countedPlayers,
    passive_events: () => PASSIVE_EVENTS.map(quoteString).join(', '),
    measure: (name) => sumSql(measureNamed(name)),
    added: (name) => addedSql(measureNamed(name)),
    exposed_players: () => exposedPlayers(EXPOSED_IN_VIEW),
    drawn_players: (flags) => drawnPlayers(flags || undefined),
    day: (words) => {
      const [time = '', ...game] = words.split(' ');
      return byZone(game.join(' ') || 'game_id', (zone) => `toDate(${time}, ${zone})`);
    },
    today,
    retained_days: (words) => {
      const [cohort = '', day = ''] = words.split(' ');
      return retainedDays(cohort, day, today(''));
    },
    retention: (part) => cohortView(part, retainedDays('cohort_day', 'day', today(''))),
    retention_24h: (part) => cohortView(part, retainedWindows(today(''))),
    start: (words) => {
      const [day = '', ...game] = words.split(' ');
      return byZone(game.join(' ') || 'game_id', (zone) => `toTimeZone(toDateTime64(${day}, 3, ${zone}), 'UTC')`);
    },
  };
}

/** @throws SchemaError if no measure has this name */
function measureNamed(text: string): MeasureName {
  const name = MEASURE_NAMES.find((each) => each === text);
  if (name === undefined) throw new SchemaError(`A SQL file has {{measure ${text}}}, which is no measure.`);
  return name;
}

/** The zones in which the days of games are built. */
export async function builtZones(client: ClickHouseClient): Promise<GameZones> {
  const query = `SELECT game_id, zone FROM player_days_builds FINAL
    WHERE environment = 'live' AND zone NOT IN ('', 'UTC')`;
  const rows = await (await client.query({ query, format: 'JSONEachRow' })).json<{ game_id: string; zone: string }>();
  return new Map(rows.map(({ game_id, zone }) => [game_id, zone]));
}
