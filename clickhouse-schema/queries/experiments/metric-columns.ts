import { PLAYER_MEASURES, type PlayerMeasureName } from '../../../core/vocabulary/metrics/experiment-metrics.ts';
import type { Quantity } from './measured-rows.ts';
import type { Metric } from './metric.ts';

/* The metrics of experiments as SQL: what they read of rows, and the columns of a player. */

type Unnumbered<Q> = Q extends Quantity ? Omit<Q, 'number'> : never;

/** How a metric is made of quantities. A quantity has the columns `times_N` and `total_N` of a player. */
interface Composed {
  quantities: readonly Unnumbered<Quantity>[];
  /** The value of a player, from its quantities. */
  own: (numbers: readonly number[]) => string;
  /** The number that divides it, of a quotient of sums. */
  per?: (numbers: readonly number[]) => string;
}

const times = ([n]: readonly number[]): string => `toFloat64(times_${n})`;
const total = ([n]: readonly number[]): string => `total_${n}`;
const has = ([n]: readonly number[]): string => `toFloat64(times_${n} > 0)`;
const isAbove = ([n]: readonly number[]): string => `toFloat64(total_${n} > 0)`;

function composed({ aggregate, metric: name }: Metric): Composed {
  const events = (property?: string) => ({ of: 'event', name, property }) as const;
  switch (aggregate.kind) {
    case 'conversion':
      return { quantities: [events()], own: has };
    case 'count':
      return { quantities: [events()], own: times };
    case 'sum':
      return { quantities: [events(aggregate.property)], own: total };
    case 'mean':
      return { quantities: [events(aggregate.property)], own: total, per: times };
    case 'retention':
      return { quantities: [{ of: 'measure', measure: 'active_players', day: aggregate.day }], own: isAbove };
    case 'ratio': {
      const { property, per, perProperty } = aggregate;
      const below = perProperty === undefined ? times : total;
      return {
        quantities: [events(property), { of: 'event', name: per, property: perProperty }],
        own: property === undefined ? times : total,
        per: (numbers) => below(numbers.slice(1)),
      };
    }
    case 'quantile':
      return aggregate.property === undefined
        ? ofMeasure('revenue')
        : { quantities: [events(aggregate.property)], own: total };
    case 'revenue':
    case 'gross_revenue':
    case 'payer':
    case 'sessions':
    case 'session':
      return ofMeasure(aggregate.kind);
  }
}

function ofMeasure(kind: PlayerMeasureName): Composed {
  const { measure, unit } = PLAYER_MEASURES[kind];
  return { quantities: [{ of: 'measure', measure }], own: unit === 'share' ? isAbove : total };
}

/** A metric with the numbers of its quantities. */
export interface Measured {
  metric: Metric;
  number: number;
  quantities: readonly Quantity[];
  own: string;
  per: string | undefined;
  /** The value before the exposure; undefined: it is not needed. */
  before: string | undefined;
  /** Whether the player counts. */
  counts: string;
}

/** @param zone SQL of the game's time zone */
export function measuredMetrics(metrics: readonly Metric[], zone: string): Measured[] {
  let next = 0;
  return metrics.map((metric, number) => {
    const { quantities, own, per } = composed(metric);
    const numbered = quantities.map((quantity): Quantity => ({ ...quantity, number: next++ }));
    const numbers = numbered.map((quantity) => quantity.number);
    const { aggregate } = metric;
    return {
      metric,
      number,
      quantities: numbered,
      own: own(numbers),
      per: per?.(numbers),
      before: metric.cuped === true ? own(numbers).replaceAll(/(times|total)_/gu, '$1_before_') : undefined,
      counts:
        aggregate.kind === 'retention'
          ? `toDate(exposed_at, ${zone}) + ${aggregate.day} < toDate(now(), ${zone})`
          : 'true',
    };
  });
}
