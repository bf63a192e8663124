import { expect, it } from 'vitest';
import type { ResultOf } from './query.ts';
import { tableOf } from './result-table.ts';

const SAO_PAULO = 'America/Sao_Paulo';

function trend(interval: string, times: readonly string[]): ResultOf<'trend'> {
  const points = times.map((at, place) => ({ at, value: place }));
  const named = { metric: 'events', title: 'Events', unit: 'count', null_reason: null } as const;
  const series = [{ key: null, points, previous: null }];
  return { kind: 'trend', from: times[0] ?? '', to: '', ...named, interval, partial_from: null, series };
}

it('a downloaded trend has the days of the game, with the zone in its head', () => {
  // In Sao Paulo the 4th of November 2018 began at 01:00.
  const days = trend('day', ['2018-11-03T03:00:00.000Z', '2018-11-04T03:00:00.000Z', '2018-11-05T02:00:00.000Z']);
  expect(tableOf(days, SAO_PAULO)).toEqual({
    header: ['Time (America/Sao_Paulo)', 'Events'],
    rows: [
      ['2018-11-03', 0],
      ['2018-11-04', 1],
      ['2018-11-05', 2],
    ],
  });
});

it('a downloaded trend by the hour has no hour twice, where the clock shows one twice', () => {
  const hours = trend('hour', ['2018-02-18T01:00:00.000Z', '2018-02-18T02:00:00.000Z']);
  expect(tableOf(hours, SAO_PAULO).rows).toEqual([
    ['2018-02-17T23:00:00-02:00', 0],
    ['2018-02-17T23:00:00-03:00', 1],
  ]);
});
