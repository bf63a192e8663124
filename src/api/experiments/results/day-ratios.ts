import { type RatioCount, type RatioOfCell, sampleRatioCells } from '../../../analysis/sample-ratio-cells.ts';
import type { ArrivalDay } from '../../../../clickhouse-schema/queries/experiments/experiment-arrivals.ts';
import type { MeasuredPhase } from './measured-phases.ts';

/** The sample ratio of the players of one day and phase. */
export interface DayRatio extends RatioOfCell {
  day: string;
  phase: number;
  players: number;
}

/** Whether players came in the ratio of the weights, by day and phase in the order of time. */
export function dayRatios(measured: readonly MeasuredPhase[]): DayRatio[] {
  const cells = measured
    .flatMap(({ phase: { phase, variants }, arrivals }) =>
      [...Map.groupBy(arrivals, ({ day }) => day)].map(([day, came]) => ({
        day,
        phase,
        counts: variants.map(({ key, weight }) => ({ ...countOf(came, key), weight })),
      })),
    )
    .toSorted((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : one.phase - other.phase));
  const ratios = sampleRatioCells(cells.map(({ counts }) => counts));
  return cells.flatMap(({ day, phase, counts }, place) => {
    const ratio = ratios[place];
    const players = counts.reduce((sum, count) => sum + count.players, 0);
    return ratio === undefined ? [] : [{ day, phase, players, ...ratio }];
  });
}

function countOf(came: readonly ArrivalDay[], variant: string): Omit<RatioCount, 'weight'> {
  const found = came.find((one) => one.variant === variant);
  return { players: found?.players ?? 0, squares: found?.squares ?? 0 };
}
