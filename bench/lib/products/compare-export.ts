import type { Truth } from './write-export.ts';

/** Rows of a query as JSON. */
export type ReadRows = (sql: string) => Promise<Record<string, unknown>[]>;

const CENTS = 100;

/** The figures of the service beside those of the generator: one line for each that differs. */
export async function compareExport(read: ReadRows, game: string, truth: Truth): Promise<string[]> {
  const scope = `game_id = '${game}'`;
  const events = await read(
    `SELECT event_name AS name, toString(count()) AS n, toString(uniqExact(event_id)) AS ids FROM events
      WHERE ${scope} AND environment = 'live' GROUP BY name ORDER BY name`,
  );
  const names = [...truth.events].sort(([one], [other]) => (one < other ? -1 : 1));
  const days = await read(
    `SELECT toString(k.day) AS day, toString(k.dau) AS dau, toString(k.new_players) AS new_players,
        toString(k.events) AS events, toString(k.sessions) AS sessions,
        toString(k.playtime_seconds) AS playtime_seconds, toString(k.purchases) AS purchases,
        toString(toInt64(round(k.revenue * ${CENTS}))) AS cents
      FROM kpis_daily AS k WHERE ${scope} AND k.dau > 0 ORDER BY day`,
  );
  const cohorts = await read(
    `SELECT toString(r.cohort_day) AS day, toString(r.players) AS players, toString(round(r.d1 * r.players)) AS d1,
        toString(round(r.d7 * r.players)) AS d7
      FROM retention_by_cohort AS r WHERE ${scope} ORDER BY day`,
  );
  const played = truth.days.filter(({ dau }) => dau > 0);
  return [
    ...different(
      'events',
      events,
      names.map(([name, n]) => ({ name, n: String(n), ids: String(n) })),
    ),
    ...different(
      'kpis_daily',
      days,
      played.map((one) => ({
        day: one.day,
        dau: String(one.dau),
        new_players: String(one.newPlayers),
        events: String(one.events),
        sessions: String(one.sessions),
        playtime_seconds: String(one.playtimeSeconds),
        purchases: String(one.purchases),
        cents: String(one.revenueCents),
      })),
    ),
    ...different(
      'retention_by_cohort',
      cohorts,
      truth.days
        .filter(({ newPlayers }) => newPlayers > 0)
        .map(({ day, newPlayers, returned: { d1, d7 } }) => ({
          day,
          players: String(newPlayers),
          d1: String(d1),
          d7: String(d7),
        })),
    ),
  ];
}

function different(what: string, found: readonly object[], expected: readonly object[]): string[] {
  const [is, should] = [found, expected].map((rows) => rows.map((row) => JSON.stringify(row)));
  const missing = (should ?? [])
    .filter((row) => is?.includes(row) !== true)
    .map((row) => `${what}: made, not found: ${row}`);
  const unmade = (is ?? [])
    .filter((row) => should?.includes(row) !== true)
    .map((row) => `${what}: found, not made: ${row}`);
  // The two rows of a day stand together.
  const rowOf = (fault: string): string => fault.slice(fault.indexOf('{'));
  return [...missing, ...unmade].sort((one, other) => (rowOf(one) < rowOf(other) ? -1 : 1));
}
