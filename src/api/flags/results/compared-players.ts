import type { MeasuredPlayers } from '../../../../clickhouse-schema/queries/experiments/experiment-readout.ts';
import type { FlagArm } from '../../../../core/vocabulary/documents/documents.ts';
import type { MeasuredPeriod } from './experiment-period.ts';

/* Which of the measured players of a period are compared, and which are left out. */

/** The players that are compared: those of one stratum, who get each variant with the same probability. */
export interface Compared<T extends MeasuredPlayers> {
  rows: readonly T[];
  arms: readonly FlagArm[];
  shown: ShownPlayers;
}

export interface ShownPlayers {
  /** Why there is nothing to compare; null: there is. */
  reason: 'nothing_drawn' | null;
  /** The percentage of the compared players of a boolean flag; null: none, or another flag. */
  percentage: number | null;
  /** All percentages of a boolean flag, with the players that count. */
  percentages: readonly { percentage: number; players: number }[];
  ineligiblePlayers: number;
}

export function comparedPlayers<T extends MeasuredPlayers>(
  measured: readonly T[],
  { arms, percentage: asked, draws, isBoolean }: MeasuredPeriod,
): Compared<T> {
  const drawn = measured.filter(({ stratum }) => stratum > 0);
  const ineligiblePlayers = playersOf(measured.filter(({ stratum }) => stratum === 0));
  const reason = drawn.length === 0 && (ineligiblePlayers > 0 || !draws) ? 'nothing_drawn' : null;
  if (!isBoolean) {
    return { rows: drawn, arms, shown: { reason, percentage: null, percentages: [], ineligiblePlayers } };
  }
  const percentages = [...Map.groupBy(drawn, ({ stratum }) => stratum)]
    .map(([stratum, rows]) => ({ percentage: stratum / 100, players: playersOf(rows.filter((row) => !row.excluded)) }))
    .toSorted((one, other) => other.players - one.players);
  const ofFlag = arms.find(({ variantKey }) => variantKey === 'true')?.weight;
  const percentage = asked ?? ofFlag ?? percentages[0]?.percentage ?? null;
  const stratum = Math.round((percentage ?? 0) * 100);
  return {
    rows: drawn.filter((row) => row.stratum === stratum),
    arms: arms.map(({ variantKey }) => ({ variantKey, weight: weightOf(variantKey, percentage) })),
    shown: { reason, percentage, percentages, ineligiblePlayers },
  };
}

function weightOf(variantKey: string, percentage: number | null): number | null {
  if (percentage === null) return null;
  return variantKey === 'true' ? percentage : 100 - percentage;
}

function playersOf(rows: readonly MeasuredPlayers[]): number {
  return rows.reduce((sum, { players }) => sum + players, 0);
}

export interface LeftOut {
  excludedPlayers: number;
  /** Those of the excluded who took part before the period. */
  leftOutEarlier: number;
  mismatchedPlayers: number;
}

/** Players who are left out, and players with an event that names another variant. */
export function leftOut(measured: readonly MeasuredPlayers[]): LeftOut {
  return {
    excludedPlayers: playersOf(measured.filter(({ excluded }) => excluded)),
    leftOutEarlier: playersOf(measured.filter(({ earlier }) => earlier)),
    mismatchedPlayers: measured.reduce((sum, { mismatches }) => sum + mismatches, 0),
  };
}
