import { afterAll, beforeAll, expect, it } from 'vitest';
import { gameZoneOf } from '../../../actors/time-zones/game-zone.ts';
import { dateOf, dayIn, startOfDayIn, startOfHourIn } from '../../../core/kernel/zoned-days.ts';
import { rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* Days and hours of time zones: this process and ClickHouse must mean the same, or a point of a trend would be lost. */

let clickhouse: TestClickhouse;
beforeAll(async () => {
  clickhouse = await startWithTables();
});
afterAll(() => clickhouse.close());

const HOUR_MS = 3_600_000;

interface Row {
  at: number;
  date: string;
  day: number;
  monday: number;
  month: number;
  hour: number;
}

/** Every 20 minutes of the three days about a moment. */
const around = (zone: string, ms: number) =>
  rowsOf<Row>(
    clickhouse,
    `WITH toDateTime64(${ms / 1_000} - 36 * 3600 + number * 1200, 3, 'UTC') AS moment
     SELECT toUnixTimestamp(moment) AS at, toString(toDate(moment, '${zone}')) AS date,
       toUnixTimestamp(toStartOfDay(moment, '${zone}')) AS day,
       toUnixTimestamp(toDateTime(toMonday(moment, '${zone}'), '${zone}')) AS monday,
       toUnixTimestamp(toDateTime(toStartOfMonth(moment, '${zone}'), '${zone}')) AS month,
       toUnixTimestamp(toStartOfHour(moment, '${zone}')) AS hour
     FROM numbers(216)`,
  );

it.each([
  ['UTC', '2026-03-01T00:00Z'],
  ['Europe/Berlin', '2026-03-29T01:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00Z'],
  ['America/New_York', '2026-11-01T06:00Z'],
  // Midnight did not exist, and came twice.
  ['America/Sao_Paulo', '2018-11-04T03:00Z'],
  ['America/Sao_Paulo', '2018-02-18T02:00Z'],
  ['America/Sao_Paulo', '2026-11-27T03:00Z'],
  ['America/Havana', '2026-03-08T05:00Z'],
  ['Africa/Cairo', '2026-04-23T22:00Z'],
  ['Asia/Kolkata', '2026-11-27T00:00Z'],
  ['Asia/Kathmandu', '2026-11-30T18:15Z'],
])('a day, week, month and hour in %s about %s is that of ClickHouse', async (zone, text) => {
  const rows = await around(zone, Date.parse(text));
  expect(rows).toHaveLength(216);
  for (const row of rows) {
    const ms = row.at * 1_000;
    const day = dayIn(zone, ms);
    const monday = day - ((((day - 4) % 7) + 7) % 7);
    const month = day + 1 - Number(dateOf(day).slice(-2));
    expect({ ...row, at: new Date(ms).toISOString() }).toEqual({
      at: new Date(ms).toISOString(),
      date: dateOf(day),
      day: startOfDayIn(zone, day) / 1_000,
      monday: startOfDayIn(zone, monday) / 1_000,
      month: startOfDayIn(zone, month) / 1_000,
      hour: startOfHourIn(zone, ms) / 1_000,
    });
  }
});

it('a day has 23, 24 or 25 hours, and begins at 01:00 where midnight was left out', () => {
  const hours = (zone: string, date: string) => {
    const day = dayIn('UTC', Date.parse(date));
    return (startOfDayIn(zone, day + 1) - startOfDayIn(zone, day)) / HOUR_MS;
  };
  expect(['2026-03-28', '2026-03-29', '2026-10-25'].map((date) => hours('Europe/Berlin', date))).toEqual([24, 23, 25]);
  expect(['2018-02-17', '2018-11-04', '2026-11-27'].map((date) => hours('America/Sao_Paulo', date))).toEqual([
    25, 23, 24,
  ]);
  const spring = startOfDayIn('America/Sao_Paulo', dayIn('UTC', Date.parse('2018-11-04')));
  expect(new Date(spring).toISOString()).toBe('2018-11-04T03:00:00.000Z');
  // Samoa left 30 December 2011 out.
  const left = dayIn('UTC', Date.parse('2011-12-30'));
  expect(startOfDayIn('Pacific/Apia', left)).toBe(startOfDayIn('Pacific/Apia', left + 1));
});

it('ClickHouse knows every zone that a game may have', async () => {
  const zones = [...Intl.supportedValuesOf('timeZone'), 'Etc/GMT-2', 'gmt', 'asia/kolkata', 'W. Europe Standard Time'];
  const names = zones.map((text) => gameZoneOf(text));
  expect(zones.filter((_, place) => names[place] === undefined)).toEqual(['America/Coyhaique']);
  const known = await rowsOf<{ name: string }>(clickhouse, 'SELECT time_zone AS name FROM system.time_zones');
  const all = new Set(known.map(({ name }) => name));
  expect(names.filter((name) => name !== undefined && !all.has(name))).toEqual([]);
  expect(['+02:00', 'UTC+2', 'Mars/Olympus', 'file:/etc/passwd', ''].map(gameZoneOf)).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});
