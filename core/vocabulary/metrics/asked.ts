import {
  columnsOf,
  DIMENSION_NAMES,
  type DimensionName,
  NAMED_DIMENSION_NAMES,
  NAMED_DIMENSIONS,
  type NamedDimension,
} from './dimensions.ts';
import type { MeasureName } from './measures.ts';
import type { Dimension, Source } from './metric.ts';
import { isRatio, measureOf, type MetricName, PER_PLAYER, RATIOS } from './metrics.ts';

/** The figure that a query names: a metric, for each active player or not, or one measure divided by another. */
export interface AskedFigure {
  readonly metric?: MetricName | undefined;
  readonly per_player?: boolean | undefined;
  readonly formula?:
    | { readonly numerator: { readonly metric: MeasureName }; readonly denominator: { readonly metric: MeasureName } }
    | undefined;
}

/** The measures of a figure: one, or a numerator and a denominator. */
export function measuresOf({ metric = 'events', formula, per_player: perPlayer }: AskedFigure): MeasureName[] {
  if (formula !== undefined) return [formula.numerator.metric, formula.denominator.metric];
  if (isRatio(metric)) return [RATIOS[metric].numerator, RATIOS[metric].denominator];
  return perPlayer === true ? [metric, PER_PLAYER] : [metric];
}

/** The values that rows have: columns, and dimensions whose names go on behind a colon. */
export interface Fields {
  readonly columns: readonly DimensionName[];
  readonly named: readonly NamedDimension[];
}

/** What a player has now: its days in an interval may differ in all else. */
export const PLAYER_FIELDS: Fields = { columns: [], named: ['attribute', 'segment'] };

/** The fields that the rows of all these measures have. */
export function fieldsOf(measures: readonly MeasureName[]): Fields {
  const all = measures.map((name) => {
    const { source, windowDays } = measureOf(name);
    const fields = fieldsOfSource(source);
    // A player may have several platforms in the days of a window.
    return windowDays === undefined ? fields : { ...fields, columns: [] };
  });
  return {
    columns: DIMENSION_NAMES.filter((name) => all.every(({ columns }) => columns.includes(name))),
    named: NAMED_DIMENSION_NAMES.filter((name) => all.every(({ named }) => named.includes(name))),
  };
}

export function fieldsOfSource(source: Source): Fields {
  const named = NAMED_DIMENSION_NAMES.filter((name) => {
    const { sources }: Dimension = NAMED_DIMENSIONS[name];
    return sources.includes(source);
  });
  return { columns: columnsOf(source), named };
}
