import { PURCHASE_EVENT } from '../../../core/vocabulary/service-events.ts';
import type { Quantity } from './measured-rows.ts';
import type { Metric } from './metric.ts';

/* The metrics of experiments as SQL: what they read of rows, and the columns of a player. */

/** How a metric is made of quantities. A quantity has the columns `times_N` and `total_N` of a player. */
interface Composed {
  quantities: readonly Omit<Quantity, 'number'>[];
  /** The value of a player, from its quantities. */
  own: (numbers: readonly number[]) => string;
  /** The number that divides it, of a quotient of sums. */
  per?: (numbers: readonly number[]) => string;
}

const times = ([n]: readonly number[]): string => `toFloat64(times_${n})`;
const total = ([n]: readonly number[]): string => `total_${n}`;
const has = ([n]: readonly number[]): string => `toFloat64(times_${n} > 0)`;

const PURCHASES = { source: 'purchase', name: PURCHASE_EVENT, property: 'amount' } as const;
const SESSIONS = { source: 'session', name: '' } as const;

function composed({ aggregate, metric: name }: Metric): Composed {
  const events = (property?: string) => ({ source: 'event', name, property }) as const;
  switch (aggregate.kind) {
    case 'conversion':
      return { quantities: [events()], own: has };
    case 'count':
      return { quantities: [events()], own: times };
    case 'sum':
      return { quantities: [events(aggregate.property)], own: total };
    case 'mean':
      return { quantities: [events(aggregate.property)], own: total, per: times };
    case 'revenue':
      return { quantities: [PURCHASES], own: total };
    case 'payer':
      return { quantities: [PURCHASES], own: ([n]) => `toFloat64(total_${n} > 0)` };
    case 'sessions':
      return { quantities: [SESSIONS], own: times };
    case 'session':
      return { quantities: [SESSIONS], own: has };
    case 'retention':
      return { quantities: [{ source: 'day', name: '', day: aggregate.day }], own: has };
    case 'ratio': {
      const { property, per, perProperty } = aggregate;
      const below = perProperty === undefined ? times : total;
      return {
        quantities: [events(property), { source: 'event', name: per, property: perProperty }],
        own: property === undefined ? times : total,
        per: (numbers) => below(numbers.slice(1)),
      };
    }
    case 'quantile':
      return { quantities: [aggregate.property === undefined ? PURCHASES : events(aggregate.property)], own: total };
  }
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
