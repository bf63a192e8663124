import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createPlayerDaysTarget,
  type PlayerDaysTarget,
} from '../../../../streams/sinks/clickhouse/player-days/target.ts';
import { execSql, insertRows, rowsOf, type TestClickhouse } from '../../../support/servers/clickhouse.ts';
import { startWithTables } from '../../../support/wire/made-tables.ts';
import { createBuildJob } from '../../../../streams/sinks/clickhouse/player-days/build-job.ts';
import { systemClock } from '../../../../core/kernel/clock.ts';
import { buildDays, nextVersion } from '../../../support/wire/built-days.ts';
import { startOfToday } from '../../../support/whole-day.ts';

let clickhouse: TestClickhouse;
let target: PlayerDaysTarget;

beforeAll(async () => {
  clickhouse = await startWithTables();
  target = createPlayerDaysTarget(clickhouse.address);
});
afterAll(async () => {
  await target.close();
  await clickhouse.close();
});
const SOURCES = ['events', 'sessions', 'purchases', 'player_beginnings'];
const DERIVED = ['player_days', 'player_days_staged', 'player_levels', 'player_days_builds'];
beforeEach(async () => {
  for (const table of [...SOURCES, ...DERIVED]) await execSql(clickhouse, `TRUNCATE TABLE ${table}`);
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TODAY = await startOfToday();
const START = Date.UTC(2026, 0, 28);
const CREATED = Date.UTC(2026, 0, 1);
const playerId = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

interface Row {
  /** `beginning`: an import says that the player was first seen `value` days before the receipt. */
  kind: 'event' | 'session' | 'purchase' | 'reversal' | 'refund' | 'beginning';
  game: string;
  player: number;
  /** Receipt, hours after START. */
  received: number;
  /** Hours from the device's time to the receipt; negative: the device is ahead. */
  late: number;
  value: number;
  country: string;
  platform: string;
}

const LATE_MS = 7 * DAY_MS;
const begunAt = (row: Row): number => START + row.received * HOUR_MS - row.value * DAY_MS;
const timeOf = (row: Row): number => {
  const received = START + row.received * HOUR_MS;
  if (row.kind === 'purchase' || row.kind === 'reversal' || row.kind === 'refund') return received;
  return row.late >= 0 && row.late * HOUR_MS < LATE_MS ? received - row.late * HOUR_MS : received;
};

async function insert(rows: readonly Row[], firstSequence: number): Promise<void> {
  const tables: Record<string, object[]> = { events: [], sessions: [], purchases: [], player_beginnings: [] };
  for (const [at, row] of rows.entries()) {
    const received = START + row.received * HOUR_MS;
    const device = received - row.late * HOUR_MS;
    const common = {
      game_id: row.game,
      environment: 'live',
      player_id: playerId(row.player),
      received_at: received,
      facts_sequence: firstSequence + at,
    };
    if (row.kind === 'beginning') tables['player_beginnings']!.push({ ...common, first_seen_at: begunAt(row) });
    else if (row.kind === 'event') {
      const properties = JSON.stringify({ level: levelOf(row) });
      tables['events']!.push({
        ...common,
        event_name: nameOf(row),
        timestamp: device,
        country: row.country,
        platform: row.platform,
        app_version: eventVersionOf(row),
        properties,
      });
    } else if (row.kind === 'session') {
      const { platform } = row;
      const played = { start_time: device, duration_seconds: row.value, platform, country: row.country };
      tables['sessions']!.push({ ...common, ...played, app_version: versionOf(row) });
    } else {
      const sign = row.kind === 'purchase' ? 1 : -1;
      // Of some refunds a part remains.
      const counts = row.kind === 'refund' && row.value % 2 === 0 ? 0 : sign;
      const kind = row.kind === 'reversal' ? 'replaced' : row.kind;
      tables['purchases']!.push({ ...common, amount: sign * row.value, counts, kind });
      // The service tracks a refund too, which is no activity of the player.
      const event = { event_name: 'purchase_refunded', source: 'service', timestamp: START + row.received * HOUR_MS };
      if (kind === 'refund') tables['events']!.push({ ...common, ...event });
    }
  }
  for (const [table, values] of Object.entries(tables)) {
    if (values.length === 0) continue;
    await insertRows(clickhouse, table, values);
  }
}

/** Events of one in three values are of no level. */
const nameOf = ({ value }: Row): string => LEVEL_EVENTS[value % 4] ?? 'e';
const LEVEL_EVENTS = ['level_started', 'level_failed', 'level_completed'];
const levelOf = ({ value }: Row): string => ['', '1', 'ü "2"'][value % 3] ?? '';

/** What `player_levels` must hold, from all rows. */
function expectedLevels(rows: readonly Row[]) {
  const ofLevels = rows.filter((row) => row.kind === 'event' && nameOf(row) !== 'e' && levelOf(row) !== '');
  const groups = Map.groupBy(ofLevels, (row) => `${row.game}/${levelOf(row)}/${row.player}`);
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, own]) => {
      const figures = (some: readonly Row[]) => [
        ...LEVEL_EVENTS.map((name) => some.filter((row) => nameOf(row) === name).length),
        Math.max(...some.map(timeOf)),
      ];
      const days = [...Map.groupBy(own, (row) => dayOf(timeOf(row)))].toSorted(([a], [b]) => (a < b ? -1 : 1));
      const { game, player } = own[0]!;
      const level = levelOf(own[0]!);
      return {
        game,
        level,
        player: playerId(player),
        all: figures(own),
        days: days.map(([day, some]) => [day, ...figures(some)]),
      };
    });
}

