import type { MeasuredPlayers } from '../../../../clickhouse-schema/queries/experiments/experiment-readout.ts';
import { KEYED_STRATUM, WEIGHTS_STRATUM } from '../../../../core/vocabulary/facts/flag-reason.ts';
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
  /** Flag with variants: the stratum of the compared players, and all strata. `weights` null: of an earlier edit. */
  split: number | null;
  splits: readonly { split: number; weights: readonly FlagArm[] | null; players: number }[];
  ineligiblePlayers: number;
}

export function comparedPlayers<T extends MeasuredPlayers>(
  measured: readonly T[],
  period: MeasuredPeriod,
): Compared<T> {
  const drawn = measured.filter(({ stratum }) => stratum > 0);
  const ineligiblePlayers = playersOf(measured.filter(({ stratum }) => stratum === 0));
  const reason = drawn.length === 0 && (ineligiblePlayers > 0 || !period.draws) ? 'nothing_drawn' : null;
  const { shown, ...compared } = period.isBoolean ? ofOnePercentage(drawn, period) : ofOneSplit(drawn, period);
  return { ...compared, shown: { ...shown, reason, ineligiblePlayers } };
}

/** The players who count by stratum, the largest first. */
function countedByStratum(drawn: readonly MeasuredPlayers[]): { stratum: number; players: number }[] {
  return [...Map.groupBy(drawn, ({ stratum }) => stratum)]
    .map(([stratum, rows]) => ({ stratum, players: playersOf(rows.filter((row) => !row.excluded)) }))
    .toSorted((one, other) => other.players - one.players);
}

type ComparedOf<T extends MeasuredPlayers> = Omit<Compared<T>, 'shown'> & {
  shown: Omit<ShownPlayers, 'reason' | 'ineligiblePlayers'>;
};

function ofOnePercentage<T extends MeasuredPlayers>(
  drawn: readonly T[],
  { arms, percentage: asked }: MeasuredPeriod,
): ComparedOf<T> {
  const percentages = countedByStratum(drawn).map(({ stratum, players }) => ({
    percentage: stratum / 100,
    players,
  }));
  const ofFlag = arms.find(({ variantKey }) => variantKey === 'true')?.weight;
  const percentage = asked ?? ofFlag ?? percentages[0]?.percentage ?? null;
  const buckets = Math.round((percentage ?? 0) * 100);
  return {
    rows: drawn.filter(({ stratum }) => stratum === buckets),
    arms: arms.map(({ variantKey }) => ({ variantKey, weight: weightOf(variantKey, percentage) })),
    shown: { percentage, percentages, split: null, splits: [] },
  };
}

function ofOneSplit<T extends MeasuredPlayers>(
  drawn: readonly T[],
  { arms, splits: defined, split: asked }: MeasuredPeriod,
): ComparedOf<T> {
  const weightsOf = (split: number) => defined.find(({ stratum }) => stratum === split)?.arms;
  const unknown = arms.map(({ variantKey }) => ({ variantKey, weight: null }));
  const splits = countedByStratum(drawn).map(({ stratum, players }) => ({
    split: stratum,
    weights: weightsOf(stratum) ?? null,
    players,
  }));
  const [largest] = splits;
  const ofFlag = splits.find(({ split, players }) => split % KEYED_STRATUM === WEIGHTS_STRATUM && players > 0);
  const split = asked ?? (ofFlag ?? largest)?.split ?? null;
  return {
    rows: drawn.filter(({ stratum }) => stratum === split),
    arms: split === null ? arms : (weightsOf(split) ?? unknown),
    shown: { percentage: null, percentages: [], split, splits },
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
