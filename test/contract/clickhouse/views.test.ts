import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PARAMETERISED_VIEWS } from '../../../src/sql-gate/reviewed-names.ts';
import { createPlayerDaysTarget } from '../../../streams/sinks/clickhouse/player-days/target.ts';
import { rowsUnder, codeIn } from '../../support/documentation.ts';
import { rowsOf, runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { buildDays } from '../../support/wire/built-days.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { startOfToday } from '../../support/whole-day.ts';

/* The views for analysts over rows that this test writes, and what the passwordless reader sees. */

let clickhouse: TestClickhouse;
beforeAll(async () => {
  clickhouse = await startWithTables();
});
afterAll(() => clickhouse.close());

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TODAY = await startOfToday();
const playerId = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`;

async function insert(table: string, rows: readonly object[]): Promise<void> {
  const body = rows.map((row) => JSON.stringify({ environment: 'live', ...row })).join('\n');
  expect(await runSql(clickhouse, `INSERT INTO ${table} FORMAT JSONEachRow`, { body })).toMatchObject({ status: 200 });
}

let sequence = 0;
interface Event {
  game: string;
  player: number;
  name: string;
  at: number;
  properties?: string;
  environment?: string;
}
const eventRow = ({ game, player, name, at, properties = '{}', environment = 'live' }: Event) => ({
  event_id: `e-${++sequence}`,
  game_id: game,
  environment,
  player_id: playerId(player),
  event_name: name,
  properties,
  timestamp: at,
  received_at: at,
  facts_sequence: sequence,
});
const insertEvents = (events: readonly Event[]) => insert('events', events.map(eventRow));

/** Days of a player, with what the builder would write of them. */
function daysOf(game: string, player: number, times: readonly number[], cohort: object = {}): object[] {
  const inOrder = times.toSorted((one, other) => one - other);
  const days = Map.groupBy(inOrder, (at) => Math.floor(at / DAY_MS));
  const [first = 0] = inOrder;
  return [...days].map(([day, own]) => ({
    game_id: game,
    player_id: playerId(player),
    day: dayText(day * DAY_MS),
    events: own.length,
    first_at: own[0],
    last_at: own.at(-1),
    cohort_day: dayText(first),
    first_day: dayText(first),
    cohort_at: first,
    version: 1,
    ...cohort,
  }));
}
const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Runs a statement as any program of the machine may, without a password. */
async function asReader(sql: string): Promise<{ status: number; text: string }> {
  const response = await fetch(clickhouse.url, { method: 'POST', body: sql });
  return { status: response.status, text: await response.text() };
}

describe('e-mails', () => {
  beforeAll(() =>
    insert('player_snapshots', [
      {
        game_id: 'mails',
        kind: 'player',
        player_id: playerId(1),
        external_id: 'ann',
        email: 'ann@example.com',
        state: 'YW5uQGV4YW1wbGUuY29t',
      },
    ]),
  );

  it.each([
    'SELECT * FROM players',
    'SELECT email FROM players',
    'SELECT players.email FROM default.players',
    'SELECT email.size FROM players',
    'SELECT `email.null` FROM player_snapshots',
    'SELECT email.size, state.size FROM player_snapshots',
    'SELECT state FROM player_snapshots',
    "SELECT count() FROM players WHERE email LIKE 'a%'",
    'SELECT external_id FROM players ORDER BY email',
    "SELECT COLUMNS('^e') FROM players",
    'SELECT tuple(*).1 FROM player_snapshots',
    'SELECT * FROM view(SELECT email FROM players)',
    'SELECT 1 WHERE 1 IN (SELECT length(email) FROM players)',
    'EXPLAIN SELECT email FROM players',
  ])('are hidden from readers: %s', async (sql) => {
    const { status, text } = await asReader(sql);
    expect([status, text.includes('ann@example.com')]).toEqual([403, false]);
    expect(text).toContain('Leave their columns out: SELECT * EXCEPT email FROM players, SELECT * FROM live_players');
  });

  it.each([
    'SELECT external_id FROM players',
    'SELECT * EXCEPT email FROM players',
    'SELECT * FROM live_players',
    'SELECT external_id FROM (SELECT * FROM players)',
    'SELECT * EXCEPT (email, state) FROM player_snapshots FINAL',
  ])('do not keep readers from the rest: %s', async (sql) => {
    const { status, text } = await asReader(sql);
    expect([status, text.includes('ann\t') || text === 'ann\n', text.includes('@')]).toEqual([200, true, false]);
  });

  it('are there with the password', async () => {
    const rows = await rowsOf(clickhouse, "SELECT email FROM players WHERE game_id = 'mails'");
    expect(rows).toEqual([{ email: 'ann@example.com' }]);
  });
});

describe('live views', () => {
  it('exist for every table and view with both environments, and have all of its columns', async () => {
    const columns = await rowsOf<{ table: string; names: string[] }>(
      clickhouse,
      `SELECT table, groupArray(name) AS names FROM
        (SELECT table, name FROM system.columns WHERE database = currentDatabase() ORDER BY table, position)
       GROUP BY table`,
    );
    const namesOf = new Map(columns.map(({ table, names }) => [table, names]));
    const leavesOut = new Map(
      rowsUnder('docs/analytics.md', 'Live views').map(([view, , out]) => [codeIn(view)[0], codeIn(out)]),
    );
    const both = columns.filter(({ names }) => names.includes('environment')).map(({ table }) => table);
    const internal = [
      'player_snapshots',
      'segment_membership_states',
      'flag_override_states',
      'player_days_staged',
      'player_days_builds',
      'player_merges',
      'annotation_rows',
    ];
    for (const table of both.filter((one) => !internal.includes(one))) {
      const view = `live_${table}`;
      const expected = namesOf.get(table)?.filter((name) => !leavesOut.get(view)?.includes(name));
      expect(namesOf.get(view), view).toEqual(expected);
    }
  });

  it('leave test rows out', async () => {
    await insertEvents([
      { game: 'both', player: 1, name: 'a', at: TODAY },
      { game: 'both', player: 2, name: 'a', at: TODAY, environment: 'test' },
    ]);
    const rows = await rowsOf(clickhouse, "SELECT player_id FROM live_events WHERE game_id = 'both'");
    expect(rows).toEqual([{ player_id: playerId(1) }]);
  });

  it('with parameters are those that the embedded ClickHouse allows', async () => {
    const rows = await rowsOf<{ name: string }>(
      clickhouse,
      `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine = 'View'
         AND name NOT IN (SELECT table FROM system.columns WHERE database = currentDatabase())`,
    );
    expect(new Set(rows.map(({ name }) => name))).toEqual(PARAMETERISED_VIEWS);
  });
});

describe('funnel', () => {
  const WINDOW_S = 3_600;
  const long = TODAY - 20 * DAY_MS;
  const now = Date.now();
  const play = (player: number, ...events: [name: string, at: number][]): Event[] =>
    events.map(([name, at]) => ({ game: 'steps', player, name, at }));

  beforeAll(async () => {
    await insertEvents([
      ...play(1, ['one', long], ['two', long + 1_000], ['three', long + 2_000]),
      // The window ends before the last step; a second attempt is shorter.
      ...play(2, ['one', long], ['two', long + 1_000], ['three', long + WINDOW_S * 1_000 + 1], ['one', long + DAY_MS]),
      ...play(3, ['two', long], ['one', long + 1]),
      // A window that is open: neither converted nor dropped.
      ...play(4, ['one', now - 60_000]),
      ...play(5, ['one', now - 60_000], ['two', now - 30_000]),
      // An old attempt, and an open one.
      ...play(6, ['one', long], ['two', long + 5], ['one', now - 60_000]),
      // Steps in one millisecond count in the order of the log.
      ...play(7, ['one', long], ['two', long], ['three', long]),
      ...play(8, ['two', long], ['three', long + 1]),
      // The first step lies before the days.
      ...play(9, ['one', TODAY - 40 * DAY_MS], ['two', TODAY - 40 * DAY_MS + 1]),
      { game: 'steps', player: 10, name: 'one', at: long, environment: 'test' },
      { game: 'other', player: 11, name: 'one', at: long },
    ]);
    const country = (value: string) => ({ cohort_country: value, country: value });
    await insert('player_days', [
      ...daysOf('steps', 1, [long], country('DE')),
      ...daysOf('steps', 2, [long, long + DAY_MS], country('DE')),
      ...daysOf('steps', 3, [long], country('FI')),
    ]);
    const exposed = (player: number, variant: string) => ({
      game_id: 'steps',
      flag_key: 'price',
      flag_version: 1,
      variant_key: variant,
      period: 1,
      stratum: 10_000,
      player_id: playerId(player),
      received_at: long,
    });
    await insert('flag_exposures', [exposed(1, 'a'), exposed(2, 'b'), exposed(3, 'a'), exposed(3, 'b')]);
  });

  const funnel = (more: Partial<Record<'steps' | 'breakdown' | 'first', string>> = {}) =>
    rowsOf<object>(
      clickhouse,
      `SELECT value, toUInt32(step) AS step, event_name AS event, toUInt32(players) AS players,
        toUInt32(converted) AS converted, toUInt32(still_inside) AS inside, toUInt32(dropped) AS dropped
       FROM funnel(game = 'steps', steps = ${more.steps ?? "['one','two','three']"}, window_seconds = ${WINDOW_S},
        first_day = '${more.first ?? dayText(long)}', last_day = today(), breakdown = '${more.breakdown ?? ''}')
       ORDER BY value, step`,
    );

  it('counts players with their furthest attempt, and those with an open window apart', async () => {
    expect(await funnel()).toEqual([
      { value: '', step: 1, event: 'one', players: 7, converted: 5, inside: 1, dropped: 1 },
      { value: '', step: 2, event: 'two', players: 5, converted: 2, inside: 2, dropped: 1 },
      { value: '', step: 3, event: 'three', players: 2, converted: 2, inside: 0, dropped: 0 },
    ]);
  });

  it('has parts by a value of the first day, and by variant without players who met two', async () => {
    const firsts = (rows: readonly object[]) => rows.filter((row) => 'step' in row && row.step === 1);
    expect(firsts(await funnel({ breakdown: 'country' }))).toMatchObject([
      { value: '', players: 4 },
      { value: 'DE', players: 2 },
      { value: 'FI', players: 1 },
    ]);
    expect(firsts(await funnel({ breakdown: 'variant:price' }))).toMatchObject([
      { value: '', players: 5 },
      { value: 'a', players: 1 },
      { value: 'b', players: 1 },
    ]);
  });

  it('takes any text as a step, and refuses more than ten, or days that no moment can name', async () => {
    expect(await funnel({ steps: String.raw`['it\'s \\ "x" ü', 'one']` })).toEqual([]);
    const refused = async (steps: readonly string[], first: string) => {
      const { status, text } = await asReader(
        `SELECT * FROM funnel(game = 'steps', steps = [${steps.join(', ')}], window_seconds = 9, ` +
          `first_day = '${first}', last_day = today(), breakdown = '')`,
      );
      expect([status, text]).toEqual([500, expect.stringContaining('at most 10 steps')]);
    };
    await refused(
      Array.from({ length: 11 }, (_, n) => `'s${n}'`),
      dayText(long),
    );
    await refused(["'one'", "'two'"], '2020-01-01');
  });

  it('counts each event for one step', async () => {
    expect(await funnel({ steps: "['two', 'two']" })).toMatchObject([
      { step: 1, players: 7, converted: 0 },
      { step: 2, players: 0 },
    ]);
  });
});

describe('retention', () => {
  const first = TODAY - 40 * DAY_MS + 20 * HOUR_MS;

  it('in windows of 24 hours does not depend on midnight', async () => {
    await insert('player_days', [
      // Back after 8 hours, on the next day: not a day later.
      ...daysOf('windows', 1, [first, first + 8 * HOUR_MS]),
      ...daysOf('windows', 2, [first, first + 24 * HOUR_MS]),
      // Two calendar days later, in the first window.
      ...daysOf('windows', 3, [first, first + 47 * HOUR_MS]),
      // In the window with both of its days: counts once.
      ...daysOf('windows', 4, [first, first + 25 * HOUR_MS, first + 46 * HOUR_MS]),
      ...daysOf('windows', 5, [first, first + 7 * DAY_MS + 23 * HOUR_MS]),
    ]);
    const shares = 'toUInt32(players) AS players, d1, d3, d7 FROM';
    const where = "WHERE game_id = 'windows'";
    expect(await rowsOf(clickhouse, `SELECT ${shares} retention_24h_by_cohort ${where}`)).toEqual([
      { players: 5, d1: 0.6, d3: 0, d7: 0.2 },
    ]);
    expect(await rowsOf(clickhouse, `SELECT ${shares} retention_by_cohort ${where}`)).toEqual([
      { players: 5, d1: 0.6, d3: 0, d7: 0 },
    ]);
  });

  it('is NULL in a window that is not over for every player of the cohort', async () => {
    const young = TODAY - 2 * DAY_MS;
    await insert('player_days', daysOf('young', 1, [young, young + DAY_MS]));
    const of = (view: string) => rowsOf(clickhouse, `SELECT d1, d3 FROM ${view} WHERE game_id = 'young'`);
    expect(await of('retention_by_cohort')).toEqual([{ d1: 1, d3: null }]);
    expect(await of('retention_24h_by_cohort')).toEqual([{ d1: null, d3: null }]);
  });

  it('has parts by country, platform, version, segment and variant', async () => {
    const origin = (country: string, platform: string) => ({
      cohort_country: country,
      cohort_platform: platform,
      cohort_app_version: '1.2',
    });
    await insert('player_days', [
      ...daysOf('parts', 1, [first, first + DAY_MS], origin('DE', 'ios')),
      ...daysOf('parts', 2, [first], origin('DE', 'android')),
      ...daysOf('parts', 3, [first, first + 3 * DAY_MS], origin('FI', 'android')),
    ]);
    const member = (player: number, exited: number) => ({
      game_id: 'parts',
      segment_id: 's-1',
      segment_key: 'whales',
      player_id: playerId(player),
      exited,
      version: 1 + exited,
    });
    await insert('segment_membership_states', [member(1, 0), member(2, 0), member(2, 1), member(3, 0)]);
    const exposure = (player: number, at: number, variant: string, some = {}) => ({
      game_id: 'parts',
      flag_key: 'price',
      flag_version: 2,
      period: 2,
      variant_key: variant,
      stratum: 10_000,
      player_id: playerId(player),
      received_at: at,
      ...some,
    });
    await insert('flag_exposures', [
      exposure(1, first, 'a'),
      exposure(2, first, 'a'),
      exposure(3, first + 2 * DAY_MS, 'b'),
      // Again, by a later version of the period: the first counts.
      exposure(3, first + 9 * DAY_MS, 'b', { flag_version: 3 }),
      // Nothing was drawn, two variants were met, and a part was taken before: with another variant, since removed.
      exposure(4, first, 'a', { stratum: 0 }),
      exposure(5, first, 'a'),
      exposure(5, first, 'b'),
      exposure(6, first - DAY_MS, 'z', { period: 1, flag_version: 1 }),
      exposure(6, first, 'b'),
    ]);
    const rollOut = (player: number, value: string, stratum: number) =>
      exposure(player, first, '', { flag_key: 'roll', period: 1, variant_key: null, value, stratum });
    await insert('flag_exposures', [
      rollOut(1, 'true', 2_500),
      rollOut(2, 'false', 2_500),
      rollOut(3, 'true', 5_000),
      rollOut(4, 'false', 0),
    ]);
    const by = (column: string, view: string) =>
      rowsOf(
        clickhouse,
        `SELECT toString(${column}) AS part, toUInt32(players) AS players, d1, d3 FROM ${view}
         WHERE game_id = 'parts' ORDER BY part`,
      );
    expect(await by('country', 'retention_by_country')).toEqual([
      { part: 'DE', players: 2, d1: 0.5, d3: 0 },
      { part: 'FI', players: 1, d1: 0, d3: 1 },
    ]);
    expect(await by('platform', 'retention_by_platform')).toEqual([
      { part: 'android', players: 2, d1: 0, d3: 0.5 },
      { part: 'ios', players: 1, d1: 1, d3: 0 },
    ]);
    expect(await by('app_version', 'retention_by_app_version')).toMatchObject([{ part: '1.2', players: 3 }]);
    expect(await by('segment_key', 'retention_by_segment')).toEqual([{ part: 'whales', players: 2, d1: 0.5, d3: 0.5 }]);
    const variants = "(SELECT * FROM retention_by_variant WHERE flag_key = 'price')";
    expect(await by('(period, stratum, variant_key)', variants)).toEqual([
      { part: "(1,10000,'z')", players: 1, d1: 0, d3: 0 },
      { part: "(2,10000,'a')", players: 2, d1: 0.5, d3: 0 },
      { part: "(2,10000,'b')", players: 1, d1: 1, d3: 0 },
    ]);
    const values = "(SELECT * FROM retention_by_variant WHERE flag_key = 'roll')";
    expect(await by('(stratum, variant_key)', values)).toMatchObject([
      { part: "(2500,'false')", players: 1 },
      { part: "(2500,'true')", players: 1 },
      { part: "(5000,'true')", players: 1 },
    ]);
  });
});

it('no value of a client breaks the economy or the levels of a game', async () => {
  const amounts = ['1e40', '-5', '"7"', 'null', '{}', '1e-40', '0.00001', '[1]', 'true', '99999999999.25', '2.5'];
  const levels = ['3', '"3"', '"1-2 ü\\""', 'null', '{"a":1}', '""', '1e400'];
  const at = TODAY - DAY_MS;
  await insertEvents([
    ...amounts.map((amount) => ({
      game: 'hostile',
      player: 1,
      name: 'currency_earned',
      at,
      properties: `{"currency":"gold","amount":${amount}}`,
    })),
    { game: 'hostile', player: 1, name: 'currency_spent', at, properties: '{"currency":"gold","amount":0.1}' },
    ...levels.map((level) => ({
      game: 'hostile',
      player: 1,
      name: 'level_started',
      at,
      properties: `{"level":${level}}`,
    })),
  ]);
  const days = createPlayerDaysTarget(clickhouse.address);
  await buildDays(days, 0, { createdMs: 1, sequence });
  await days.close();
  const economy = () =>
    rowsOf(
      clickhouse,
      "SELECT currency, toString(sources) AS sources, toString(balance) AS balance FROM economy_daily WHERE game_id = 'hostile'",
    );
  const expected = [{ currency: 'gold', sources: '100000000001.75', balance: '100000000001.65' }];
  expect(await economy()).toEqual(expected);
  const rows = await rowsOf(
    clickhouse,
    "SELECT level, toUInt32(starts) AS starts, drop_off FROM progression_by_level WHERE game_id = 'hostile' AND level IN ('3', '1-2 ü\"')",
  );
  expect(rows).toEqual(
    expect.arrayContaining([
      { level: '3', starts: 2, drop_off: 0 },
      { level: '1-2 ü"', starts: 1, drop_off: 0 },
    ]),
  );
});

it('stage flows count changes by the day on which they fell due', async () => {
  const change = (player: number, from: string, to: string) => ({
    game_id: 'stages',
    player_id: playerId(player),
    from_stage: from,
    to_stage: to,
    changed_at: TODAY - 1,
    received_at: TODAY + 1,
  });
  await insert('lifecycle_transitions', [
    change(1, 'new', 'active'),
    change(2, 'new', 'active'),
    change(1, 'active', 'at_risk'),
  ]);
  const rows = await rowsOf(
    clickhouse,
    "SELECT toString(day) AS day, from_stage, toUInt32(transitions) AS n FROM stage_flows_daily WHERE game_id = 'stages' ORDER BY n",
  );
  const day = dayText(TODAY - DAY_MS);
  expect(rows).toEqual([
    { day, from_stage: 'active', n: 1 },
    { day, from_stage: 'new', n: 2 },
  ]);
});