const storedLevels = () =>
  rowsOf<{ days: [day: string, ...figures: number[]][] }>(
    clickhouse,
    `SELECT game_id AS game, level, player_id AS player,
      [toFloat64(starts), fails, completes, toUnixTimestamp64Milli(last_at)] AS all,
      arrayMap(one -> (toString(one.1), one.2, one.3, one.4, toFloat64(toUnixTimestamp64Milli(one.5))), arraySort(days)) AS days
    FROM player_levels FINAL ORDER BY game, level, toString(player)`,
  );

const versionOf = ({ platform, value }: Row): string => (platform === '' ? '' : `1.${value}`);
/** Some events know the platform only. */
const eventVersionOf = ({ platform, value }: Row): string => (platform === '' || value % 3 === 0 ? '' : `2.${value}`);

/** What `player_days` must hold, from all rows. */
function expected(rows: readonly Row[]) {
  const days = new Map<string, Day>();
  /** What events name counts before what sessions name. */
  const ofEvents = new Map<string, string>();
  // The newest receipt decides on details.
  for (const row of rows.toSorted((a, b) => a.received - b.received)) {
    if (row.kind === 'beginning' || row.kind === 'refund') continue;
    const day = dayOf(timeOf(row));
    const key = `${row.game}/${row.player}/${day}`;
    const found = days.get(key) ?? { ...EMPTY, game: row.game, player: playerId(row.player), day };
    days.set(key, found);
    found.first = Math.min(found.first, timeOf(row));
    found.last = Math.max(found.last, timeOf(row));
    if (row.kind === 'event') {
      found.events += 1;
      if (row.country !== '') ofEvents.set(`${key} country`, row.country);
      if (row.platform !== '') ofEvents.set(`${key} platform`, row.platform);
      if (eventVersionOf(row) !== '') ofEvents.set(`${key} version`, eventVersionOf(row));
    } else if (row.kind === 'session') {
      found.sessions += 1;
      found.playtime += row.value;
      if (row.country !== '') found.country = row.country;
      if (row.platform !== '') Object.assign(found, { platform: row.platform, version: versionOf(row) });
    } else {
      const counts = row.kind === 'purchase' ? 1 : -1;
      found.purchases += counts;
      found.revenue += counts * row.value;
    }
  }
  for (const [key, day] of days) {
    day.country = ofEvents.get(`${key} country`) ?? day.country;
    day.platform = ofEvents.get(`${key} platform`) ?? day.platform;
    day.version = ofEvents.get(`${key} version`) ?? day.version;
  }
  const all = [...days.values()];
  for (const day of all) {
    const own = all.filter(({ game, player }) => game === day.game && player === day.player);
    const days = own.map((one) => one.day).toSorted();
    const first = own.find((one) => one.day === days[0])!;
    const begun = rows.filter(
      ({ kind, game, player }) => kind === 'beginning' && game === day.game && playerId(player) === day.player,
    );
    day.firstDay = first.day;
    day.cohort = [first.day, ...begun.map((row) => dayOf(begunAt(row)))].toSorted()[0]!;
    const country = own.toSorted((a, b) => (a.day < b.day ? -1 : 1)).find((one) => one.country !== '')?.country ?? '';
    day.origin = [first.first, country, first.platform, first.version].join(' ');
    day.previous = days[days.indexOf(day.day) - 1] ?? null;
    day.firstPurchase =
      own
        .filter(({ purchases }) => purchases > 0)
        .map((one) => one.day)
        .toSorted()[0] ?? null;
  }
  return all.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const EMPTY = {
  cohort: '',
  firstDay: '',
  previous: null as string | null,
  firstPurchase: null as string | null,
  events: 0,
  sessions: 0,
  playtime: 0,
  purchases: 0,
  revenue: 0,
  country: '',
  platform: '',
  version: '',
  first: Infinity,
  last: -Infinity,
  /** What the first day says of itself. */
  origin: '',
};
type Day = typeof EMPTY & { game: string; player: string; day: string };
const keyOf = ({ game, player, day }: Day): string => `${game}/${player}/${day}`;

const stored = () =>
  rowsOf<Day>(
    clickhouse,
    `SELECT game_id AS game, player_id AS player, toString(day) AS day, toString(cohort_day) AS cohort, toString(first_day) AS firstDay,
      if(isNull(previous_day), NULL, toString(previous_day)) AS previous,
      if(isNull(first_purchase_day), NULL, toString(first_purchase_day)) AS firstPurchase, toUInt32(events) AS events,
      sessions, toUInt32(playtime_seconds) AS playtime, purchases, toFloat64(gross_revenue) AS revenue, country, platform,
      app_version AS version, toFloat64(toUnixTimestamp64Milli(first_at)) AS first, toFloat64(toUnixTimestamp64Milli(last_at)) AS last,
      concat(toString(toUnixTimestamp64Milli(cohort_at)), ' ', cohort_country, ' ', cohort_platform, ' ', cohort_app_version) AS origin
    FROM player_days FINAL ORDER BY game, toString(player), day`,
  );

const KPIS = `SELECT game_id AS game, toString(day) AS day, toUInt32(dau) AS dau, toUInt32(wau) AS wau,
    toUInt32(mau) AS mau, toUInt32(new_players) AS new, toUInt32(payers) AS payers, toFloat64(revenue) AS revenue,
    toFloat64(gross_revenue) AS gross, toFloat64(refunds) AS refunds, toUInt32(sessions) AS sessions, toUInt32(events) AS events
  FROM kpis_daily ORDER BY game, day`;

function kpisOf(days: readonly Day[], rows: readonly Row[]) {
  const refunds = rows
    .filter(({ kind }) => kind === 'refund')
    .map((row) => ({ game: row.game, day: dayOf(timeOf(row)), value: row.value }));
  const keys = [...new Set([...days, ...refunds].map(({ game, day }) => `${game} ${day}`))].toSorted();
  return keys.map((key) => {
    const [game = '', day = ''] = key.split(' ');
    const ofGame = days.filter((one) => one.game === game);
    const today = ofGame.filter((one) => one.day === day);
    const active = (most: number): number => {
      const within = ofGame.filter((one) => {
        const age = (Date.parse(day) - Date.parse(one.day)) / DAY_MS;
        return age >= 0 && age < most;
      });
      return new Set(within.map(({ player }) => player)).size;
    };
    const ofDay = refunds.filter((one) => one.game === game && one.day === day);
    const refunded = ofDay.reduce((total, { value }) => total + value, 0);
    const sum = (of: (one: Day) => number): number => today.reduce((total, one) => total + of(one), 0);
    return {
      game,
      day,
      dau: active(1),
      wau: active(7),
      mau: active(30),
      new: sum((one) => (one.cohort === day ? 1 : 0)),
      payers: sum((one) => (one.purchases > 0 ? 1 : 0)),
      revenue: sum((one) => one.revenue) - refunded,
      gross: sum((one) => one.revenue),
      refunds: refunded,
      sessions: sum((one) => one.sessions),
      // Each refund is an event, too.
      events: sum((one) => one.events) + ofDay.length,
    };
  });
}

const buildAll = (from: number, to: number): Promise<void> =>
  buildDays(target, from, { createdMs: CREATED, sequence: to });

const arbitraryRow: Arbitrary<Row> = fc.record({
  kind: fc.constantFrom('event', 'event', 'event', 'session', 'purchase', 'reversal', 'refund', 'beginning'),
  game: fc.constantFrom('a', 'a', 'b'),
  player: fc.integer({ min: 1, max: 4 }),
  received: fc.integer({ min: 0, max: 5 * 24 }),
  late: fc.oneof(fc.constant(0), fc.integer({ min: -30, max: 40 }), fc.constantFrom(167, 168, 169)),
  value: fc.integer({ min: 1, max: 50 }),
  country: fc.constantFrom('', 'DE', 'FI', 'JP'),
  platform: fc.constantFrom('', 'ios', 'android'),
});
/** Rows with distinct times of receipt, so that the last country of a day is one. */
const arbitraryRows = fc.uniqueArray(arbitraryRow, {
  selector: ({ received }) => received,
  minLength: 1,
  maxLength: 30,
});

describe('player_days', () => {
  it(
    'equals a recount of all rows, however these are spread over builds, and without an erased player',
    { timeout: 600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryRows, fc.integer({ min: 1, max: 3 }), fc.boolean(), async (rows, builds, repeats) => {
          for (const table of [...SOURCES, ...DERIVED]) await execSql(clickhouse, `TRUNCATE TABLE ${table}`);
          const size = Math.ceil(rows.length / builds);
          for (let done = 0; done < rows.length; done += size) {
            const part = rows.slice(done, done + size);
            await insert(part, done + 1);
            if (repeats) await buildAll(done, done + part.length - 1);
            await buildAll(done, done + part.length);
          }
          expect(await stored()).toEqual(expected(rows));
          expect(await storedLevels()).toEqual(expectedLevels(rows));
          expect(await rowsOf(clickhouse, KPIS)).toEqual(kpisOf(expected(rows), rows));
          const erased = { game: 'a', environment: 'live', ids: [playerId(1)] };
          for (const table of SOURCES) {
            const removal = `ALTER TABLE ${table} DELETE WHERE game_id = 'a' AND player_id = '${playerId(1)}'`;
            await execSql(clickhouse, removal, { search: { mutations_sync: '1' } });
          }
          expect(await target.rebuild(erased, { zone: 'UTC', version: nextVersion() })).toBe('rebuilt');
          const left = rows.filter(({ game, player }) => game !== 'a' || player !== 1);
          const others = expected(left);
          expect(await stored()).toEqual(others);
          expect(await storedLevels()).toEqual(expectedLevels(left));
          expect(await rowsOf(clickhouse, KPIS)).toEqual(kpisOf(others, left));
        }),
        { numRuns: 3 },
      );
    },
  );

  it('leaves players whom another product had before out of every cohort, also if that is known later', async () => {
    const event = (player: number, received: number): Row => {
      return { kind: 'event', game: 'a', player, received, late: 0, value: 1, country: 'DE', platform: '' };
    };
    const rows: Row[] = [event(1, 0), event(2, 0), event(2, 24), event(3, 26)];
    await insert(rows, 1);
    await buildAll(0, 4);
    const cohorts = (view: string) =>
      rowsOf(clickhouse, `SELECT toUInt32(sum(players)) AS players, toUInt32(count()) AS n FROM ${view}`);
    expect(await cohorts('retention_by_cohort')).toEqual([{ players: 3, n: 2 }]);
    const begun: Row[] = [2, 3].map((player) => ({ ...event(player, 50), kind: 'beginning', value: 365 }));
    await insert(begun, 5);
    await buildAll(4, 6);
    expect(await stored()).toEqual(expected([...rows, ...begun]));
    for (const view of [
      'retention_by_cohort',
      'retention_by_country',
      'retention_by_platform',
      'retention_by_app_version',
      'retention_24h_by_cohort',
      'ltv_by_cohort',
    ]) {
      expect([view, await cohorts(view)]).toEqual([view, [{ players: 1, n: 1 }]]);
    }
    const kpis = 'SELECT toUInt32(sum(new_players)) AS new, toUInt32(sum(dau)) AS active FROM kpis_daily';
    expect(await rowsOf(clickhouse, kpis)).toEqual([{ new: 1, active: 4 }]);
    const funnel =
      "SELECT value, toUInt32(players) AS players FROM funnel(game='a', steps=['level_failed'], window_seconds=60, first_day='2026-01-28', last_day='2026-02-01', breakdown='country')";
    expect(await rowsOf(clickhouse, funnel)).toEqual([{ value: 'DE', players: 3 }]);
  });

  it('moves the cohort of a day to which the same build adds rows', async () => {
    const event = (received: number): Row => {
      return { kind: 'event', game: 'a', player: 1, received, late: 0, value: 1, country: '', platform: '' };
    };
    const rows = [event(50), event(20), event(51)];
    await insert(rows.slice(0, 1), 1);
    await buildAll(0, 1);
    await insert(rows.slice(1), 2);
    await buildAll(1, 3);
    expect(await stored()).toEqual(expected(rows));
  });

  it('is the same after a build that was interrupted at any statement', async () => {
    const rows: Row[] = [
      { kind: 'event', game: 'a', player: 1, received: 80, late: 0, value: 1, country: 'DE', platform: '' },
      { kind: 'purchase', game: 'a', player: 1, received: 81, late: 0, value: 5, country: '', platform: '' },
      { kind: 'event', game: 'a', player: 1, received: 82, late: 60, value: 1, country: 'FI', platform: '' },
      { kind: 'purchase', game: 'a', player: 1, received: 30, late: 0, value: 7, country: '', platform: '' },
    ];
    await insert(rows.slice(0, 2), 1);
    await buildAll(0, 2);
    await insert(rows.slice(2), 3);
    const before = await stored();
    const to = { createdMs: CREATED, sequence: 4 };
    const tenant = { game: 'a', environment: 'live' };
    for (let most = 0; most < 4; most += 1) {
      const build = { ...tenant, from: 2, to, zone: 'UTC', version: nextVersion(), asOfMs: 0 };
      const job = createBuildJob(target, build, systemClock);
      for (let step = 0; step < most; step += 1) expect(await job.advance()).toBe(true);
      // Nobody sees a part of a build.
      expect(await stored()).toEqual(before);
    }
    await buildAll(2, 4);
    expect(await stored()).toEqual(expected(rows));
    expect(await storedLevels()).toEqual(expectedLevels(rows));
  });

  it('gives retention and revenue by cohort, NULL for days that are not over', async () => {
    const hour = (daysAgo: number): number => (TODAY - daysAgo * DAY_MS - START) / HOUR_MS + 1;
    const row = (kind: Row['kind'], player: number, daysAgo: number): Row => {
      return { kind, game: 'a', player, received: hour(daysAgo), late: 0, value: 4, country: '', platform: '' };
    };
    const rows = [
      ...[1, 2, 3, 4].map((player) => row('event', player, 9)),
      ...[1, 2].map((player) => row('event', player, 8)),
      row('event', 3, 2),
      row('purchase', 1, 8),
      row('purchase', 2, 0),
      // Of player 1, two days later and without a day of its own.
      { ...row('refund', 1, 6), value: 3 },
      row('event', 5, 1),
      row('event', 5, 0),
    ];
    await insert(rows, 1);
    await buildAll(0, rows.length);
    const retention =
      'SELECT toUInt32(players) AS players, d1, d3, d7, d14 FROM retention_by_cohort ORDER BY cohort_day';
    expect(await rowsOf(clickhouse, retention)).toEqual([
      { players: 4, d1: 0.5, d3: 0, d7: 0.25, d14: null },
      { players: 1, d1: null, d3: null, d7: null, d14: null },
    ]);
    const value = 'SELECT toUInt32(payers) AS payers, d0, d1, d7, d14 FROM ltv_by_cohort ORDER BY cohort_day';
    expect(await rowsOf(clickhouse, value)).toEqual([
      { payers: 2, d0: 0, d1: 1, d7: 0.25, d14: null },
      { payers: 0, d0: 0, d1: null, d7: null, d14: null },
    ]);
  });

  it('forgets an erased player, but for the rows of a later life', async () => {
    const event = (player: number, received: number): Row => {
      return { kind: 'event', game: 'a', player, received, late: 0, value: 1, country: '', platform: '' };
    };
    const rows = [event(1, 1), event(2, 2), event(1, 30), event(2, 60), event(1, 90)];
    await insert(rows, 1);
    await buildAll(0, 5);
    const later = [rows[1]!, rows[3]!, rows[4]!];
    await execSql(
      clickhouse,
      `ALTER TABLE events DELETE WHERE player_id = '${playerId(1)}' AND facts_sequence < 5 SETTINGS mutations_sync = 1`,
    );
    const erased = { game: 'a', environment: 'live', ids: [playerId(1)] };
    await target.rebuild(erased, { zone: 'UTC', version: nextVersion() });
    expect(await stored()).toEqual(expected(later));
  });

  it('in another time zone is that of all rows, without days that are none any more', async () => {
    const at = (received: number): Row => {
      return { kind: 'event', game: 'a', player: 1, received, late: 0, value: 1, country: 'DE', platform: '' };
    };
    const rows = [at(-2), at(2), at(30), { ...at(47), kind: 'purchase' as const }, { ...at(23), player: 2 }];
    await insert(rows, 1);
    await buildAll(0, 5);
    expect(await stored()).toEqual(expected(rows));
    const ahead: [zone: string, hours: number][] = [
      ['Europe/Berlin', 1],
      ['America/Sao_Paulo', -3],
      ['UTC', 0],
    ];
    for (const [zone, aheadHours] of ahead) {
      const to = { createdMs: CREATED, sequence: 5 };
      const build = { game: 'a', environment: 'live', from: 0, to, zone, version: nextVersion(), asOfMs: 0 };
      const job = createBuildJob(target, build, systemClock);
      while (await job.advance());
      const shifted = rows.map((row) => ({ ...row, received: row.received + aheadHours }));
      const days = (some: readonly Day[]) => some.map((day) => ({ ...day, first: 0, last: 0, origin: '' }));
      expect([zone, days(await stored())]).toEqual([zone, days(expected(shifted))]);
      const levels = await storedLevels();
      expect(levels.map(({ days }) => days.map(([day]) => day))).toEqual(
        expectedLevels(shifted).map(({ days }) => days.map(([day]) => day)),
      );
    }
  });
});
