import { setImmediate } from 'node:timers/promises';
import { DAY_MS, type GameRules } from '../../../bench/lib/history/game-history.ts';
import { AGES, FUNNEL_WINDOW_S, LTV_AGES, PARTS, dayText, viewFigures, type Cohort } from './view-figures.ts';

/** Runs a statement and returns its rows. */
export type ReadRows = <Row>(sql: string) => Promise<Row[]>;

const SHOWN = 5;

/**
 * Compares every view over imported history with the bookkeeping of its generator.
 * @param game the game that holds this history and nothing else in its live environment
 * @returns the differences
 */
export async function compareViews(read: ReadRows, game: string, rules: GameRules, nowMs: number): Promise<string[]> {
  const figures = viewFigures(rules);
  // That takes a minute. Connections that were closed meanwhile are only known to be closed after a turn.
  await setImmediate();
  const faults: string[] = [];
  const compare = (view: string, found: readonly unknown[], expected: readonly unknown[]): void => {
    const all = new Set([...expected, ...found].map((row) => JSON.stringify(row)));
    const [here, there] = [found, expected].map((rows) => new Set(rows.map((row) => JSON.stringify(row))));
    const wrong = [...all]
      .filter((row) => here?.has(row) !== there?.has(row))
      .map((row) => `${here?.has(row) ? 'has' : 'lacks'} ${row}`);
    if (found.length !== expected.length) wrong.push(`has ${found.length} rows instead of ${expected.length}`);
    for (const fault of wrong.slice(0, SHOWN)) faults.push(`${view} ${fault}`);
    if (wrong.length > SHOWN) faults.push(`${view}: and ${wrong.length - SHOWN} more`);
  };
  const rows = (columns: string, from: string, order: string) =>
    read<Record<string, unknown>>(`SELECT ${columns} FROM ${from} WHERE game_id = '${game}' ORDER BY ${order}`);
  /** Whether the Nth day after a first day is over, and with it windows of 24 hours that began on that day. */
  const isOver = (day: string, age: number): boolean => Date.parse(day) + (age + 1) * DAY_MS <= nowMs;

  const days = [...figures.days].toSorted(([one], [other]) => (one < other ? -1 : 1));
  compare(
    'kpis_daily',
    await rows(
      `toString(day) AS day, toUInt32(dau) AS dau, toUInt32(wau) AS wau, toUInt32(mau) AS mau,
        toUInt32(new_players) AS new, toUInt32(returning_players) AS returning, toUInt32(payers) AS payers,
        toUInt32(first_time_payers) AS first, toUInt32(revenue * 100) AS cents, toUInt32(purchases) AS purchases,
        toUInt32(sessions) AS sessions, toUInt32(playtime_seconds) AS playtime, toUInt32(events) AS events,
        toUInt8(abs(stickiness - dau / mau) < 0.0001) AS stickiness,
        toUInt8(abs(arpdau - cents / 100 / dau) < 0.0001) AS arpdau,
        toUInt8(if(payers = 0, arppu IS NULL, abs(arppu - cents / 100 / payers) < 0.0001)) AS arppu`,
      'kpis_daily',
      'day',
    ),
    days
      .filter(([, { dau }]) => dau > 0)
      .map(([day, one]) => ({
        day,
        dau: one.dau,
        wau: one.wau,
        mau: one.mau,
        new: one.new,
        returning: one.dau - one.new,
        payers: one.payers,
        first: one.firstTimePayers,
        cents: one.revenueCents,
        purchases: one.purchases,
        sessions: one.sessions,
        playtime: one.playtimeSeconds,
        events: one.events,
        stickiness: 1,
        arpdau: 1,
        arppu: 1,
      })),
  );
  compare(
    'sessions_daily',
    await rows(
      `toString(day) AS day, toUInt32(sessions) AS sessions, toUInt32(players) AS players,
        toUInt32(playtime_seconds) AS playtime, median_seconds AS median, p90_seconds AS p90`,
      'sessions_daily',
      'day',
    ),
    days.map(([day, { sessions, dau, playtimeSeconds, lengths }]) => {
      const sorted = lengths.toSorted((one, other) => one - other);
      const at = (level: number) => sorted[Math.floor(level * sorted.length)];
      // Every day of play has a session.
      return { day, sessions, players: dau, playtime: playtimeSeconds, median: at(0.5), p90: at(0.9) };
    }),
  );

  // Shares have four decimals, so they tell the number of players of cohorts below 10,000.
  const shares = AGES.map((age) => `toInt32(round(d${age} * players)) AS d${age}`).join(', ');
  const cohortsOf = (part: (typeof PARTS)[number]): [value: string, day: string, cohort: Cohort][] =>
    [...figures.cohorts[part]]
      .flatMap(([value, byDay]) => [...byDay].map(([day, cohort]): [string, string, Cohort] => [value, day, cohort]))
      .toSorted((one, other) => (`${one[0]} ${one[1]}` < `${other[0]} ${other[1]}` ? -1 : 1));
  for (const part of PARTS) {
    const column = part === 'all' ? "''" : `toString(${part})`;
    compare(
      `retention by ${part}`,
      await rows(
        `${column} AS value, toString(cohort_day) AS day, toUInt32(players) AS players, ${shares}`,
        part === 'all' ? 'retention_by_cohort' : `retention_by_${part}`,
        'value, day',
      ),
      cohortsOf(part).map(([value, day, { players, back }]) => ({
        value,
        day,
        players,
        ...Object.fromEntries(AGES.map((age, place) => [`d${age}`, isOver(day, age) ? back[place] : null])),
      })),
    );
  }
  compare(
    'retention_24h_by_cohort',
    await rows(
      `toString(cohort_day) AS day, toUInt32(players) AS players, ${shares}`,
      'retention_24h_by_cohort',
      'day',
    ),
    cohortsOf('all').map(([, day, { players, backIn24h }]) => ({
      day,
      players,
      ...Object.fromEntries(AGES.map((age, place) => [`d${age}`, isOver(day, age + 1) ? backIn24h[place] : null])),
    })),
  );
  const ltv = await rows(
    `toString(cohort_day) AS day, toUInt32(players) AS players, toUInt32(payers) AS payers,
      toUInt32(revenue * 100) AS cents, [${LTV_AGES.map((age) => `d${age}`).join(', ')}] AS values`,
    'ltv_by_cohort',
    'day',
  );
  compare(
    'ltv_by_cohort',
    ltv.map(({ day, players, payers, cents }) => ({ day, players, payers, cents })),
    cohortsOf('all').map(([, day, { players, payers, totalCents: cents }]) => ({ day, players, payers, cents })),
  );
  for (const [, day, { players, cents }] of cohortsOf('all')) {
    const values: unknown = ltv.find((row) => row['day'] === day)?.['values'];
    const wrong = LTV_AGES.filter((age, place) => {
      const found: unknown = Array.isArray(values) ? values[place] : undefined;
      if (!isOver(day, age)) return found !== null;
      return typeof found !== 'number' || Math.abs(found - (cents[place] ?? 0) / 100 / players) > 0.000051;
    });
    if (wrong.length > 0) faults.push(`ltv_by_cohort of ${day} differs on the days ${wrong.join(', ')}`);
  }
  compare(
    'progression_by_level',
    await rows(
      `level, toUInt32(players) AS players, toUInt32(starts) AS starts, toUInt32(fails) AS fails,
        toUInt32(completes) AS completes, toUInt32(players_completed) AS completed,
        toUInt32(players_trying + players_dropped) AS others`,
      'progression_by_level',
      'level_number',
    ),
    [...figures.levels]
      .toSorted(([one], [other]) => Number(one) - Number(other))
      .map(([level, one]) => ({ level, ...one, others: one.players - one.completed })),
  );
  compare(
    'economy_daily',
    await rows(
      `currency, toString(day) AS day, toFloat64(sources * 100) AS sources, toFloat64(sinks * 100) AS sinks,
        toFloat64(balance * 100) AS balance`,
      'economy_daily',
      'currency, day',
    ),
    [...figures.economy]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([currency, flows]) => {
        let balance = 0;
        return [...flows]
          .toSorted(([one], [other]) => (one < other ? -1 : 1))
          .map(([day, { sources, sinks }]) => {
            balance += sources - sinks;
            return { currency, day, sources, sinks, balance };
          });
      }),
  );
  for (const breakdown of ['', 'platform']) {
    const steps = rules.funnel.map(({ event }) => `'${event}'`).join(', ');
    const range = `first_day = '${dayText(rules, 0)}', last_day = '${dayText(rules, rules.days)}'`;
    const found = await read<object>(
      `SELECT value, toUInt32(step) AS step, toUInt32(players) AS players, toUInt32(still_inside) AS inside
       FROM funnel(game = '${game}', steps = [${steps}], window_seconds = ${FUNNEL_WINDOW_S}, ${range},
        breakdown = '${breakdown}') ORDER BY value, step`,
    );
    const expected = [...figures.funnel]
      .filter(([value]) => (value === '') === (breakdown === ''))
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([value, counts]) => counts.map((players, place) => ({ value, step: place + 1, players, inside: 0 })));
    compare(`funnel by ${breakdown}`, found, expected);
  }
  return faults;
}
