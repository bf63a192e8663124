import type { ChartSeries } from '../../parts/charts/chart.tsx';
import { DAY_MS } from '../../parts/charts/units.ts';

interface Arrived {
  day: string;
  phase: number;
  players: number;
}

/** A line for each phase over the days from the first to the last; a day without players is 0. */
export function arrivalSeries(
  days: readonly Arrived[],
  name: (phase: number) => string,
): { at: string[]; series: ChartSeries[] } {
  const sorted = days.map(({ day }) => day).toSorted();
  const [first = '', last = ''] = [sorted[0], sorted.at(-1)];
  const count = first === '' ? 0 : Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
  const at = Array.from({ length: count }, (_, place) =>
    new Date(Date.parse(first) + place * DAY_MS).toISOString().slice(0, 'yyyy-mm-dd'.length),
  );
  const phases = [...new Set(days.map(({ phase }) => phase))].toSorted((one, other) => one - other);
  const series = phases.map((phase) => {
    const counts = new Map(days.filter((each) => each.phase === phase).map(({ day, players }) => [day, players]));
    return { name: name(phase), values: at.map((day) => counts.get(day) ?? 0) };
  });
  return { at, series };
}
