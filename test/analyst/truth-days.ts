import type { Row } from '../contract/http/metric-world.ts';
import type { Player } from './truth-walk.ts';

/** A row for each player and day of activity, and one for the first day of each player that began here. */
export function daysOf(rows: readonly Row[], players: readonly Player[]): Row[] {
  const days: Row[] = [];
  for (const [player, own] of Map.groupBy(rows, (row) => row.player)) {
    const byDay = [
      ...Map.groupBy(
        own.filter(({ isRefund }) => !isRefund),
        ({ day }) => day,
      ),
    ];
    byDay.sort(([one], [other]) => one - other);
    const values = new Map(byDay.map(([day, ofDay]) => [day, detailsOf(ofDay)]));
    const firstDay = byDay[0]?.[0] ?? Infinity;
    const cohortDay = Math.min(firstDay, players[player]?.begunDay ?? Infinity);
    const made = byDay.map(([day, ofDay]): Row => {
      const [any] = ofDay;
      if (any === undefined) throw new Error('a day has rows');
      const at = Math.min(...ofDay.map((row) => row.at));
      const counts = ofDay.reduce((sum, row) => sum + (row.source === 'purchases' ? row.counts : 0), 0);
      const own = { values: values.get(day) ?? {}, numbers: {}, counts, amount: 0, seconds: 0 };
      return { ...any, source: 'player_days', at, day, firstDay: cohortDay, ...own };
    });
    for (const row of own) {
      row.firstDay = cohortDay;
      row.values = { ...values.get(row.day), ...row.values };
    }
    const [first] = made;
    days.push(...made);
    if (first === undefined || cohortDay !== firstDay) continue;
    // A day without an event that names a country leaves it to a later one.
    const country = made.find((day) => day.values['country'] !== '')?.values['country'] ?? '';
    days.push({ ...first, source: 'first_days', values: { ...first.values, country } });
  }
  return days;
}

function detailsOf(rows: readonly Row[]): Record<string, string> {
  const last = (source: Row['source'], name: string): string =>
    rows
      .filter((row) => row.source === source && (row.values[name] ?? '') !== '')
      .toSorted((one, other) => one.receivedAt - other.receivedAt || one.sequence - other.sequence)
      .at(-1)?.values[name] ?? '';
  return {
    country: last('events', 'country') || last('sessions', 'played_in'),
    platform: last('events', 'platform') || last('sessions', 'platform'),
    app_version: last('events', 'app_version') || last('sessions', 'app_version'),
  };
}
